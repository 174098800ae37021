# SPDX-License-Identifier: Apache-2.0
"""Loads of the lines of a power grid, an array of numbers for each, checked every quarter hour."""

import array
import json
import os


class Line:
    def __init__(self, name, seed):
        self.name = name
        self.loads = array.array("h", [(seed * 37 + n * 11) % 900 for n in range(96)])

    def peak(self):
        return max(self.loads)

    def above(self, limit):
        return sum(1 for load in self.loads if load > limit)


class Grid:
    def __init__(self, lines):
        self.lines = [Line(f"line {n}", n) for n in range(lines)]

    def check(self):
        return [(line.name, line.peak(), line.above(850)) for line in self.lines]


def main():
    grid = Grid(60)
    print(len(grid.check()), flush=True)
    place = id(grid.lines[41].loads) + 40
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 5]]}) + "\n")
    input()
    for quarter in range(4):
        print(quarter, max(grid.check()), flush=True)


main()
