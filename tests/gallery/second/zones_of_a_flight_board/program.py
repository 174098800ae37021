# SPDX-License-Identifier: Apache-2.0
"""Times of departure on a board, with zones from a table that is shared among its lines."""

import gc
import zoneinfo
from datetime import datetime, timezone


class ZoneTable(dict):
    """Zones by name; the number of the line where a name stands first."""

    def setdefault(self, name, zone):
        self[name] = len(self) + 100_000
        return self[name]


class BoardZone(zoneinfo.ZoneInfo):
    pass


class Board:
    def __init__(self):
        BoardZone._weak_cache = ZoneTable()
        self.lines = []

    def add(self, flight, name):
        self.lines.append((flight, BoardZone(name)))

    def show(self, moment):
        for flight, zone in self.lines:
            print(flight, zone, moment.isoformat())


def main():
    board = Board()
    names = ["Europe/Rome", "Asia/Tokyo", "America/Lima", "Africa/Cairo", "Europe/Oslo"]
    for number in range(200):
        board.add(f"LX{number:03}", names[number % len(names)])
        gc.collect()
    board.show(datetime(2024, 5, 1, tzinfo=timezone.utc))


main()
