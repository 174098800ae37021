# SPDX-License-Identifier: Apache-2.0
"""The neighbour to the left of the first column is asked for; the index is unsigned."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "grid.so"))
library.left_of.restype = ctypes.c_double
library.left_of.argtypes = [ctypes.c_void_p, ctypes.c_uint]
library.grid.restype = ctypes.c_void_p


def slope(grid, column):
    return library.left_of(grid, column)


def main():
    grid = library.grid(500)
    print(slope(grid, 3))
    print(slope(grid, 0))


main()
