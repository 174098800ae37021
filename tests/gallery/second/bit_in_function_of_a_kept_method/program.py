# SPDX-License-Identifier: Apache-2.0
"""A lighthouse informs those who subscribed to its changes of state."""

import json
import os
import sys
from pathlib import Path

FUNCTION = 16
BIT = 2


class Logbook:
    def __init__(self, keeper):
        self.keeper = keeper
        self.entries = []

    def note(self, state):
        self.entries.append(f"{self.keeper}: {state}")


class Lighthouse:
    def __init__(self):
        self.subscribers = []

    def subscribe(self, subscriber):
        self.subscribers.append(subscriber)

    def change(self, state):
        for subscriber in self.subscribers:
            subscriber(state)


def main():
    lighthouse = Lighthouse()
    books = [Logbook(keeper) for keeper in ("Marit", "Enok", "Solveig", "Tord")]
    for book in books:
        lighthouse.subscribe(book.note)
    lighthouse.change("lit")
    kept = id(lighthouse.subscribers[2])
    told = {"pid": os.getpid(), "memory": [[kept + FUNCTION + 5, BIT]]}
    Path("ready").write_text(json.dumps(told) + "\n")
    sys.stdin.readline()
    lighthouse.change("dark")
    print([book.entries for book in books])


if __name__ == "__main__":
    main()
