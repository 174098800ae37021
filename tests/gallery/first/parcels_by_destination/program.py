# SPDX-License-Identifier: Apache-2.0
"""Drivers wait at one desk of a depot, each for parcels of a town."""

import collections
import os
import threading
import time


class Desk:
    def __init__(self):
        self.arrival = threading.Condition()
        self.shelves = collections.defaultdict(collections.deque)
        self.drivers_present = 0

    def collect(self, town):
        with self.arrival:
            self.drivers_present += 1
            while not self.shelves[town]:
                self.arrival.wait()
            self.drivers_present -= 1
            return self.shelves[town].popleft()

    def deliver(self, town, parcel):
        with self.arrival:
            self.shelves[town].append(parcel)
            self.arrival.notify()


class Driver(threading.Thread):
    def __init__(self, desk, town):
        super().__init__(name="driver-" + town)
        self.desk, self.town, self.loaded = desk, town, []

    def run(self):
        self.loaded.append(self.desk.collect(self.town))


def main():
    desk = Desk()
    drivers = {}
    for number, town in enumerate(("arnhem", "breda"), 1):
        drivers[town] = Driver(desk, town)
        drivers[town].daemon = True
        drivers[town].start()
        while desk.drivers_present < number:
            time.sleep(0.01)
    desk.deliver("breda", {"id": 4711, "kilos": 3.5})
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    drivers["breda"].join()
    print(drivers["breda"].loaded)


main()
