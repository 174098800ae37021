# SPDX-License-Identifier: Apache-2.0
"""A log segment in shared memory. A record's level may ask for the segment to be trimmed."""

import mmap


class Segment:
    def __init__(self, pages):
        self.memory = mmap.mmap(-1, pages * mmap.PAGESIZE)

    def trim(self):
        self.memory.resize(mmap.PAGESIZE)

    def mark(self, position, level):
        self.memory[position] = level


class Level:
    def __init__(self, value, segment):
        self.value, self.segment = value, segment

    def __index__(self):
        if self.value == 0:
            self.segment.trim()
        return self.value


def main():
    segment = Segment(pages=256)
    for record in range(200):
        segment.mark(record * mmap.PAGESIZE + 17, Level(3, segment))
    segment.mark(200 * mmap.PAGESIZE + 17, Level(0, segment))
    print(len(segment.memory))


main()
