# SPDX-License-Identifier: Apache-2.0
"""The till computer of a filling station: pumps report litres, SIGUSR1 prints the day's figures."""

import logging
import os
import queue
import random
import signal
import threading
import time
from collections import defaultdict

log = logging.getLogger("station")


class DayBook:
    """Litres and money by the kind of fuel."""

    def __init__(self):
        self.guard = threading.Lock()
        self.litres = defaultdict(float)
        self.cents = defaultdict(int)
        self.sales = 0

    def enter(self, fuel, litres, cents):
        with self.guard:
            self.litres[fuel] += litres
            self.cents[fuel] += cents
            self.sales += 1

    def close_month(self, printer):
        """Print all and begin anew; nobody may enter a sale meanwhile."""
        with self.guard:
            for fuel in sorted(self.litres):
                printer.line(f"{fuel:10} {self.litres[fuel]:10.2f} {self.cents[fuel]:8}")
            self.litres.clear()
            self.cents.clear()
            self.sales = 0

    def figures(self):
        with self.guard:
            return {fuel: (self.litres[fuel], self.cents[fuel]) for fuel in self.litres}


class ReceiptPrinter:
    """Prints a line in a tenth of a second."""

    def __init__(self, path):
        self.paper = open(path, "a", encoding="utf-8")

    def line(self, text):
        self.paper.write(text + "\n")
        self.paper.flush()
        time.sleep(0.1)


class Pump(threading.Thread):
    """Reports a sale now and then."""

    def __init__(self, number, sales):
        super().__init__(name=f"pump-{number}", daemon=True)
        self.chance = random.Random(number)
        self.sales = sales

    def run(self):
        while True:
            litres = self.chance.uniform(5, 60)
            self.sales.put(("diesel" if self.chance.random() < 0.5 else "super", litres))
            time.sleep(self.chance.uniform(0.02, 0.2))


class Clerk(threading.Thread):
    PRICES = {"diesel": 161, "super": 174}

    def __init__(self, sales, book):
        super().__init__(name="clerk", daemon=True)
        self.sales = sales
        self.book = book

    def run(self):
        while True:
            fuel, litres = self.sales.get()
            self.book.enter(fuel, litres, int(litres * self.PRICES[fuel]))


class Station:
    def __init__(self):
        self.book = DayBook()
        self.sales = queue.Queue()
        self.printer = ReceiptPrinter("receipts.txt")

    def on_figures_wanted(self, _number, _frame):
        for fuel, (litres, cents) in self.book.figures().items():
            log.warning("%s %.1f l %d ct", fuel, litres, cents)

    def open(self):
        signal.signal(signal.SIGUSR1, self.on_figures_wanted)
        for number in range(3):
            Pump(number, self.sales).start()
        Clerk(self.sales, self.book).start()

    def month(self):
        while True:
            time.sleep(0.5)
            self.book.close_month(self.printer)


def headquarters(pid):
    """The head office asks for the figures of the day."""
    time.sleep(0.6)
    with open("ready", "w") as told:
        told.write(f"{pid}\n")
    for pause in (0.25, 0.25, 0.25, 0.25):
        os.kill(pid, signal.SIGUSR1)
        time.sleep(pause)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    station = Station()
    station.open()
    threading.Thread(target=headquarters, args=(os.getpid(),), name="hq", daemon=True).start()
    station.month()
