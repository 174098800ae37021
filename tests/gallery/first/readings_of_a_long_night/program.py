# SPDX-License-Identifier: Apache-2.0
"""A weather station gathers a night's readings in an array and averages them in the morning."""

import array
import json
import os


class Station:
    def __init__(self, name):
        self.name = name
        self.readings = array.array("d")

    def record(self, minutes):
        for minute in range(minutes):
            self.readings.append(11.5 - minute / 300)

    def average(self):
        total = 0.0
        for number in range(len(self.readings)):
            total += self.readings[number]
        return total / len(self.readings)


def main():
    station = Station("north ridge")
    station.record(60000)
    print(station.average())
    with open("ready", "w") as file:
        told = {"pid": os.getpid(), "memory": [[id(station.readings) + 24, 35]]}
        file.write(json.dumps(told) + "\n")
    input()
    print(station.name, station.average())


main()
