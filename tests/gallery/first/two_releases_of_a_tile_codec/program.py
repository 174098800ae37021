# SPDX-License-Identifier: Apache-2.0
"""Tiles of a map, for old and new clients."""

import ctypes
import os

old = ctypes.CDLL(os.path.abspath("old_codec.so"), mode=ctypes.RTLD_GLOBAL)
new = ctypes.CDLL(os.path.abspath("new_codec.so"), mode=ctypes.RTLD_GLOBAL)
for library, name in ((old, "tile_decode"), (new, "tile_encode")):
    getattr(library, name).argtypes = [ctypes.c_int]


def encode(zoom):
    return new.tile_encode(zoom)


def main():
    print(old.tile_decode(3), flush=True)
    print([encode(zoom) for zoom in range(8)])


main()
