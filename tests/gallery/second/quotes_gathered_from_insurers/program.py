# SPDX-License-Identifier: Apache-2.0
"""Ask many insurers for a quote at once and show the cheapest three."""

import os
import queue
import time
from concurrent.futures import ThreadPoolExecutor

INSURERS = "Alpine Baltic Coast Delta Eagle Fjord Granit Hansa Isar Jura".split()


class Comparison:
    def __init__(self, keep=4):
        self.quotes = queue.Queue(maxsize=keep)

    def ask(self, insurer, car):
        time.sleep(0.02)
        price = 300 + sum(map(ord, insurer)) % 97 + len(car)
        self.quotes.put((price, insurer))

    def gather(self, car):
        with ThreadPoolExecutor(5, thread_name_prefix="ask") as pool:
            for insurer in INSURERS:
                pool.submit(self.ask, insurer, car)
        found = []
        while not self.quotes.empty():
            found.append(self.quotes.get())
        return sorted(found)


def main():
    comparison = Comparison()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for price, insurer in comparison.gather("estate car, 2021")[:3]:
        print(price, insurer)


main()
