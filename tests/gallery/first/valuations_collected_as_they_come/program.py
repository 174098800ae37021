# SPDX-License-Identifier: Apache-2.0
"""Value a portfolio: positions are priced by a pool, results are booked as they come."""

import os
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait


class Book:
    def __init__(self):
        self.values = {}

    def enter(self, position, value):
        self.values[position] = value

    def total(self):
        return round(sum(self.values.values()), 2)


def price(position):
    time.sleep(0.02 + len(position) / 200)
    return sum(map(ord, position)) / 7


def value(positions, book):
    with ThreadPoolExecutor(3) as pool:
        names = {pool.submit(price, position): position for position in positions}
        pending = set(names)
        while pending:
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                book.enter(names[future], future.result())
    return book.total()


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(value(["bund 2034", "oat 2031", "gilt 2029", "gold"], Book()))


main()
