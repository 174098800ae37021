# SPDX-License-Identifier: Apache-2.0
"""Weighs lorries on a platform scale: readings are smoothed, the tare of each is taken off."""

from array import array

import smoothing


class PlatformScale:
    def __init__(self):
        self.readings = []
        self.tares = []

    def weigh(self, lorry):
        base = 18_000 + 250 * lorry
        self.readings.append(array("d", [base + step for step in (40.0, 35, 20, 10, 5, 0)]))
        self.tares.append((7_400 + 10 * lorry,))

    def net(self):
        for readings in self.readings:
            smoothing.smooth(readings, 0.8)
        return [round(readings[-1]) - tare for readings, (tare,) in zip(self.readings, self.tares)]


def main():
    scale = PlatformScale()
    for lorry in range(60):
        scale.weigh(lorry)
    print(sum(scale.net()))


if __name__ == "__main__":
    main()
