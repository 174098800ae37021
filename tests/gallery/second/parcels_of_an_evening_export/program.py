# SPDX-License-Identifier: Apache-2.0
"""Exports the parcels of the evening; a few threads deliver them to the depots."""

import json
import os
import queue
import threading
import time
from pathlib import Path

DEPOTS = ["north", "south", "harbour"]
STOP = object()


class Deliverer(threading.Thread):
    def __init__(self, depot, parcels):
        super().__init__(name=f"deliver-{depot}")
        self.depot = depot
        self.parcels = parcels
        self.delivered = 0

    def run(self):
        while True:
            parcel = self.parcels.get()
            if parcel is STOP:
                break
            self.deliver(parcel)

    def deliver(self, parcel):
        json.dumps({"depot": self.depot, **parcel})
        time.sleep(0.001)
        self.delivered += 1


def export(count):
    parcels = queue.Queue(maxsize=50)
    crew = [Deliverer(depot, parcels) for depot in DEPOTS]
    for deliverer in crew:
        deliverer.start()
    for number in range(count):
        parcels.put({"number": number, "grams": number * 37 % 5000})
    parcels.put(STOP)
    while sum(each.delivered for each in crew) < count:
        time.sleep(0.02)
    return crew


if __name__ == "__main__":
    done = export(600)
    print("exported", {each.depot: each.delivered for each in done}, flush=True)
    Path("ready").write_text(f"{os.getpid()}\n")
