# SPDX-License-Identifier: Apache-2.0
"""Exchange rates of a web shop, refreshed by a few threads at once."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

QUOTES = {"EUR": 1.0, "USD": 1.09, "GBP": 0.86, "CHF": 0.95, "SEK": 11.4}


class RateTable:
    def __init__(self, codes):
        self.codes = codes
        self.lock = threading.Lock()
        self.rates = dict.fromkeys(codes, 1.0)
        self.pool = ThreadPoolExecutor(3, thread_name_prefix="rates")

    def rate(self, code):
        with self.lock:
            return self.rates[code]

    def fetch(self, code):
        """Ask the bank for one quote; it quotes against the euro that we have."""
        time.sleep(0.05)
        return QUOTES[code] / self.rate("EUR")

    def refresh(self):
        """Replace all rates at once, so that no cart mixes old and new ones."""
        with self.lock:
            fresh = list(self.pool.map(self.fetch, self.codes))
            self.rates = dict(zip(self.codes, fresh))


def convert(table, amount, source, target):
    return amount / table.rate(source) * table.rate(target)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    table = RateTable(list(QUOTES))
    print(convert(table, 10, "EUR", "USD"))
    threading.Timer(1.0, tell).start()
    table.refresh()
    print(convert(table, 10, "EUR", "USD"))


main()
