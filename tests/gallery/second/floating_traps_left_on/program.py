# SPDX-License-Identifier: Apache-2.0
"""A C solver switches on the traps of the floating-point unit and leaves them on; a harmless
subtraction of two infinities in Python is then a signal.
"""

import ctypes
import os


def spread(highest, lowest):
    return highest - lowest


def main():
    library = ctypes.CDLL(os.path.abspath("solver.so"))
    library.solve.restype = ctypes.c_double
    values = (ctypes.c_double * 50)(*range(50))
    print(library.solve(values, 50), flush=True)
    print(spread(float("inf"), float("inf")))


main()
