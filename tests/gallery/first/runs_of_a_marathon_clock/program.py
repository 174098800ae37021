# SPDX-License-Identifier: Apache-2.0
"""Times of a marathon in objects with slots; a low bit of a pointer to a float is flipped."""

import ctypes
import json
import os
import sys
from itertools import accumulate


class Runner:
    __slots__ = ("bib", "club", "splits", "best", "finish")

    def __init__(self, bib, club, pace):
        self.bib = bib
        self.club = club
        self.splits = [pace * (1 + leg / 40) for leg in range(8)]
        self.best = min(self.splits)
        self.finish = sum(self.splits)

    def behind(self, other):
        return self.finish - other.finish


class Race:
    def __init__(self, clubs):
        self.clubs = clubs
        self.runners = []

    def enter(self, count):
        for bib in range(1, count + 1):
            pace = 26.5 + bib * 7919 % 1000 / 50
            self.runners.append(Runner(bib, self.clubs[bib % len(self.clubs)], pace))

    def ranking(self):
        return sorted(self.runners, key=lambda runner: runner.finish)

    def gaps(self):
        ranked = self.ranking()
        return list(accumulate(b.behind(a) for a, b in zip(ranked, ranked[1:])))


def slot_of(runner, value):
    """Return the address of the slot that holds a value."""
    for offset in range(16, 80, 8):
        if ctypes.c_size_t.from_address(id(runner) + offset).value == id(value):
            return id(runner) + offset
    raise LookupError(value)


def main():
    race = Race(["harriers", "striders", "night owls", "road runners"])
    race.enter(1200)
    print(round(race.gaps()[-1], 2))
    runner = race.runners[611]
    with open("ready", "w") as file:
        # Bit 3 of the pointer: eight bytes beside the float.
        memory = [[slot_of(runner, runner.finish), 3]]
        file.write(json.dumps({"pid": os.getpid(), "memory": memory}) + "\n")
    sys.stdin.readline()
    print(round(race.gaps()[-1], 2))


main()
