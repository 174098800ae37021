# SPDX-License-Identifier: Apache-2.0
"""Asks a supplier for offers; after three failures in a row it is left alone for a while."""

import os
import threading
import time


class Breaker:
    def __init__(self, limit, pause):
        self.limit, self.pause = limit, pause
        self.failures, self.opened_at = 0, None

    def allows(self):
        if self.opened_at is None:
            return True
        if time.monotonic() - self.opened_at > self.pause:
            self.failures, self.opened_at = 0, None
        return self.opened_at is None

    def failed(self):
        self.failures += 1
        if self.failures >= self.limit:
            self.opened_at = time.time()


class Supplier:
    def __init__(self):
        self.breaker = Breaker(limit=3, pause=0.2)
        self.asked = 0

    def fetch(self, article):
        self.asked += 1
        if self.asked < 5:
            raise ConnectionError("503")
        return {"article": article, "price": 1290}

    def offer(self, article):
        while True:
            while not self.breaker.allows():
                time.sleep(0.02)
            try:
                return self.fetch(article)
            except ConnectionError:
                self.breaker.failed()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(1.0, tell).start()
    print(Supplier().offer("lamp"))


main()
