# SPDX-License-Identifier: Apache-2.0
"""Enter the parcels of a seed library, then throw away what is too old."""

import logging
import os
import queue
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from holdings import Holdings

log = logging.getLogger("seeds")


class Desk(threading.Thread):
    """Enters the parcels in the order in which they come."""

    def __init__(self, holdings):
        super().__init__(name="desk", daemon=True)
        self.holdings = holdings
        self.parcels = queue.Queue()
        self.faulty = []

    def run(self):
        while True:
            sender, lots = self.parcels.get()
            try:
                self.holdings.enter(lots)
                log.info("%s: %d lots", sender, len(lots))
            except ValueError as reason:
                log.warning("%s sent back: %s", sender, reason)
                self.faulty.append(sender)
            finally:
                self.parcels.task_done()


PARCELS = [
    ("Meier", [("rye", 120, 2024), ("oats", 80, 2023)]),
    ("Lund", [("lupin", 15.5, 2019), ("vetch", "a handful", 2020)]),
]


def announce(seconds):
    time.sleep(seconds)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    logging.basicConfig(level=logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Holdings(os.path.join(folder, "seeds.db")))
        desk.start()
        for parcel in PARCELS:
            desk.parcels.put(parcel)
        desk.parcels.join()
        with ThreadPoolExecutor(2, "keeper") as keepers:
            keepers.submit(announce, 1.0)
            old = keepers.submit(desk.holdings.discard, 2015)
            log.info("%d old lots", old.result())


if __name__ == "__main__":
    main()
