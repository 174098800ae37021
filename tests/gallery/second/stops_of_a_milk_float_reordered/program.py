# SPDX-License-Identifier: Apache-2.0
"""The round of a milk float: random swaps of its stops, kept when the way gets shorter."""

import math
import os
import random
import time
from typing import List, NamedTuple


class Stop(NamedTuple):
    x: float
    y: float


class Search:
    def __init__(self, stops: List[Stop], minutes: float, seed: int = 5) -> None:
        self.stops = stops
        self.random = random.Random(seed)
        self.deadline = time.monotonic() + 60 * minutes
        self.tried = 0
        self.best = self.length(stops)

    @staticmethod
    def length(stops: List[Stop]) -> float:
        return sum(
            math.hypot(one.x - other.x, one.y - other.y)
            for one, other in zip(stops, stops[1:] + stops[:1])
        )

    def turn_a_stretch(self) -> List[Stop]:
        first, last = sorted(self.random.sample(range(len(self.stops) + 1), 2))
        return self.stops[:first] + self.stops[first:last][::-1] + self.stops[last:]

    def run(self) -> float:
        warmth = 5.0
        while time.monotonic() < self.deadline:
            self.tried += 1
            warmth *= 0.99999
            candidate = self.turn_a_stretch()
            length = self.length(candidate)
            longer = length - self.best
            if longer < 0 or self.random.random() < math.exp(-longer / max(warmth, 1e-9)):
                self.stops, self.best = candidate, length
        return self.best


def main() -> None:
    place = random.Random(11)
    stops = [Stop(place.uniform(0, 40), place.uniform(0, 25)) for _ in range(120)]
    search = Search(stops, minutes=20)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print("%.2f km after %d tries" % (search.run(), search.tried))


main()
