# SPDX-License-Identifier: Apache-2.0
"""Three threads wait for a lock whose holder recomputes the balances: long, but it goes on."""

import os
import threading
import time


class Ledger:
    def __init__(self):
        self.guard = threading.Lock()
        self.balances = [number * 37 % 1009 for number in range(4000)]
        self.done = 0

    def rebuild(self, started):
        with self.guard:
            started.set()
            for index in range(len(self.balances)):
                self.balances[index] = self.recompute(index)
                self.done += 1

    def recompute(self, index):
        total = self.balances[index]
        for step in range(50_000):
            total = (total * 31 + step) % 1_000_003
        return total

    def post(self, index, amount):
        with self.guard:
            self.balances[index] += amount


def clerk(ledger, number):
    for index in range(10):
        ledger.post(index, number)


def main():
    ledger = Ledger()
    started = threading.Event()
    rebuilder = threading.Thread(target=ledger.rebuild, args=(started,), name="rebuilder")
    rebuilder.start()
    started.wait()
    clerks = [threading.Thread(target=clerk, args=(ledger, n), name=f"clerk-{n}") for n in range(3)]
    for thread in clerks:
        thread.start()
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in clerks:
        thread.join()


main()
