# SPDX-License-Identifier: Apache-2.0
"""A hotel's night clerk opens the ledger, writes, and goes to sleep over it."""

import os
import threading
import time


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.rows = []

    def open_ledger(self):
        self.lock.acquire()

    def total(self):
        with self.lock:
            return len(self.rows)


def night(ledger):
    ledger.open_ledger()
    ledger.rows.append("guest")
    time.sleep(6 * 3600)
    ledger.rows.append("breakfast")


def main():
    ledger = Ledger()
    threading.Thread(target=night, args=(ledger,), name="clerk", daemon=True).start()
    while not ledger.rows:
        time.sleep(0.05)
    tell()
    print(ledger.total())


main()
