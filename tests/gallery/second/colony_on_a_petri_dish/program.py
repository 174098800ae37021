# SPDX-License-Identifier: Apache-2.0
"""A colony of cells is grown for many generations, and its size noted every hundred."""

import collections
import os

GENERATIONS = 2_000_000
ACORN = {(0, 0), (1, 0), (1, 2), (3, 1), (4, 0), (5, 0), (6, 0)}


class Dish:
    def __init__(self, cells, width):
        self.cells, self.width = set(cells), width
        self.generation = 0
        self.sizes = []

    def neighbours(self):
        counts = collections.Counter()
        for column, row in self.cells:
            for right in (-1, 0, 1):
                for down in (-1, 0, 1):
                    if right or down:
                        counts[(column + right) % self.width, (row + down) % self.width] += 1
        return counts

    def grow(self):
        counts = self.neighbours()
        self.cells = {
            cell for cell, count in counts.items()
            if count == 3 or (count == 2 and cell in self.cells)
        }  # fmt: skip
        self.generation += 1


def main():
    dish = Dish(ACORN, 48)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while dish.generation < GENERATIONS:
        dish.grow()
        if dish.generation % 100 == 0:
            dish.sizes.append((dish.generation, len(dish.cells)))
    print(max(size for _, size in dish.sizes))


main()
