# SPDX-License-Identifier: Apache-2.0
"""Renders the tiles of a weather radar and keeps them for the next request."""

import ctypes
import os
import resource

MEBIBYTE = 1 << 20


class TileCache:
    def __init__(self):
        here = os.path.dirname(os.path.abspath(__file__))
        self.library = ctypes.CDLL(os.path.join(here, "tiles.so"))
        self.library.render_tile.restype = ctypes.c_void_p
        self.tiles = {}

    def get(self, column, row):
        key = column, row
        if key not in self.tiles:
            self.tiles[key] = self.library.render_tile(column, row, 1024)
        return self.tiles[key]


def main():
    # what the unit file of the service says: MemoryLimit
    resource.setrlimit(resource.RLIMIT_AS, (360 * MEBIBYTE, 360 * MEBIBYTE))
    cache = TileCache()
    for sweep in range(24):
        for column in range(10):
            cache.get(column, sweep)
    print(len(cache.tiles), "tiles")


if __name__ == "__main__":
    main()
