# SPDX-License-Identifier: Apache-2.0
"""A dyer's colour service: mixtures are searched in a pool whose jobs take an hour each."""

import concurrent.futures
import itertools
import math
import os
import threading
import time

import pigments


class Dyehouse:
    def __init__(self, vats):
        self.pool = concurrent.futures.ThreadPoolExecutor(vats, thread_name_prefix="vat")
        self.tried = itertools.count()
        self.begun = threading.Semaphore(0)

    def search(self, wanted, until):
        """Return the mixture nearest to a colour; every mixture of four pigments is tried."""
        self.begun.release()
        best, mixture = math.inf, None
        while time.monotonic() < until:
            for parts in itertools.product(range(12), repeat=4):
                next(self.tried)
                distance = pigments.distance(pigments.mix(parts), wanted)
                if distance < best:
                    best, mixture = distance, parts
                if time.monotonic() >= until:
                    break
        return mixture, best

    def order(self, tapestry, wanted, seconds):
        future = self.pool.submit(self.search, wanted, time.monotonic() + seconds)
        future.tapestry = tapestry
        return future


def main():
    house = Dyehouse(2)
    sample = house.order("sample", (120, 40, 60), 0.2)
    print("sample:", sample.result(), flush=True)
    house.begun.acquire()
    orders = [
        house.order("The Lady and the Heron", (30, 90, 160), 3600),
        house.order("Hunt at Dawn", (210, 170, 90), 3600),
        house.order("Orchard", (60, 140, 70), 3600),
        house.order("Siege", (90, 20, 20), 3600),
    ]
    house.begun.acquire()
    house.begun.acquire()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for future in concurrent.futures.as_completed(orders):
        mixture, distance = future.result()
        print(future.tapestry, mixture, round(distance, 2), flush=True)


if __name__ == "__main__":
    main()
