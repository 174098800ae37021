# SPDX-License-Identifier: Apache-2.0
"""Wagons are moved between two shunting yards, by two crews in opposite directions."""

import json
import os
import threading
import time


class Yard:
    def __init__(self, name, wagons):
        self.name = name
        self.wagons = wagons
        self.points = threading.Lock()


class Crew(threading.Thread):
    def __init__(self, name, source, target):
        super().__init__(name=name, daemon=True)
        self.source, self.target = source, target
        self.moved = self.yielded = 0

    def move(self):
        """Move one wagon; step back when the other yard is in use for too long."""
        with self.source.points:
            time.sleep(0.03)
            if not self.target.points.acquire(timeout=0.08 + 0.01 * len(self.name)):
                self.yielded += 1
                return False
            try:
                if self.source.wagons:
                    self.target.wagons.append(self.source.wagons.pop())
                    self.moved += 1
                return True
            finally:
                self.target.points.release()

    def run(self):
        while True:
            self.move()
            time.sleep(0.02 * len(self.name))


def main():
    north, south = Yard("north", list(range(40))), Yard("south", list(range(100, 140)))
    crews = [Crew("day", north, south), Crew("night", south, north)]
    for crew in crews:
        crew.start()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    while True:
        time.sleep(2)
        print([(crew.name, crew.moved, crew.yielded) for crew in crews], flush=True)


main()
