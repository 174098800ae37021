# SPDX-License-Identifier: Apache-2.0
"""Cuts shapes from sheets of paper; the shapes live in a C++ library."""

import ctypes
import json
import os
import random
import sys

import cutter


class Sheet:
    def __init__(self, chance, count):
        self.shapes = []
        for number in range(count):
            if number % 2:
                self.shapes.append(cutter.circle(chance.uniform(0.5, 4.0)))
            else:
                self.shapes.append(cutter.oblong(chance.uniform(1, 9), chance.uniform(1, 5)))

    def waste(self, area):
        return area - sum(shape.area() for shape in self.shapes)


def announce(sheet, chance):
    holder = chance.choice(sheet.shapes)
    shape = ctypes.c_uint64.from_address(id(holder) + 16).value
    with open("ready", "w") as ready:
        ready.write(json.dumps({"pid": os.getpid(), "memory": [[shape + 4, 6]]}) + "\n")


def main():
    chance = random.Random(12)
    sheet = Sheet(chance, 200)
    print("waste", round(sheet.waste(9000.0), 1), flush=True)
    announce(sheet, chance)
    for _ in sys.stdin:
        print("waste", round(sheet.waste(9500.0), 1), flush=True)


if __name__ == "__main__":
    main()
