# SPDX-License-Identifier: Apache-2.0
"""Departures of trains, told with the names of their stations."""

import json
import os


class Timetable:
    def __init__(self, stations):
        self.stations = stations
        self.trains = [(n, n * 7 % len(stations), 5 + n % 50) for n in range(900)]

    def line(self, train):
        number, station, minute = train
        return f"{number:>5} {self.stations[station]:<48} {minute:02}"

    def board(self):
        return "\n".join(self.line(train) for train in self.trains)


def main():
    stations = [
        " ".join(("north", "station", "of the town", str(n), "upper platform")) for n in range(60)
    ]
    table = Timetable(stations)
    print(len(table.board()), flush=True)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(stations[41]) + 32, 5]]}) + "\n")
    input()
    for hour in range(3):
        print(hour, len(table.board()), flush=True)


main()
