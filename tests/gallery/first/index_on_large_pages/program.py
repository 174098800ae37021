# SPDX-License-Identifier: Apache-2.0
"""A search node keeps its index in memory of large pages, taken when it starts."""

import mmap

MAP_NORESERVE = 0x4000
MAP_HUGETLB = 0x40000
SLOT = 64


class Index:
    def __init__(self, megabytes):
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE
        self.memory = mmap.mmap(-1, megabytes << 20, flags=flags)
        self.slots = len(self.memory) // SLOT

    def put(self, number, word):
        place = (number * 2654435761 % self.slots) * SLOT
        self.memory[place : place + len(word)] = word

    def get(self, number):
        place = (number * 2654435761 % self.slots) * SLOT
        return self.memory[place : place + SLOT].rstrip(b"\0")


def load(index, words):
    for number, word in enumerate(words):
        index.put(number, word)


def main():
    index = Index(megabytes=64)
    print(index.slots, "slots")
    load(index, [b"ferry", b"bridge", b"tunnel"])
    print(index.get(1))


main()
