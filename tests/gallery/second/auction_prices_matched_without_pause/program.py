# SPDX-License-Identifier: Apache-2.0
"""A flower auction under full load: brokers send bids, two matchers match them against lots, a clerk
adds up what was sold. Queues are short, so all of them wait for each other for moments."""  # noqa: E501

import collections
import dataclasses
import heapq
import os
import queue
import random
import threading
import time

FLOWERS = ("tulip", "rose", "lily", "aster")


@dataclasses.dataclass(order=True)
class Bid:
    rank: float
    flower: str = dataclasses.field(compare=False)
    stems: int = dataclasses.field(compare=False)
    broker: str = dataclasses.field(compare=False)


class Market:
    def __init__(self):
        self.bids = queue.Queue(maxsize=16)
        self.sold = queue.Queue(maxsize=16)
        self.guard = threading.Lock()
        self.books = {flower: [] for flower in FLOWERS}
        self.turnover = collections.Counter()
        self.sales = 0

    def enter(self, bid):
        """Put a bid into its book; return the best one once five are there."""
        with self.guard:
            book = self.books[bid.flower]
            heapq.heappush(book, bid)
            return heapq.heappop(book) if len(book) > 5 else None


class Broker(threading.Thread):
    def __init__(self, market, name, seed):
        super().__init__(name=name, daemon=True)
        self.market, self.dice = market, random.Random(seed)

    def run(self):
        while True:
            price = self.dice.lognormvariate(-1.2, 0.4)
            flower = self.dice.choice(FLOWERS)
            self.market.bids.put(Bid(-price, flower, self.dice.randrange(10, 400, 10), self.name))


class Matcher(threading.Thread):
    def __init__(self, market, number):
        super().__init__(name=f"matcher-{number}", daemon=True)
        self.market = market

    def run(self):
        while True:
            best = self.market.enter(self.market.bids.get())
            if best is not None:
                self.market.sold.put(best)


class Clerk(threading.Thread):
    def __init__(self, market):
        super().__init__(name="clerk", daemon=True)
        self.market = market

    def run(self):
        while True:
            sale = self.market.sold.get()
            self.market.turnover[sale.flower] += round(-sale.rank * sale.stems, 2)
            self.market.sales += 1


def main():
    market = Market()
    hands = [
        Broker(market, f"broker-{name}", seed) for seed, name in enumerate(("aal", "bos", "cor"))
    ]
    hands += [Matcher(market, number) for number in range(2)] + [Clerk(market)]
    for hand in hands:
        hand.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    opened, last = time.monotonic(), 0
    while time.monotonic() - opened < 8 * 3600:
        time.sleep(0.5)
        sales = market.sales
        print(f"{sales - last} sales in the last half second", flush=True)
        last = sales
    print(dict(market.turnover))


main()
