# SPDX-License-Identifier: Apache-2.0
"""The rooms of a museum are moved slowly from their day to their night temperature."""

import json
from collections import Counter

import smoothing

FLOORS = ("cellar", "ground", "first", "attic")


def settings():
    """As the panel in the porter's lodge saves them."""
    rooms = [
        {"name": f"{floor}-{n:02}", "celsius": 18.5 + n % 4 / 8} for floor in FLOORS
        for n in range(30)
    ]  # fmt: skip
    rooms[77]["celsius"] = 21
    return json.dumps({"rooms": rooms, "night": 15.5, "share": 0.25})


class Museum:
    def __init__(self, text):
        told = json.loads(text)
        self.names = [room["name"] for room in told["rooms"]]
        self.celsius = [room["celsius"] for room in told["rooms"]]
        self.night = told["night"]
        self.share = told["share"]
        self.visits = Counter()
        self.log = json.dumps([number * number % 29 for number in range(400)])

    def step(self):
        smoothing.approach(self.celsius, self.night, self.share)

    def visitors(self):
        """The rooms that the counters at the doors saw, by number."""
        self.visits.update(json.loads(self.log))

    def report(self):
        busiest = self.visits.most_common(3)
        return {"spread": smoothing.spread(self.celsius), "busiest": busiest}


def main():
    museum = Museum(settings())
    for _ in range(24):
        museum.visitors()
    print(museum.report())
    for _ in range(8):
        museum.step()
        museum.visitors()
    print(museum.report())


main()
