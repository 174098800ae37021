# SPDX-License-Identifier: Apache-2.0
"""Debris catalogue: two native propagators work on their pools while progress is reported."""

import concurrent.futures
import ctypes
import os

LIBRARY = ctypes.CDLL(os.path.abspath("orbits.so"))
LIBRARY.propagate.restype = ctypes.c_double


class Piece(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("x", "y", "vx", "vy")]


class Shell:
    """Pieces of debris at one height."""

    def __init__(self, height, count):
        self.steps = 40000000
        self.done = ctypes.c_long(0)
        self.pieces = (Piece * count)()
        for number, piece in enumerate(self.pieces):
            piece.x = 6371.0 + height + number * 0.5
            piece.vy = (398600.4418 / piece.x) ** 0.5

    def propagate(self):
        return LIBRARY.propagate(
            self.pieces, len(self.pieces), ctypes.c_long(self.steps),
            ctypes.c_double(0.5), ctypes.byref(self.done),
        )  # fmt: skip


def report(shells):
    for shell in shells:
        print("%d of %d steps" % (shell.done.value, shell.steps), flush=True)


def main():
    shells = [Shell(550.0, 64), Shell(780.0, 64)]
    with concurrent.futures.ThreadPoolExecutor(2, "shell") as pool:
        jobs = {pool.submit(shell.propagate) for shell in shells}
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        while jobs:
            _, jobs = concurrent.futures.wait(jobs, timeout=5.0)
            report(shells)


main()
