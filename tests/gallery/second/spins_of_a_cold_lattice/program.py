# SPDX-License-Identifier: Apache-2.0
"""Magnetisation of a lattice of spins while it cools, by Metropolis' method."""

import math
import os
import random

SIDE = 48
SWEEPS = 20000


class Lattice:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.spins = [[self.dice.choice((-1, 1)) for _ in range(SIDE)] for _ in range(SIDE)]

    def neighbours(self, row, column):
        spins = self.spins
        return (
            spins[row - 1][column]
            + spins[(row + 1) % SIDE][column]
            + spins[row][column - 1]
            + spins[row][(column + 1) % SIDE]
        )

    def sweep(self, temperature):
        for row in range(SIDE):
            for column in range(SIDE):
                cost = 2 * self.spins[row][column] * self.neighbours(row, column)
                if cost <= 0 or self.dice.random() < math.exp(-cost / temperature):
                    self.spins[row][column] *= -1

    def magnetisation(self):
        return sum(map(sum, self.spins)) / SIDE**2


def cool(lattice, results):
    for number in range(SWEEPS):
        temperature = 4.0 - 3.0 * number / SWEEPS
        lattice.sweep(temperature)
        if number % 20 == 0:
            results.write("%d %.4f %+.4f\n" % (number, temperature, lattice.magnetisation()))
            results.flush()


def main():
    with open("magnetisation.txt", "w") as results:
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        cool(Lattice(5), results)


main()
