# SPDX-License-Identifier: Apache-2.0
"""Finds the changes between the lines of a tram map, again for every line that is read."""

import json
import os
import random
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Station:
    name: str
    zone: int


class TramMap:
    HASH = 120

    def __init__(self, chance):
        self.stations = [Station(f"stop {n}", n % 5) for n in range(90)]
        self.lines = {number: chance.sample(self.stations, 18) for number in range(1, 9)}

    def changes(self, first, second):
        served = set(self.lines[first])
        return [station.name for station in self.lines[second] if station in served]


def announce(chance):
    slot = id(Station) + TramMap.HASH
    with open("ready", "w") as ready:
        memory = [[slot + 5, chance.randrange(1, 4)]]
        ready.write(json.dumps({"pid": os.getpid(), "memory": memory}) + "\n")


def main():
    chance = random.Random(44)
    tram_map = TramMap(chance)
    print("1 and 2:", tram_map.changes(1, 2), flush=True)
    announce(chance)
    for line in sys.stdin:
        for other in range(2, 9):
            print("1 and", other, tram_map.changes(1, other), flush=True)


if __name__ == "__main__":
    main()
