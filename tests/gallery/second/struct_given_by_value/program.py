# SPDX-License-Identifier: Apache-2.0
"""A C function wants a pointer to a structure and is given the structure itself."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("windows.so"))
library.area_of.restype = ctypes.c_long


class Size(ctypes.Structure):
    """Width and height in pixels."""

    _fields_ = (("width", ctypes.c_int), ("height", ctypes.c_int))


def window_area(size, direct):
    return library.area_of(size if direct else ctypes.byref(size))


def main():
    size = Size(1280, 720)
    print(window_area(size, False))
    print(window_area(size, True))


main()
