# SPDX-License-Identifier: Apache-2.0
"""Departures of an airport in local time, shown again each minute on the boards of the hall."""

import datetime
import json
import os

HOURS = {"Lisbon": 0, "Oslo": 1, "Athens": 2, "Dubai": 4, "Delhi": 5}


class Departure:
    def __init__(self, number, goal, zone):
        self.number = number
        self.goal = goal
        minutes = datetime.timedelta(minutes=7 * number)
        self.leaves = datetime.datetime(2026, 5, 4, 5, 0, tzinfo=zone) + minutes

    def line(self):
        return f"{self.leaves.isoformat()} {self.goal}"


class Board:
    def __init__(self):
        self.departures = []

    def plan(self, count):
        zones = {
            goal: datetime.timezone(datetime.timedelta(hours=hours), goal)
            for goal, hours in HOURS.items()
        }
        for number in range(count):
            goal = sorted(HOURS)[number % len(HOURS)]
            self.departures.append(Departure(number, goal, zones[goal]))

    def show(self):
        return max(self.departures, key=lambda each: each.leaves.utctimetuple()).line()


def main():
    board = Board()
    board.plan(150)
    print(board.show(), flush=True)
    place = id(board.departures[97].leaves) + 40
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 33]]}) + "\n")
    input()
    for minute in range(5):
        print(minute, board.show(), flush=True)


main()
