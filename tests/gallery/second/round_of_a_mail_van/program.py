# SPDX-License-Identifier: Apache-2.0
"""The shortest round of a mail van past all its boxes, by trying every order of them."""

import itertools
import math
import os

BOXES = [(2, 9), (7, 3), (14, 8), (11, 15), (4, 17), (19, 2), (17, 12), (9, 7), (1, 1), (13, 4),
         (6, 12), (18, 18), (10, 10)]  # fmt: skip


class Planner:
    def __init__(self, boxes, depot):
        self.boxes, self.depot = boxes, depot
        self.tried = 0
        self.best = math.inf
        self.best_round = None

    def length(self, order):
        total, here = 0.0, self.depot
        for box in order:
            total += math.hypot(box[0] - here[0], box[1] - here[1])
            here = box
        return total + math.hypot(self.depot[0] - here[0], self.depot[1] - here[1])

    def plan(self):
        for order in itertools.permutations(self.boxes):
            self.tried += 1
            length = self.length(order)
            if length < self.best:
                self.best, self.best_round = length, order
        return self.best_round


def main():
    planner = Planner(BOXES, (0, 8))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(planner.plan())


main()
