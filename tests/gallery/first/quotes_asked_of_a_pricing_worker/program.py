# SPDX-License-Identifier: Apache-2.0
"""Quotes are computed by a pricing worker; the desk asks and waits for each of them."""

import os
import queue
import threading
import time


class Quote:
    def __init__(self, article, pieces):
        self.article = article
        self.pieces = pieces
        self.changed = threading.Condition()
        self.price = None

    def settle(self, price):
        with self.changed:
            self.price = price
            self.changed.notify_all()

    def outcome(self):
        with self.changed:
            self.changed.wait()
            return self.price


class PricingWorker(threading.Thread):
    def __init__(self, prices):
        super().__init__(name="pricing", daemon=True)
        self.prices = prices
        self.orders = queue.Queue()

    def run(self):
        while True:
            quote = self.orders.get()
            quote.settle(self.prices[quote.article] * quote.pieces)


class Desk:
    def __init__(self, worker, journal):
        self.worker = worker
        self.journal = journal

    def ask(self, article, pieces):
        quote = Quote(article, pieces)
        self.worker.orders.put(quote)
        self.note(quote)
        return quote.outcome()

    def note(self, quote):
        with open(self.journal, "a") as file:
            file.write(f"{time.time():.3f} {quote.article} {quote.pieces}\n")
        time.sleep(0.05)


def main():
    worker = PricingWorker({"hinge": 240, "bolt": 12, "lock": 1900})
    worker.start()
    desk = Desk(worker, "quotes.txt")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    total = 0
    for article, pieces in [("hinge", 4), ("bolt", 200), ("lock", 2)]:
        total += desk.ask(article, pieces)
    print(total)


main()
