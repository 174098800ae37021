# SPDX-License-Identifier: Apache-2.0
"""Permits that were never given back; a reporter counts."""

import logging
import logging.handlers
import os
import queue
import threading
import time


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def start_logging(path="service.log"):
    records = queue.Queue(-1)
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(logging.handlers.QueueHandler(records))
    listener = logging.handlers.QueueListener(records, logging.FileHandler(path))
    listener.start()
    return listener


class Berths:
    def __init__(self, count):
        self.free, self.ships = threading.Semaphore(count), {}

    def enter(self, ship):
        self.free.acquire()
        self.ships[ship] = time.time()

    def leave(self, ship):
        if ship in self.ships:
            del self.ships[ship]

    def longest(self):
        return max(self.ships.values(), default=0)


def report(berths):
    while True:
        time.sleep(12)
        logging.info("longest %s", berths.longest())


def main():
    start_logging()
    berths = Berths(2)
    threading.Thread(target=report, args=(berths,), daemon=True, name="report").start()
    for ship in ("ada", "bea"):
        berths.enter(ship)
        berths.leave(ship)
    tell_ready()
    berths.enter("cleo")


if __name__ == "__main__":
    main()
