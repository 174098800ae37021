# SPDX-License-Identifier: Apache-2.0
"""Frames of a door camera are kept while something moves: two sums of their pixels are compared."""

import sys
import zlib

sys.path.insert(0, ".")

import camera


class Door:
    def __init__(self, place):
        self.frame = camera.Frame(place, 640, 480)
        self.digests = []

    def look(self):
        self.digests.append((zlib.adler32(self.frame), zlib.crc32(self.frame)))
        return len(self.digests)


def watch(doors, rounds):
    moved = 0
    for _ in range(rounds):
        for door in doors:
            if door.look() > 1 and door.digests[-1] != door.digests[-2]:
                moved += 1
    return moved


def main():
    doors = [Door(place) for place in ("yard", "gate", "stairs")]
    print(watch(doors, 3), flush=True)


main()
