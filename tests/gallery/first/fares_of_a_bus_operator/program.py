# SPDX-License-Identifier: Apache-2.0
"""Fares of a bus operator: many threads look them up, some compute what is missing."""

import logging
import os
import threading
from pathlib import Path

from rwlock import ReadWriteLock

ZONES = {"harbour": 0, "market": 1, "campus": 2, "airport": 4}


class FareTable:
    def __init__(self):
        self._fares = {}
        self._lock = ReadWriteLock()

    def fare(self, start, end):
        with self._lock.reading():
            if (start, end) not in self._fares:
                distance = self._distance(start, end)
                with self._lock.writing():
                    self._fares[start, end] = 180 + 70 * distance
            return self._fares[start, end]

    def _distance(self, start, end):
        MEASURED.wait(1)
        return abs(ZONES[start] - ZONES[end])


MEASURED = threading.Event()


class Counter(threading.Thread):
    """Sells tickets at one counter."""

    def __init__(self, name, table, trips):
        super().__init__(name=name)
        self.table, self.trips, self.taken = table, trips, 0

    def run(self):
        for trip in self.trips:
            self.taken += self.table.fare(*trip)
        logging.info("%s took %d", self.name, self.taken)


def main():
    logging.basicConfig(level=logging.INFO)
    table = FareTable()
    trips = [("harbour", "market"), ("market", "airport"), ("campus", "harbour")]
    counters = [Counter("east", table, trips), Counter("west", table, trips[::-1])]
    for counter in counters:
        counter.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for counter in counters:
        counter.join()


if __name__ == "__main__":
    main()
