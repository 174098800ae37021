# SPDX-License-Identifier: Apache-2.0
"""The counter of a parcel post: weighs parcels and says what they cost."""

import os
import queue
import threading
import time
from dataclasses import dataclass


@dataclass
class Parcel:
    zone: str
    kilograms: int
    extras: tuple = ()


class Scale(threading.Thread):
    """Hands over the parcels that lie on it."""

    def __init__(self, parcels):
        super().__init__(name="scale", daemon=True)
        self.weighed = queue.Queue(4)
        self._parcels = parcels

    def run(self):
        for parcel in self._parcels:
            time.sleep(0.05)
            self.weighed.put(parcel)


class Counter:
    def __init__(self, scale):
        self.scale = scale
        self.takings = 0

    def serve(self, customers):
        for _ in range(customers):
            parcel = self.scale.weighed.get()
            self.takings += self.price(parcel)

    @staticmethod
    def price(parcel):
        from tariffs import TABLE

        return TABLE.price(parcel.zone, parcel.kilograms, *parcel.extras)


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    parcels = [Parcel("B", 2), Parcel("D", 5, ("bulky",)), Parcel("A", 1, ("fragile",))] * 4
    scale = Scale(parcels)
    scale.start()
    threading.Timer(1.2, announce).start()
    counter = Counter(scale)
    counter.serve(len(parcels))
    print(counter.takings)


if __name__ == "__main__":
    main()
