# SPDX-License-Identifier: Apache-2.0
"""Exact Bernoulli numbers for a table; askers wait for the lock of the table while it grows."""

import json
import os
import threading
from fractions import Fraction


class Table:
    """Numbers by index, by the scheme of Akiyama and Tanigawa; a row is kept to go on from."""

    def __init__(self):
        self.lock = threading.RLock()
        self.row = []
        self.numbers = []

    def extend(self):
        m = len(self.numbers)
        self.row.append(Fraction(1, m + 1))
        for j in range(m, 0, -1):
            self.row[j - 1] = j * (self.row[j - 1] - self.row[j])
        self.numbers.append(self.row[0])

    def number(self, index):
        with self.lock:
            while len(self.numbers) <= index:
                self.extend()
            return self.numbers[index]


class Asker(threading.Thread):
    def __init__(self, table, index, told):
        super().__init__(name=f"asker-{index}", daemon=True)
        self.table, self.index, self.told = table, index, told

    def run(self):
        value = self.table.number(self.index)
        self.told.append((self.index, value.numerator.bit_length()))


class Keeper(threading.Thread):
    """Makes the table long enough for the year, before anybody may see it."""

    def __init__(self, table, wanted, holds):
        super().__init__(name="keeper", daemon=True)
        self.table, self.wanted, self.holds = table, wanted, holds

    def run(self):
        with self.table.lock:
            self.holds.set()
            for index in range(0, self.wanted, 5):
                self.table.number(index)
                if index % 100 == 0:
                    print("table has", len(self.table.numbers), "numbers", flush=True)


def main():
    table, holds, told = Table(), threading.Event(), []
    keeper = Keeper(table, 4000, holds)
    keeper.start()
    holds.wait()
    askers = [Asker(table, index, told) for index in (12, 60, 240)]
    for asker in askers:
        asker.start()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    for asker in askers:
        asker.join()
    print(told, flush=True)


main()
