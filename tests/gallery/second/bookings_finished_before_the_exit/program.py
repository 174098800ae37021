# SPDX-License-Identifier: Apache-2.0
"""Booking service: told to end, it takes no new requests and lets the running ones finish."""

import os
import queue
import signal
import threading
import time

ENDING = threading.Event()


class Desk:
    """Workers that price itineraries."""

    def __init__(self, workers):
        self.requests = queue.Queue()
        self.priced = 0
        self.busy = threading.Event()
        self.workers = [
            threading.Thread(target=self.serve, name="desk-%d" % number, daemon=True)
            for number in range(workers)
        ]
        for worker in self.workers:
            worker.start()

    def serve(self):
        while True:
            legs = self.requests.get()
            if legs is None:
                return
            self.busy.set()
            self.price(legs)

    def price(self, legs):
        best = None
        for fare in range(legs * 4000000):
            cost = (fare * 7919 + legs) % 100003
            best = cost if best is None or cost < best else best
        self.priced += 1
        return best

    def drain(self, patience):
        deadline = time.monotonic() + patience
        for _ in self.workers:
            self.requests.put(None)
        for worker in self.workers:
            worker.join(timeout=max(0.0, deadline - time.monotonic()))
        return self.priced


def main():
    signal.signal(signal.SIGTERM, lambda number, frame: ENDING.set())
    desk = Desk(3)
    desk.requests.put(90)
    desk.busy.wait()
    os.kill(os.getpid(), signal.SIGTERM)
    ENDING.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print("priced", desk.drain(patience=300.0))


main()
