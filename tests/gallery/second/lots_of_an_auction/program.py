# SPDX-License-Identifier: Apache-2.0
"""Puts the lots of an auction in the order in which they are to be called."""

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Lot:
    number: int
    estimate: int


class Hall:
    def __init__(self, lots):
        self.lots = lots
        self.called = 0

    def drain(self):
        """Hands out every lot, dearest first, and leaves the hall empty."""
        for lot in sorted(self.lots, key=lambda lot: -lot.estimate):
            self.called += 1
            yield lot
        self.lots.clear()


def call_backwards(hall):
    lots = hall.lots
    lots[::-1] = hall.drain()
    return lots


def main():
    chance = random.Random(1789)
    for evening in range(4):
        hall = Hall([Lot(number, chance.randrange(50, 9000)) for number in range(120)])
        if evening < 2:
            order = sorted(hall.lots, key=lambda lot: lot.estimate)
        else:
            order = call_backwards(hall)
        print("evening", evening, "opens with", order[0], flush=True)


if __name__ == "__main__":
    main()
