# SPDX-License-Identifier: Apache-2.0
"""A new marina makes a berth for each boat that may come, and knows how many that are."""

import os
from pathlib import Path


class Berth:
    def __init__(self, width):
        self.width = width
        self.boat = None
        self.notes = []


class Marina:
    def __init__(self, capacity):
        self.capacity = capacity
        self.berths = []

    def build(self):
        while len(self.berths) < self.capacity:
            self.berths.append(Berth(4))


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    for _ in range(40):
        marina = Marina(3_000_000)
        marina.build()
        print(len(marina.berths))


if __name__ == "__main__":
    main()
