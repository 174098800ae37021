# SPDX-License-Identifier: Apache-2.0
"""The gates and the levels on both sides."""

import math


class Plant:
    def __init__(self):
        self.ticks = 0
        self.opening = [0.0, 0.0, 0.0]

    def level(self):
        return 2.0 + 0.4 * math.sin(self.ticks / 40)

    def step(self):
        self.ticks += 1
        wanted = min(1.0, max(0.0, self.level() - 1.8))
        for number, opening in enumerate(self.opening):
            self.opening[number] = opening + (wanted - opening) * 0.1

    def describe(self):
        return " ".join(f"{opening:.2f}" for opening in self.opening)
