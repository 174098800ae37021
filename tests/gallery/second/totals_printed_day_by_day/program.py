# SPDX-License-Identifier: Apache-2.0
"""A nightly job prints a line and a chart for each day; every day has a log of its own."""

import io
import sys


class DayLog:
    """The screen, with a log of one day beside it."""

    __slots__ = ("day", "log", "screen")

    def __init__(self, screen, day):
        self.screen, self.day = screen, day
        self.log = io.StringIO()

    def __getattr__(self, name):
        return getattr(self.screen, name)

    def note(self, text):
        self.log.write(text)


class Totals:
    def __init__(self, day):
        self.day = day
        self.bars = []

    def __str__(self):
        if sys.stdout.day != self.day:
            sys.stdout = DayLog(sys.__stdout__, self.day)
        self.bars = [b"#" * (branch * (self.day + 3) % 90) for branch in range(9000)]
        sys.stdout.note(f"{len(self.bars)} branches")
        return f"day {self.day}: {sum(map(len, self.bars))} euros"


def main():
    sys.stdout = DayLog(sys.__stdout__, 0)
    kept = []
    for day in range(60):
        totals = Totals(day)
        kept.append(totals)
        print(totals, "of", len(kept), "days", sep=" | ")
    sys.stdout.flush()


main()
