# SPDX-License-Identifier: Apache-2.0
import ctypes
import itertools
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "faxrow.so"))
library.fax_open.restype = ctypes.c_void_p
library.fax_row.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int]
library.fax_total.argtypes = [ctypes.c_void_p, ctypes.c_int]
library.fax_total.restype = ctypes.c_uint
library.fax_close.argtypes = [ctypes.c_void_p]

WIDTH = 1728


class Fax:
    def __init__(self, rows):
        self.rows = rows
        self.page = library.fax_open(WIDTH, len(rows))

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        library.fax_close(self.page)

    def black(self):
        for number, runs in enumerate(self.rows):
            library.fax_row(self.page, number, runs, len(runs))
        return [library.fax_total(self.page, number) for number in range(len(self.rows))]


def encode(lengths):
    shades = itertools.cycle((0, 255))
    return b"".join(bytes((length, shade)) for length, shade in zip(lengths, shades)) + b"\0"


def letter(rows):
    return [encode([200, 30 + row % 40] * 7) for row in range(rows)]


def main():
    standard = letter(500)
    fine = [encode([240, 250] * 6) if row == 310 else each for row, each in enumerate(standard)]
    for name, rows in [("offer", standard), ("floor plan", fine)]:
        with Fax(rows) as fax:
            print(name, sum(fax.black()), flush=True)


main()
