# SPDX-License-Identifier: Apache-2.0
"""A signal box keeps its roster as tuples; a bit of an item of one of them is flipped."""

import ctypes
import json
import os
import sys
from typing import NamedTuple

ITEMS = 24  # offset of a tuple's first item


class Watch(NamedTuple):
    signaller: str
    box: str
    begins: int
    ends: int
    relief: str


class Roster:
    def __init__(self, boxes):
        self.boxes = boxes
        self.watches = []

    def plan(self, weeks):
        names = [f"signaller {letter}" for letter in "ABCDEFGHKLM"]
        for week in range(weeks):
            for number, box in enumerate(self.boxes):
                first = names[(week + number) % len(names)]
                second = names[(week + 3 * number + 1) % len(names)]
                start = week * 10080 + number * 480
                self.watches.append(Watch(first, box, start, start + 480, f"{second}, {box}"))

    def hours(self):
        total = {}
        for watch in self.watches:
            total[watch.signaller] = total.get(watch.signaller, 0) + watch.ends - watch.begins
        return total

    def reliefs(self):
        return sorted({watch.relief.title() for watch in self.watches})


def main():
    roster = Roster([f"box {name}" for name in ("north", "yard", "junction", "bridge", "south")])
    roster.plan(52)
    print(sum(roster.hours().values()))
    victim = roster.watches[137]
    relief = id(victim) + ITEMS + 8 * victim._fields.index("relief")
    assert ctypes.c_void_p.from_address(relief).value == id(victim.relief)
    with open("ready", "w") as file:
        # Bit 36 of the pointer to the text.
        file.write(json.dumps({"pid": os.getpid(), "memory": [[relief, 36]]}) + "\n")
    sys.stdin.readline()
    print(sum(roster.hours().values()))
    print(len(roster.reliefs()))


main()
