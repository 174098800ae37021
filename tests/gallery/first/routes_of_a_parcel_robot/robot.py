# SPDX-License-Identifier: Apache-2.0
"""A robot that puts parcels on shelves, and plugins that tell it where."""

from routes_of_a_parcel_robot import Router


class ShelfPlan:
    """What the office decides: from which number on which shelf is used."""

    def __init__(self, shelves, per_shelf=40):
        self.entries = [(shelf * per_shelf, f"shelf {shelf}") for shelf in range(shelves)]

    def change(self, first, shelf):
        self.entries = [(number, shelf if number == first else old) for number, old in self.entries]


class Plugin:
    name = ""

    def place(self, parcel):
        raise NotImplementedError


class HeavyPlugin(Plugin):
    name = "heavy"

    def place(self, parcel):
        return "floor" if parcel["kg"] > 30 else None


class NumberPlugin(Plugin):
    name = "number"

    def __init__(self, plan):
        self.plan = plan
        self.reload()

    def reload(self):
        self.router = Router(tuple(self.plan.entries))

    def place(self, parcel):
        return self.router.shelf(parcel["number"])


class Robot:
    def __init__(self, plugins):
        self.plugins = plugins
        self.placed = {}

    def put(self, parcel):
        for plugin in self.plugins:
            place = plugin.place(parcel)
            if place is not None:
                self.placed.setdefault(place, []).append(parcel["number"])
                return place
        return "hand"
