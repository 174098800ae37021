# SPDX-License-Identifier: Apache-2.0
"""Keeps the shelves of a parts store; pickers and an inspector work at the same time."""

import logging
import os
import threading
import time
from pathlib import Path

log = logging.getLogger("store")


class Shelf:
    def __init__(self, name, parts):
        self.name = name
        self.parts = parts
        self.guard = threading.Lock()

    def __str__(self):
        with self.guard:
            return f"{self.name}: {sum(self.parts.values())} parts of {len(self.parts)} kinds"

    def pick(self, kind, number):
        with self.guard:
            self.parts[kind] -= number
            time.sleep(0.4)  # the scale settles
            log.info("picked %d of %s from %s", number, kind, self.name)


def picker(shelf, orders):
    for kind, number in orders:
        shelf.pick(kind, number)


def inspector(shelves):
    while True:
        time.sleep(0.1)
        for shelf in shelves:
            log.info("inspected %s", shelf)


def main():
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s", filename="store.log"
    )
    bolts = Shelf("aisle 4", {"m6": 900, "m8": 700, "m10": 80})
    nuts = Shelf("aisle 5", {"m6": 400})
    hands = [
        threading.Thread(target=picker, args=(bolts, [("m6", 4), ("m8", 2)] * 9), name="picker"),
        threading.Thread(target=inspector, args=([bolts, nuts],), name="inspector"),
    ]
    for hand in hands:
        hand.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    hands[0].join()


if __name__ == "__main__":
    main()
