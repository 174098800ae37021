# SPDX-License-Identifier: Apache-2.0
"""Yachts that wait for a berth stand in a queue; they come at one end and leave at the other."""

import collections
import json
import os


class Harbour:
    def __init__(self, berths):
        self.berths = {number: None for number in range(berths)}
        self.waiting = collections.deque()
        self.history = []

    def arrive(self, yacht):
        self.waiting.append({"yacht": yacht, "turn": len(self.history)})

    def berth(self):
        for number, yacht in self.berths.items():
            if yacht is None and self.waiting:
                self.berths[number] = self.waiting.popleft()["yacht"]
                self.history.append((number, self.berths[number]))

    def sail(self, number):
        self.berths[number] = None


def day(harbour, names):
    for name in names:
        harbour.arrive(name)
    for number in range(4):
        harbour.sail(number)
    harbour.berth()
    return len(harbour.waiting)


def main():
    harbour = Harbour(12)
    print(day(harbour, [f"yacht {n}" for n in range(90)]), flush=True)
    with open("ready", "w") as file:
        told = {"pid": os.getpid(), "memory": [[id(harbour.waiting) + 32, 43]]}
        file.write(json.dumps(told) + "\n")
    input()
    print(day(harbour, [f"ketch {n}" for n in range(90)]), flush=True)


main()
