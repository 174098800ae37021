# SPDX-License-Identifier: Apache-2.0
"""Timetable service: tells at which of the asked minutes a bus of a line departs."""

import itertools
import os

LINES = {"7": (305, 20), "12": (310, 15), "N3": (1410, 30)}


def departs_at(line, minute):
    first, interval = LINES[line]
    return minute in itertools.count(first, interval)


def departures_among(line, minutes):
    return [minute for minute in minutes if departs_at(line, minute)]


def main():
    print(departures_among("7", [305, 345, 405]))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(departures_among("12", [325, 400, 412]))


main()
