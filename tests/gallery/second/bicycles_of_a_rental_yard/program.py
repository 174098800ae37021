# SPDX-License-Identifier: Apache-2.0
"""A load test of a bicycle yard: twelve counters lend and take back, one at a time."""

import collections
import os
import random
import threading
import time


class Yard:
    def __init__(self, bicycles):
        self._lock = threading.RLock()
        self._free = collections.deque(bicycles)
        self._journal = []
        self.lent = 0

    def _note(self, *entry):
        with self._lock:
            self._journal.append(entry)
            if len(self._journal) >= 20:
                self._write_journal()

    def _write_journal(self):
        with open("yard.journal", "a") as file:
            for entry in self._journal:
                file.write(" ".join(map(str, entry)) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._journal.clear()

    def lend(self, counter):
        with self._lock:
            bicycle = self._free.popleft()
            time.sleep(0.004)  # the chip of the lock is written
            self._note("out", counter, bicycle)
            self.lent += 1
        return bicycle

    def take_back(self, counter, bicycle):
        with self._lock:
            self._free.append(bicycle)
            time.sleep(0.002)
            self._note("in", counter, bicycle)


def counter(yard, number, days):
    dice = random.Random(number)
    for _ in range(days * 100):
        bicycle = yard.lend(number)
        time.sleep(dice.random() / 100)
        yard.take_back(number, bicycle)


def main():
    yard = Yard(range(100, 160))
    counters = [
        threading.Thread(target=counter, args=(yard, number, 30), name=f"counter-{number}")
        for number in range(12)
    ]
    for each in counters:
        each.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for each in counters:
        each.join()
    print(yard.lent, "lent")


main()
