# SPDX-License-Identifier: Apache-2.0
"""Timetable model: lets the trams of a town drive for a day and counts who passes each stop."""

import collections
import heapq
import os

METRES = {
    ("depot", "market"): 1900,
    ("market", "station"): 800,
    ("station", "bridge"): 2300,
    ("bridge", "depot"): 1400,
    ("museum", "opera"): 220,
    ("opera", "museum"): 220,
}
LINES = {"1": ["depot", "market", "station", "bridge"], "M": ["museum", "opera"]}
METRES_A_MINUTE = 300


class Model:
    """A calendar of arrivals; the earliest happens next."""

    def __init__(self, end):
        self.end = end
        self.calendar = []
        self.passed = collections.Counter()

    def start(self, line, minute):
        heapq.heappush(self.calendar, (minute, line, 0))

    def minutes_between(self, here, there):
        return METRES[here, there] // METRES_A_MINUTE

    def arrive(self, minute, line, number):
        stops = LINES[line]
        here, there = stops[number], stops[(number + 1) % len(stops)]
        self.passed[here] += 1
        arrival = minute + self.minutes_between(here, there)
        heapq.heappush(self.calendar, (arrival, line, (number + 1) % len(stops)))

    def run(self):
        while self.calendar and self.calendar[0][0] < self.end:
            self.arrive(*heapq.heappop(self.calendar))
        return self.passed


def main():
    model = Model(end=24 * 60)
    model.start("1", 300)
    model.start("M", 600)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(model.run())


main()
