# SPDX-License-Identifier: Apache-2.0
"""A bakery: one shelf for a loaf, a baker with his tray, two shops."""

import os
import threading
import time


class Shelf:
    def __init__(self):
        self.changed = threading.Condition()
        self.loaf = None

    def put(self, loaf):
        with self.changed:
            while self.loaf is not None:
                self.changed.wait()
            self.loaf = loaf
            self.changed.notify()

    def take(self):
        with self.changed:
            while self.loaf is None:
                self.changed.wait()
            loaf, self.loaf = self.loaf, None
            self.changed.notify()
            return loaf

    def put_tray(self, loaves):
        with self.changed:
            for loaf in loaves:
                self.put(loaf)


def shop(shelf, sold):
    while True:
        sold.append(shelf.take())


def main():
    shelf, sold = Shelf(), []
    for name in ("north", "south"):
        threading.Thread(target=shop, args=(shelf, sold), name=name, daemon=True).start()
    while len(shelf.changed._waiters) < 2:
        time.sleep(0.02)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    shelf.put_tray(["rye", "wheat", "spelt", "oat"])


main()
