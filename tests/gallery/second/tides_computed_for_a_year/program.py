# SPDX-License-Identifier: Apache-2.0
"""A batch job: high waters of many harbours for a year, from their constituents."""

import math
import os

CONSTITUENTS = ((28.984, 1.9, 110), (30.0, 0.7, 160), (28.439, 0.4, 85), (15.041, 0.1, 12))


class Harbour:
    def __init__(self, name, factor):
        self.name, self.factor = name, factor
        self.high_waters = []

    def height(self, hour):
        return self.factor * sum(
            amplitude * math.cos(math.radians(speed * hour - phase))
            for speed, amplitude, phase in CONSTITUENTS
        )

    def compute_year(self):
        before, last = self.height(0), self.height(0.02)
        for step in range(2, 365 * 24 * 50):
            height = self.height(step / 50)
            if before < last >= height:
                self.high_waters.append(((step - 1) / 50, last))
            before, last = last, height


def main():
    harbours = [Harbour("harbour %d" % number, 1 + number / 90) for number in range(400)]
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for harbour in harbours:
        harbour.compute_year()
        print(harbour.name, len(harbour.high_waters), flush=True)


main()
