# SPDX-License-Identifier: Apache-2.0
"""A flight simulator loads and drops sheets of terrain; a bit in malloc's header of one flips."""

import ctypes
import json
import os
import random
import sys

libc = ctypes.CDLL(None)
libc.malloc.argtypes = [ctypes.c_size_t]
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]


class Sheet:
    """Heights of one square of the map, in memory that the renderer shares."""

    def __init__(self, east, north, points):
        self.east = east
        self.north = north
        self.size = points * 2
        self.heights = libc.malloc(self.size)
        libc.memset(self.heights, (east * 3 + north) % 100, self.size)

    def height(self, index):
        return ctypes.c_int16.from_address(self.heights + 2 * index).value

    def drop(self):
        libc.free(self.heights)
        self.heights = None


class Terrain:
    def __init__(self, reach):
        self.reach = reach
        self.sheets = {}
        self.random = random.Random(4)

    def follow(self, east, north):
        """Load what is in sight, drop what is not."""
        square = range(-self.reach, self.reach + 1)
        wanted = {(east + dx, north + dy) for dx in square for dy in square}
        for place in sorted(wanted - self.sheets.keys()):
            self.sheets[place] = Sheet(*place, self.random.choice((1200, 1800, 2600)))
        for place in sorted(self.sheets.keys() - wanted):
            self.sheets.pop(place).drop()

    def highest(self):
        return max(sheet.height(7) for sheet in self.sheets.values())


def main():
    terrain = Terrain(3)
    for step in range(6):
        terrain.follow(100 + step, 40 + step // 3)
    print(terrain.highest())
    sheet = terrain.sheets[min(terrain.sheets)]
    with open("ready", "w") as file:
        # Bit 19 of the size in the header before the block.
        memory = [[sheet.heights - 8, 19]]
        file.write(json.dumps({"pid": os.getpid(), "memory": memory}) + "\n")
    sys.stdin.readline()
    for step in range(6, 60):
        terrain.follow(100 + step, 40 + step // 3)
    print(terrain.highest())


main()
