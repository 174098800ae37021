# SPDX-License-Identifier: Apache-2.0
"""A lock that lives in a multiprocessing manager is taken twice by one caller: it waits for the
manager's answer, and the manager waits for the caller.
"""

import multiprocessing
import os
import threading


class Warehouse:
    def __init__(self, manager):
        self.guard = manager.Lock()
        self.stock = manager.dict({"lamp": 4, "desk": 2})
        self.journal = manager.list()

    def reserve(self, article, amount):
        with self.guard:
            self.stock[article] -= amount
            self.record_entry("reserved", article, amount)

    def record_entry(self, what, article, amount):
        with self.guard:
            self.journal.append((what, article, amount))


def place_order(warehouse, basket):
    for article, amount in basket.items():
        warehouse.reserve(article, amount)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        warehouse = Warehouse(manager)
        threading.Timer(0.5, tell).start()
        place_order(warehouse, {"lamp": 1, "desk": 1})


if __name__ == "__main__":
    main()
