# SPDX-License-Identifier: Apache-2.0
"""Finds the focus of a lens by Newton's method."""

import math
import os


class Lens:
    def __init__(self, name, curvature, index):
        self.name, self.curvature, self.index = name, curvature, index

    def error(self, focus):
        return math.exp(-focus) * self.index - self.curvature * focus

    def slope(self, focus):
        return -math.exp(-focus) * self.index - self.curvature


def focus_of(lens, tolerance=1e-12):
    focus, rounds = 1.0, 0
    while True:
        step = lens.error(focus) / lens.slope(focus)
        focus -= step
        rounds += 1
        if abs(step) < tolerance:
            return focus


def main():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(sum(focus_of(Lens("crown", 0.5 + n / 4e7, 1.5)) for n in range(20_000_000)))


main()
