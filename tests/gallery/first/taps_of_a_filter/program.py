# SPDX-License-Identifier: Apache-2.0
"""Smooths the readings of weather stations with a compiled filter for each of them."""

import smoothing


class Station:
    def __init__(self, number):
        self.number = number
        self.readings = [12.5 + (number * k) % 11 for k in range(20)]


def set_up(count):
    stations = []
    for number in range(count):
        stations.append((Station(number), smoothing.smoother(8), [number], [number + 1]))
    return stations


def smooth(stations):
    return [smoothing.feed(smoother, each.readings) for each, smoother, *_ in stations]


def history(days):
    return {day: [[day, hour, day * hour % 7] for hour in range(24)] for day in range(days)}


def main():
    stations = set_up(400)
    smoothed = smooth(stations[200:203])
    print(max(smoothed), flush=True)
    kept = history(400)
    print(len(kept), sum(len(rows) for rows in kept.values()), flush=True)


main()
