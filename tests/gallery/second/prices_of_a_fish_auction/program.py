# SPDX-License-Identifier: Apache-2.0
"""An auction board tells its subscribers of each new price."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


class AuctionBoard:
    def __init__(self):
        self._guard = threading.RLock()
        self._prices = {}
        self._subscribers = []
        self._messengers = ThreadPoolExecutor(2, thread_name_prefix="messenger")

    def subscribe(self, subscriber):
        with self._guard:
            self._subscribers.append(subscriber)

    def price(self, lot):
        with self._guard:
            return self._prices.get(lot)

    def lower(self, lot, price):
        with self._guard:
            self._prices[lot] = price
            told = [self._messengers.submit(each.on_price, self, lot) for each in self._subscribers]
            return [future.result() for future in told]


class Buyer:
    def __init__(self, name, limit):
        self.name = name
        self.limit = limit

    def on_price(self, board, lot):
        asked = board.price(lot)
        return self.name if asked <= self.limit else None


def main():
    board = AuctionBoard()
    board.subscribe(Buyer("smokery", 38))
    Path("ready").write_text(f"{os.getpid()}\n")
    for price in range(60, 20, -2):
        if any(board.lower("turbot-7", price)):
            print("sold at", price)
            break


if __name__ == "__main__":
    main()
