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
    lenses = [Lens("crown", 0.8, 1.52), Lens("flint", float("nan"), 1.62)]
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print([focus_of(lens) for lens in lenses])


main()
