# SPDX-License-Identifier: Apache-2.0
"""The parcels that wait for the night shuttle between two depots, in the order they came."""

import json
import os
import sys
from collections import defaultdict, deque
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Parcel:
    number: int
    depot: str
    grams: int


class Shuttle:
    """Takes parcels from each depot's belt until its van is full."""

    def __init__(self, most):
        self.most = most
        self.belts = defaultdict(deque)
        self.log = deque(maxlen=50)

    def hand_in(self, parcel):
        self.belts[parcel.depot].append(parcel)
        self.log.append(f"in {parcel.number}")

    def tour(self, depot):
        loaded, load = [], 0
        belt = self.belts[depot]
        while belt and load + belt[0].grams <= self.most:
            parcel = belt.popleft()
            loaded.append(parcel)
            load += parcel.grams
            self.log.append(f"out {parcel.number}")
        return loaded

    def waiting(self):
        return {depot: len(belt) for depot, belt in self.belts.items()}


def evening(number):
    for n in range(number):
        yield Parcel(n, ("north", "harbour", "airport")[n % 3], 200 + (n * 37) % 9000)


def announce(shuttle):
    """Tell the dispatcher that the belts are full and the driver may come."""
    belt = id(shuttle.belts["harbour"]) + 3 * 8  # leftblock, behind the head and the size
    told = {"pid": os.getpid(), "memory": [[belt + 5, 5]]}
    Path("ready.new").write_text(json.dumps(told) + "\n")
    os.rename("ready.new", "ready")


def main():
    shuttle = Shuttle(most=400_000)
    for parcel in evening(3000):
        shuttle.hand_in(parcel)
    announce(shuttle)
    sys.stdin.readline()
    tours = 0
    while any(shuttle.waiting().values()):
        for depot in list(shuttle.belts):
            tours += bool(shuttle.tour(depot))
    print(tours, "tours", list(shuttle.log)[-3:])


if __name__ == "__main__":
    main()
