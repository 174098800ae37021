# SPDX-License-Identifier: Apache-2.0
"""A courier waits on a condition while it still holds the depot's lock; whoever would notify it
needs the depot's lock first.
"""

import os
import threading
import time


class Parcels:
    def __init__(self):
        self.changed = threading.Condition()
        self.waiting = []

    def take(self):
        with self.changed:
            while not self.waiting:
                self.changed.wait()
            return self.waiting.pop()

    def add(self, parcel):
        with self.changed:
            self.waiting.append(parcel)
            self.changed.notify()


class Depot:
    def __init__(self):
        self.lock = threading.Lock()
        self.parcels = Parcels()
        self.sent = 0

    def dispatch_next(self):
        with self.lock:
            parcel = self.parcels.take()
            self.sent += 1
            return parcel

    def deliver_to_depot(self, parcel):
        with self.lock:
            self.parcels.add(parcel)


def courier(depot):
    while True:
        depot.dispatch_next()


def unload_truck(depot):
    for number in range(3):
        depot.deliver_to_depot(f"parcel {number}")


def main():
    depot = Depot()
    threading.Thread(target=courier, args=(depot,), name="courier").start()
    time.sleep(0.2)
    trucks = [
        threading.Thread(target=unload_truck, args=(depot,), name=f"truck-{n}") for n in range(2)
    ]
    for truck in trucks:
        truck.start()
    time.sleep(0.2)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for truck in trucks:
        truck.join()


main()
