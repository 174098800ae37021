# SPDX-License-Identifier: Apache-2.0
"""A healthy planner that counts how beacons can stand on a grid without seeing each other."""

import os


class Grid:
    def __init__(self, size):
        self.size = size
        self.columns, self.rising, self.falling = set(), set(), set()
        self.plans = 0

    def free(self, row):
        for column in range(self.size):
            if not (
                column in self.columns
                or row + column in self.rising
                or row - column in self.falling
            ):
                yield column

    def place(self, row):
        if row == self.size:
            self.plans += 1
            return
        for column in self.free(row):
            self.columns.add(column)
            self.rising.add(row + column)
            self.falling.add(row - column)
            self.place(row + 1)
            self.columns.discard(column)
            self.rising.discard(row + column)
            self.falling.discard(row - column)


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    grid = Grid(17)
    grid.place(0)
    print(grid.plans)


main()
