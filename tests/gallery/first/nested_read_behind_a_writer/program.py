# SPDX-License-Identifier: Apache-2.0
"""A hand-written lock lets no reader in while a writer waits. A reader that already reads asks
to read again: it waits for the writer, which waits for it.
"""

import contextlib
import os
import threading
import time


class ReadWriteLock:
    def __init__(self):
        self.condition = threading.Condition()
        self.readers, self.writers_waiting, self.writing = 0, 0, False

    @contextlib.contextmanager
    def read(self):
        with self.condition:
            while self.writing or self.writers_waiting:
                self.condition.wait()
            self.readers += 1
        try:
            yield
        finally:
            with self.condition:
                self.readers -= 1
                self.condition.notify_all()

    @contextlib.contextmanager
    def write(self):
        with self.condition:
            self.writers_waiting += 1
            while self.writing or self.readers:
                self.condition.wait()
            self.writers_waiting -= 1
            self.writing = True
        try:
            yield
        finally:
            with self.condition:
                self.writing = False
                self.condition.notify_all()


class Inventory:
    def __init__(self):
        self.guard = ReadWriteLock()
        self.stock = {"lamp": 4, "desk": 2}

    def stock_of(self, article):
        with self.guard.read():
            return self.stock[article]

    def report(self):
        with self.guard.read():
            articles = list(self.stock)
            time.sleep(0.4)
            return {article: self.stock_of(article) for article in articles}

    def receive(self, article, amount):
        with self.guard.write():
            self.stock[article] += amount


def daily_report(inventory):
    return inventory.report()


def goods_in(inventory):
    inventory.receive("lamp", 10)


def main():
    inventory = Inventory()
    threads = [
        threading.Thread(target=daily_report, args=(inventory,), name="report"),
        threading.Thread(target=goods_in, args=(inventory,), name="goods-in"),
    ]
    for thread in threads:
        thread.start()
        time.sleep(0.1)
    time.sleep(0.5)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
