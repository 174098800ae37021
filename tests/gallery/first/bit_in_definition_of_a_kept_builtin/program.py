# SPDX-License-Identifier: Apache-2.0
"""A ferry's journal that notes what passengers say; it waits for the next line of the bridge."""

import json
import os
import sys


class Journal:
    def __init__(self, ship):
        self.ship = ship
        self.entries = []
        self.note = self.entries.append

    def departure(self, hour, passengers):
        self.note((hour, self.ship, passengers))

    def summary(self):
        return sum(passengers for _, _, passengers in self.entries)


def await_bridge(journal):
    """Tell who we are and what is to be watched; return what the bridge says."""
    where = id(journal.note) + 2 * 8
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[where, 41]]}) + "\n")
    return sys.stdin.readline()


def main():
    journal = Journal("Seagull")
    for hour in range(6, 12):
        journal.departure(hour, 40 + hour * 3)
    await_bridge(journal)
    for hour in range(12, 20):
        journal.departure(hour, 90 - hour)
    print(journal.summary(), "passengers")


main()
