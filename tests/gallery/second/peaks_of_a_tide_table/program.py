# SPDX-License-Identifier: Apache-2.0
"""A harbour office looks for the high waters of a day in the readings of its gauge."""

import array
import math

import tides


def readings(day):
    level = array.array("h")
    for quarter in range(96):
        hours = day * 24 + quarter / 4
        level.append(int(180 * math.sin(hours * math.tau / 12.42) + 20 * math.sin(hours)))
    return level


def high_waters(level):
    first = tides.peak(level)
    second = tides.peak(level, first + 24)
    return [(at // 4, at % 4 * 15, level[at]) for at in (first, second)]


def main():
    for day in range(14):
        for hour, minute, height in high_waters(readings(day)):
            print(f"day {day} {hour:02}:{minute:02} {height / 100:.2f} m")


main()
