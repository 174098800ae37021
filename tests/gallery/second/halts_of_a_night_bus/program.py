# SPDX-License-Identifier: Apache-2.0
"""Walks the stops of night buses, with an iterator of its own."""

import json
import os


class StopIterator:
    def __init__(self, stops, begin):
        self._stops = stops
        self._at = begin

    def __iter__(self):
        return self

    def __next__(self):
        if self._at >= len(self._stops):
            raise StopIteration
        self._at += 1
        return self._stops[self._at - 1]


class Line:
    def __init__(self, name, stops):
        self.name = name
        self.stops = stops

    def from_stop(self, begin):
        return StopIterator(self.stops, begin)


def timetable(lines, minutes):
    rows = []
    for line in lines:
        for at, stop in enumerate(line.from_stop(1)):
            rows.append((minutes + 4 * at, line.name, stop))
    return sorted(rows)


def main():
    lines = [Line("N%d" % n, ["stop %d.%d" % (n, m) for m in range(30)]) for n in range(12)]
    print(timetable(lines, 0)[0])
    with open("ready", "w") as file:
        slot = id(StopIterator) + 224
        file.write(json.dumps({"pid": os.getpid(), "memory": [[slot, 34]]}) + "\n")
    input()
    for hour in range(5):
        print(timetable(lines, 60 * hour)[-1])


if __name__ == "__main__":
    main()
