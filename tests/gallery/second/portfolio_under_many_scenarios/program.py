# SPDX-License-Identifier: Apache-2.0
"""Look for the worst loss of a portfolio under many scenarios of prices."""

import os
import random

POSITIONS = {"steel": (120, 34.5), "wheat": (900, 5.1), "copper": (60, 88.0), "cocoa": (15, 310.0)}


class Stress:
    def __init__(self, positions, seed):
        self.positions = positions
        self.random = random.Random(seed)
        self.worst = 0.0
        self.done = 0

    def loss_in(self, scenario):
        loss = 0.0
        for name, (count, price) in self.positions.items():
            loss += count * price * scenario[name]
        return loss

    def draw_scenario(self):
        return {name: self.random.gauss(0.0, 0.02) for name in self.positions}

    def worst_loss(self, scenarios):
        for number in range(scenarios):
            self.worst = max(self.worst, self.loss_in(self.draw_scenario()))
            self.done = number + 1
        return self.worst


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print("%.2f" % Stress(POSITIONS, 7).worst_loss(40_000_000))


main()
