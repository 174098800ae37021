# SPDX-License-Identifier: Apache-2.0
"""Counts the events of a smart building with handlers that were bound in advance."""

import collections
import functools
import json
import os
import sys

Event = collections.namedtuple("Event", "floor kind value")


def note(totals, kind, floor, value):
    totals[floor, kind] = totals.get((floor, kind), 0) + value
    return totals[floor, kind]


class Building:
    KINDS = ("door", "lift", "light", "heat", "water", "smoke")

    def __init__(self):
        self.totals = {}
        self.handlers = {kind: functools.partial(note, self.totals, kind) for kind in self.KINDS}

    def handle(self, event):
        return self.handlers[event.kind](event.floor, event.value)


def events(count):
    for number in range(count):
        yield Event(number % 9, Building.KINDS[number % 6], number % 100)


def main():
    building = Building()
    for event in events(3000):
        building.handle(event)
    watched = id(building.handlers["heat"])
    with open("ready", "w") as file:
        print(json.dumps({"pid": os.getpid(), "memory": [[watched + 16, 40]]}), file=file)
    sys.stdin.readline()
    for event in events(3000):
        building.handle(event)
    print(sum(building.totals.values()))


main()
