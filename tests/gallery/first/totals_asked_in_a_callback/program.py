# SPDX-License-Identifier: Apache-2.0
"""Adds up branches in other processes; a callback asks for the total of the region."""

import os
import threading
from concurrent.futures import ProcessPoolExecutor


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def add_up(sales):
    return sum(sales)


class Region:
    def __init__(self, pool):
        self.pool, self.totals, self.done = pool, [], threading.Event()

    def branch_done(self, future):
        self.totals.append(future.result())
        if len(self.totals) == 2:
            tell()
            print(self.pool.submit(add_up, self.totals).result())
            self.done.set()

    def run(self):
        for sales in ([3, 4], [5, 6]):
            self.pool.submit(add_up, sales).add_done_callback(self.branch_done)
        self.done.wait()
        self.pool.shutdown()


def main():
    Region(ProcessPoolExecutor(2)).run()


if __name__ == "__main__":
    main()
