# SPDX-License-Identifier: Apache-2.0
"""A cache that pins its hottest entries by hand, so that nobody can let them go."""

import ctypes

PINNED = 1 << 30


def rendered(level, row, column):
    return b"%d/%d/%d:" % (level, row, column) + bytes(150)


class Cache:
    def __init__(self, room):
        self.room = room
        self.tiles = {}
        self.heat = {}

    def tile(self, level, row, column):
        key = (level, row, column)
        found = self.tiles.get(key)
        if found is None:
            found = self.tiles[key] = rendered(level, row, column)
            while len(self.tiles) > self.room:
                self.tiles.pop(next(iter(self.tiles)))
        self.heat[id(found)] = self.heat.get(id(found), 0) + 1
        return found

    def pin_hottest(self, count):
        hottest = sorted(self.heat, key=self.heat.get, reverse=True)[:count]
        for address in hottest:
            ctypes.c_ssize_t.from_address(address).value = PINNED
        self.heat.clear()


def walk(cache, steps):
    size = 0
    for step in range(steps):
        for row in range(3):
            size += len(cache.tile(4, row + step // 9, step % 9))
    return size


def main():
    cache = Cache(16)
    print(walk(cache, 120))
    cache.tiles.clear()
    cache.pin_hottest(3)
    for level in range(20):
        kept = [rendered(level, row, row) for row in range(300)]
        print(walk(cache, 150), len(kept), flush=True)


main()
