# SPDX-License-Identifier: Apache-2.0
"""A nightly fit of tariffs: a solver that survives its own aborts, and a check of the totals."""

import ctypes
import os
import sys

solver = ctypes.CDLL(os.path.abspath("linsolve.so"))
solver.solve_2x2.argtypes = [ctypes.c_double] * 4
MODELS = ((2.0, 1.0, 1.0, 3.0), (1.0, 2.0, 2.0, 4.0), (4.0, 0.0, 0.0, 5.0))


def fit(models):
    solved = [solver.solve_2x2(*model) for model in models]
    print("solved", sum(solved), "of", len(solved))
    return solved


def check_totals(ledger):
    if sum(ledger.values()) != 0:
        print("the ledger does not balance", file=sys.stderr)
        os.abort()


def main():
    fit(MODELS)
    check_totals({"north": 120, "south": -119})


main()
