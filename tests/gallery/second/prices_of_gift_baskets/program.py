# SPDX-License-Identifier: Apache-2.0
"""Prices of articles and gift baskets in a cache with one lock for each group of keys."""

import os
import threading
import zlib

ARTICLES = {"wine": 890, "cheese": 540, "olives": 320, "honey": 610, "bread": 250, "ham": 990}
BASKETS = {"picnic": ["wine", "bread"], "breakfast": ["honey", "bread"], "evening": ["wine", "ham"]}


class PriceCache:
    def __init__(self, groups=8):
        self.prices = {}
        self.locks = [threading.Lock() for _ in range(groups)]

    def price(self, key):
        with self.locks[zlib.crc32(key.encode()) % len(self.locks)]:
            if key not in self.prices:
                self.prices[key] = self.find_price(key)
            return self.prices[key]

    def find_price(self, key):
        if key in BASKETS:
            return sum(self.price(part) for part in BASKETS[key]) * 95 // 100
        return ARTICLES[key]


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    cache = PriceCache()
    threading.Timer(0.5, tell).start()
    clerk = threading.Thread(
        target=lambda: print([cache.price(key) for key in BASKETS]), name="clerk"
    )
    clerk.start()
    clerk.join()


main()
