# SPDX-License-Identifier: Apache-2.0
"""A map is drawn by a C library, which asks a callback for the tiles that it needs."""

import ctypes
import os

TILE = 512 * 512 * 4
SOURCE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_int)

LIBRARY = ctypes.CDLL(os.path.abspath("mapdraw.so"))
LIBRARY.draw_map.restype = ctypes.c_long
LIBRARY.draw_map.argtypes = [SOURCE, ctypes.c_int, ctypes.c_int]


def paint(column, row):
    shade = bytes([(column * 40) % 256, (row * 40) % 256, 90, 255])
    return shade * (512 * 512)


@SOURCE
def tile_at(column, row):
    pixels = ctypes.create_string_buffer(paint(column, row), TILE)
    return ctypes.addressof(pixels)


def main():
    print("light of the map:", LIBRARY.draw_map(tile_at, 4, 3))


main()
