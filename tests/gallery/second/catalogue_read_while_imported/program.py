# SPDX-License-Identifier: Apache-2.0
"""The catalogue of a shop: many lookups at a time, or one import of a supplier's list."""

import os
import threading


class SharedLock:
    def __init__(self):
        self.changed = threading.Condition()
        self.readers = 0
        self.writing = False

    def acquire_read(self):
        with self.changed:
            self.changed.wait_for(lambda: not self.writing)
            self.readers += 1

    def release_read(self):
        with self.changed:
            self.readers -= 1
            self.changed.notify_all()

    def acquire_write(self):
        with self.changed:
            self.changed.wait_for(lambda: not self.writing and self.readers == 0)
            self.writing = True

    def release_write(self):
        with self.changed:
            self.writing = False
            self.changed.notify_all()


class Catalogue:
    def __init__(self):
        self.lock = SharedLock()
        self.prices = {"bolt": 12, "nut": 4, "washer": 2}

    def price(self, article):
        self.lock.acquire_read()
        price = self.prices[article]
        self.lock.release_read()
        return price

    def import_list(self, prices):
        self.lock.acquire_write()
        self.prices.update(prices)
        self.lock.release_write()


def answer(catalogue, articles):
    for article in articles:
        try:
            print(article, catalogue.price(article))
        except KeyError:
            print(article, "is not sold here")


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    catalogue = Catalogue()
    clerks = [
        threading.Thread(target=answer, args=(catalogue, articles))
        for articles in (["bolt", "nut"], ["nut", "screw", "bolt"], ["washer"])
    ]
    for clerk in clerks:
        clerk.start()
    for clerk in clerks:
        clerk.join()
    threading.Timer(0.8, tell).start()
    catalogue.import_list({"bolt": 13, "screw": 3})
    answer(catalogue, ["screw"])


main()
