# SPDX-License-Identifier: Apache-2.0
"""Thumbnails are read in place from a large archive."""

import ctypes
import mmap


class Archive:
    def __init__(self, size):
        self.memory = mmap.mmap(-1, size)
        first = ctypes.c_char.from_buffer(self.memory)
        self.start = ctypes.addressof(first)
        del first

    def thumbnail(self, number):
        return (ctypes.c_ubyte * 4096).from_address(self.start + number * 4096)

    def close(self):
        self.memory.close()


def average(thumbnail):
    return sum(thumbnail) / len(thumbnail)


def main():
    archive = Archive(32 << 20)
    some = [archive.thumbnail(number) for number in (3, 4000, 77)]
    print([average(thumbnail) for thumbnail in some])
    archive.close()
    print([average(thumbnail) for thumbnail in some])


main()
