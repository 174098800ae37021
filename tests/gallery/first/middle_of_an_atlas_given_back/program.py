# SPDX-License-Identifier: Apache-2.0
"""Pages of an atlas are closed."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("atlas.so"))
library.atlas_open.restype = ctypes.c_void_p
library.atlas_page.restype = ctypes.c_void_p
library.atlas_page.argtypes = [ctypes.c_void_p, ctypes.c_int]
library.atlas_close.argtypes = [ctypes.c_void_p]


def close(page):
    library.atlas_close(page)


def main():
    close(library.atlas_open())
    atlas = library.atlas_open()
    close(library.atlas_page(atlas, 3))


main()
