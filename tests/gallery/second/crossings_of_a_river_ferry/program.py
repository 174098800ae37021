# SPDX-License-Identifier: Apache-2.0
"""Keep the log of a river ferry; each morning the pilot asks for the day's sum."""

import json
import os
import sys
import threading


class Boat:
    __slots__ = ("name", "places", "draught")

    def __init__(self, name, places, draught):
        self.name, self.places, self.draught = name, places, draught


class Crossing:
    __slots__ = ("hour", "boat", "riders", "level")

    def __init__(self, hour, boat, riders, level):
        self.hour, self.boat, self.riders, self.level = hour, boat, riders, level

    def share(self):
        return self.riders / self.boat.places


class Log:
    def __init__(self):
        self.boats = {}
        self.crossings = []
        self._lock = threading.Lock()

    def boat(self, name, places, draught):
        return self.boats.setdefault(name, Boat(name, places, draught))

    def enter(self, hour, name, riders, level):
        boat = self.boat(name, *((40, 1.1) if name < "N" else (90, 1.6)))
        with self._lock:
            self.crossings.append(Crossing(hour, boat, riders, level))

    def fullest(self):
        with self._lock:
            return max(self.crossings, key=Crossing.share)


class GaugeReader(threading.Thread):
    def __init__(self):
        super().__init__(name="gauge", daemon=True)
        self.wake = threading.Event()

    def run(self):
        self.wake.wait()


def announce(crossing):
    """Tell where the record of a crossing lies: the bench may look at it."""
    with open("ready", "w") as file:
        place = id(crossing) + object.__basicsize__
        json.dump({"pid": os.getpid(), "memory": [[place, 43]]}, file)
        file.write("\n")


def main():
    log = Log()
    GaugeReader().start()
    for number in range(120):
        log.enter(6 + number % 14, ("Lore", "Nixe")[number % 2], number * 7 % 38, 2.4)
    announce(log.crossings[77])
    for _ in sys.stdin:
        best = log.fullest()
        print(best.hour, best.boat.name, best.riders, flush=True)
        break


if __name__ == "__main__":
    main()
