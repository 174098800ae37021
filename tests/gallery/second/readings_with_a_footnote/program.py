# SPDX-License-Identifier: Apache-2.0
"""Readings of a laboratory come as CSV; a source that can look ahead joins footnotes to rows."""

import csv
import statistics
from collections import defaultdict


class Source:
    """Lines of a file with footnotes; what follows a line that ends in `+` belongs to it."""

    def __init__(self, lines):
        self.lines = iter(lines)
        self.reader = None
        self.footnotes = {}
        self.number = 0

    def __iter__(self):
        return self

    def __next__(self):
        line = next(self.lines)
        self.number += 1
        if line.endswith("+"):
            note = next(self.reader)
            self.footnotes[self.number] = note[0]
            line = line[:-1]
        return line


class Laboratory:
    def __init__(self):
        self.by_probe = defaultdict(list)
        self.notes = []

    def read(self, lines):
        source = Source(lines)
        source.reader = csv.reader(source, delimiter=";")
        for probe, _, value, _ in source.reader:
            self.by_probe[probe].append(float(value))
        self.notes.append(source.footnotes)

    def outliers(self):
        found = []
        for probe, values in self.by_probe.items():
            mean, deviation = statistics.mean(values), statistics.pstdev(values)
            found += [(probe, value) for value in values if abs(value - mean) > 2.5 * deviation]
        return found


def day(number, annotated):
    for hour in range(24):
        for probe in ("pH", "O2", "Cl", "turbidity"):
            value = 7 + (number * 31 + hour * 17 + len(probe)) % 23 / 10
            line = f"{probe};{number:03}-{hour:02};{value:.2f};ok"
            if annotated and hour == 13 and probe == "Cl":
                yield line + "+"
                yield "sampled after the flushing;;;"
            else:
                yield line


def main():
    laboratory = Laboratory()
    for number in range(60):
        laboratory.read(day(number, annotated=number == 41))
    print(len(laboratory.outliers()), "outliers")
    print(sum(map(len, laboratory.notes)), "notes")


main()
