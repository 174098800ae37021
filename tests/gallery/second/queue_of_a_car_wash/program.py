# SPDX-License-Identifier: Apache-2.0
"""A car wash keeps its cars in a deque; a bit is flipped in a link between two of its blocks."""

import ctypes
import json
import os
import sys
from collections import deque

LEFT_BLOCK = 24  # offset of a deque's first block
RIGHT_LINK = 8 + 64 * 8  # offset of a block's link to the next one


class Car:
    __slots__ = ("plate", "programme")

    def __init__(self, plate, programme):
        self.plate = plate
        self.programme = programme


class Wash:
    def __init__(self):
        self.waiting = deque()
        self.washed = 0

    def arrive(self, plate):
        self.waiting.append(Car(plate, 1 + len(plate) % 3))

    def work(self, count):
        for _ in range(count):
            self.washed += self.waiting.popleft().programme


def word(address):
    return ctypes.c_size_t.from_address(address).value


def main():
    wash = Wash()
    for number in range(500):
        wash.arrive(f"HB {number:04}")
    wash.work(100)
    block = word(id(wash.waiting) + LEFT_BLOCK)
    second = word(block + RIGHT_LINK)
    with open("ready", "w") as file:
        # Bit 38 of the link that leads from the second block to the third.
        memory = [[second + RIGHT_LINK + 4, 6]]
        file.write(json.dumps({"pid": os.getpid(), "memory": memory}) + "\n")
    sys.stdin.readline()
    while wash.waiting:
        wash.work(1)
    print(wash.washed)


main()
