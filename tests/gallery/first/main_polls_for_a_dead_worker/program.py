# SPDX-License-Identifier: Apache-2.0
"""An import runs in a thread; the main thread looks now and then whether it is done."""

import os
import threading
import time


class Import:
    def __init__(self, rows):
        self.rows = rows
        self.total = 0
        self.done = False

    def run(self):
        for row in self.rows:
            self.total += row["amount"]
        self.done = True

    def wait_until_done(self):
        while not self.done:
            time.sleep(0.2)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    importing = Import([{"amount": 3}, {"amount": 4}, {"Amount": 5}])
    threading.Thread(target=importing.run, name="importer").start()
    time.sleep(0.5)
    tell()
    importing.wait_until_done()
    print(importing.total)


main()
