# SPDX-License-Identifier: Apache-2.0
"""A lattice simulation on a cluster; it computes as long as the batch system lets it."""

import os
import random

SIZE = 96


class Lattice:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.spins = [[self.random.choice((-1, 1)) for _ in range(SIZE)] for _ in range(SIZE)]
        self.accepted = 0

    def field(self, row, column):
        spins = self.spins
        return (
            spins[row - 1][column]
            + spins[(row + 1) % SIZE][column]
            + spins[row][column - 1]
            + spins[row][(column + 1) % SIZE]
        )

    def step(self, temperature):
        row, column = self.random.randrange(SIZE), self.random.randrange(SIZE)
        cost = 2 * self.spins[row][column] * self.field(row, column)
        if cost <= 0 or self.random.random() < 2.718281828 ** (-cost / temperature):
            self.spins[row][column] *= -1
            self.accepted += 1


def sweep(lattice, temperature):
    for _ in range(SIZE * SIZE):
        lattice.step(temperature)
    return sum(map(sum, lattice.spins)) / SIZE**2


def main():
    lattice = Lattice(20)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for number in range(10**6):
        magnet = sweep(lattice, 2.1 + number % 40 / 100)
        if number % 50 == 0:
            print(number, round(magnet, 3), flush=True)


main()
