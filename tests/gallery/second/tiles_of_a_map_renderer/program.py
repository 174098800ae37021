# SPDX-License-Identifier: Apache-2.0
"""Renders tiles of a map, within the memory that the container grants."""

import ctypes
import os
import resource
import threading
import time

renderer = ctypes.CDLL(os.path.abspath("tile_renderer.so"))
renderer.render_tile.argtypes = [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32]
renderer.render_tile.restype = ctypes.c_void_p
MIB = 1 << 20


def limit_memory(mib):
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + mib * MIB, used + mib * MIB))


class TileCache:
    def __init__(self):
        self.tiles = {}

    def tile(self, zoom, column):
        key = zoom, column
        if key not in self.tiles:
            side = 256 << zoom
            self.tiles[key] = renderer.render_tile(side, side, 0xFF6699CC + column)
        return self.tiles[key]


def heartbeat():
    while True:
        time.sleep(0.2)


def main():
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    limit_memory(220)
    cache = TileCache()
    for zoom in range(5):
        for column in range(6):
            cache.tile(zoom, column)
        print("zoom", zoom, len(cache.tiles), "tiles", flush=True)


if __name__ == "__main__":
    main()
