# SPDX-License-Identifier: Apache-2.0
"""A parser takes a block that held other data and uses a field that it has not set."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "parser.so"))
library.load_rows.argtypes = [ctypes.c_char_p, ctypes.c_int]


def load():
    rows = bytes((n * 73 + 19) * 31 % 251 + 1 for n in range(4096))
    return library.load_rows(rows, 24)


def main():
    load()
    print(library.parse(7))


main()
