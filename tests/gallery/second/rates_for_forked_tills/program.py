# SPDX-License-Identifier: Apache-2.0
"""Exchange rates are refreshed in the background; each till is served by a process of its own."""

import multiprocessing
import os
import threading
import time


class Rates:
    def __init__(self):
        self.guard = threading.Lock()
        self.table = {"EUR": 1.0, "USD": 1.08, "CHF": 0.95}
        self.refreshing = threading.Event()

    def refresh(self):
        """Ask the bank for new rates; it takes a moment to answer."""
        with self.guard:
            self.refreshing.set()
            time.sleep(1.0)
            self.table["USD"] += 0.01

    def convert(self, amount, currency):
        with self.guard:
            return amount * self.table[currency]


def serve_till(number, rates):
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")
    total = 0.0
    for amount, currency in ((20, "USD"), (35, "CHF"), (12, "EUR")):
        total += rates.convert(amount, currency)
    print("till", number, total)


def main():
    rates = Rates()
    refresher = threading.Thread(target=rates.refresh, name="refresher")
    refresher.start()
    rates.refreshing.wait()
    till = multiprocessing.get_context("fork").Process(target=serve_till, args=(1, rates))
    till.start()
    refresher.join()
    print("rates refreshed", rates.convert(10, "USD"), flush=True)
    till.join()


main()
