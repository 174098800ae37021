# SPDX-License-Identifier: Apache-2.0
"""Boats of a simulated regatta line up and start on the gun."""

import os
import random
import threading
import time
from functools import partial


class StartLine:
    def __init__(self):
        self.gun = threading.Event()
        self.started = {}

    def fire(self):
        self.gun.set()
        self.gun.clear()

    def line_up(self, boat, rowing_up):
        time.sleep(rowing_up)
        self.gun.wait()
        self.started[boat] = time.monotonic()


def race(line, boat, rowing_up, results):
    line.line_up(boat, rowing_up)
    dice = random.Random(boat)
    time.sleep(0.1 + dice.random() / 5)
    results.append((time.monotonic() - line.started[boat], boat))


def main():
    line, results = StartLine(), []
    way_to_the_start = {"Heron": 0.1, "Otter": 0.2, "Grebe": 0.15, "Mallard": 0.7}
    crews = [
        threading.Thread(target=partial(race, line, boat, way, results), name=boat)
        for boat, way in way_to_the_start.items()
    ]
    for crew in crews:
        crew.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(0.5)
    line.fire()
    for crew in crews:
        crew.join()
    for place, (seconds, boat) in enumerate(sorted(results), 1):
        print(place, boat, round(seconds, 2))


if __name__ == "__main__":
    main()
