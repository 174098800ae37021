# SPDX-License-Identifier: Apache-2.0
"""A bird observatory sums up the headings of its ringed birds, per species and night."""

import array
import logging
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bearing

log = logging.getLogger("headings")
SPECIES = {"robin": 225.0, "blackcap": 210.0, "knot": 40.0, "brent goose": 75.0}


class Night:
    def __init__(self, date, seed):
        chance = random.Random(seed)
        self.date = date
        self.headings = {
            name: array.array("d", (chance.gauss(mean, 20.0) % 360 for _ in range(200)))
            for name, mean in SPECIES.items()
        }

    def calibrate(self):
        """The receiver's test tone is heard from all four masts."""
        self.headings["test tone"] = array.array("d", [0.0, 90.0, 180.0, 270.0])


class Report:
    def __init__(self):
        self.lines = []

    def add(self, night):
        for species, headings in night.headings.items():
            try:
                mean = bearing.mean(headings)
            except ValueError as error:
                self.lines.append((night.date, species, None))
                log.warning("%s %s: %s", night.date, species, error)
                continue
            self.lines.append((night.date, species, mean))
            log.info("%s %-12s %5.1f", night.date, species, mean)


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    report = Report()
    for day in range(1, 6):
        night = Night("2024-09-%02d" % day, day)
        if day == 4:
            night.calibrate()
        report.add(night)
    log.info("%d lines", len(report.lines))


main()
