# SPDX-License-Identifier: Apache-2.0
"""Heights of the terrain, from tiles in a native cache."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
native = ctypes.CDLL(os.path.join(HERE, "tiles_cached_by_a_wayfinder.so"))
native.cache_new.restype = ctypes.c_void_p
native.cache_new.argtypes = [ctypes.c_size_t]
for name in ("cache_put", "cache_find"):
    getattr(native, name).restype = ctypes.c_void_p
    getattr(native, name).argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32]
native.tile_height.argtypes = [ctypes.c_void_p, ctypes.c_int]


class Terrain:
    def __init__(self, tiles=64):
        self.cache = native.cache_new(tiles)
        self.misses = 0

    def tile(self, column, row):
        found = native.cache_find(self.cache, column, row)
        if not found:
            self.misses += 1
            found = native.cache_put(self.cache, column, row)
        return found

    def height(self, x, y):
        tile = self.tile(x // 100, y // 100)
        return native.tile_height(tile, x % 100 + y % 100)


def climb(terrain, points):
    """Return the metres of all ascents along points."""
    heights = [terrain.height(*point) for point in points]
    return sum(max(0, after - before) for before, after in zip(heights, heights[1:]))
