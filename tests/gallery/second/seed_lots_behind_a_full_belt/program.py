# SPDX-License-Identifier: Apache-2.0
"""A seed bank computes how well lots germinate: readers fill a belt, one bench works it off."""

import logging
import os
import queue
import random
import threading
import time

log = logging.getLogger("seedbank")
LOTS = 20000
TRIALS = 4000


class Results:
    def __init__(self):
        self.lock = threading.Lock()
        self.finished = 0
        self.rates = []


class Bench(threading.Thread):
    """Holds the results while it works on a lot, so that nobody reads half a lot."""

    def __init__(self, belt, results):
        super().__init__(name="bench")
        self.belt = belt
        self.results = results
        self.trials_done = 0

    def simulate(self, lot, chance):
        dice = random.Random(lot)
        sprouted = 0
        for _ in range(TRIALS):
            if dice.random() < chance:
                sprouted += 1
            self.trials_done += 1
        return sprouted / TRIALS

    def run(self):
        while True:
            lot, chance = self.belt.get()
            if lot is None:
                return
            with self.results.lock:
                rate = self.simulate(lot, chance)
                self.results.rates.append(rate)
                self.results.finished += 1
            if self.results.finished % 100 == 0:
                log.info("%d of %d lots", self.results.finished, LOTS)


def read_lots(belt, first, step):
    """Read the lots of a cold chamber onto the belt; it is full most of the time."""
    for lot in range(first, LOTS, step):
        belt.put((lot, 0.55 + (lot % 40) / 100))


def publish(results):
    """The display in the hall; it may wait, the lots come first."""
    while True:
        with results.lock:
            mean = sum(results.rates) / len(results.rates) if results.rates else 0.0
        log.info("display: %.3f", mean)
        time.sleep(0.5)


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s: %(message)s")
    belt, results = queue.Queue(maxsize=3), Results()
    bench = Bench(belt, results)
    readers = [
        threading.Thread(target=read_lots, args=(belt, n, 2), name="chamber-%d" % n)
        for n in range(2)
    ]
    for thread in (bench, *readers):
        thread.start()
    threading.Thread(target=publish, args=(results,), name="display", daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for reader in readers:
        reader.join()
    belt.put((None, 0))
    bench.join()
    log.info("%d lots finished", results.finished)


if __name__ == "__main__":
    main()
