# SPDX-License-Identifier: Apache-2.0
"""An auction house takes tenders by telephone; a clerk closes those whose hour has come."""

import ctypes
import logging
import queue
import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("auction")
HERE = Path(__file__).resolve().parent


@dataclass
class Call:
    lot: str
    bidder: str
    cents: int
    seconds: float


class TenderBook:
    """The native book, see tenders.cc."""

    def __init__(self):
        self.library = ctypes.CDLL(str(HERE / "tenders.so"))
        self.library.tender_book_new.restype = ctypes.c_void_p
        self.library.tender_place.argtypes = [
            ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_long, ctypes.c_double,
        ]  # fmt: skip
        self.library.tender_close_ended.argtypes = [ctypes.c_void_p, ctypes.c_double]
        self.library.tender_close_ended.restype = ctypes.c_long
        self.library.tender_count.argtypes = [ctypes.c_void_p]
        self.library.tender_count.restype = ctypes.c_long
        self.book = self.library.tender_book_new()

    def place(self, call):
        ends = time.monotonic() + call.seconds
        self.library.tender_place(
            self.book, call.lot.encode(), call.bidder.encode(), call.cents, ends
        )

    def close_ended(self):
        return self.library.tender_close_ended(self.book, time.monotonic())

    def __len__(self):
        return self.library.tender_count(self.book)


class Telephone(threading.Thread):
    """Callers who tender for lots."""

    def __init__(self, calls, seed):
        super().__init__(name=f"telephone-{seed}", daemon=True)
        self.calls = calls
        self.chance = random.Random(seed)

    def run(self):
        while True:
            lot = f"lot {self.chance.randrange(500):03} of the spring sale"
            bidder = f"paddle number {self.chance.randrange(90):02}, by telephone"
            cents = self.chance.randrange(1000, 90000)
            self.calls.put(Call(lot, bidder, cents, self.chance.uniform(0.3, 3)))
            time.sleep(0.002)


class Secretary(threading.Thread):
    """Writes the calls into the book."""

    def __init__(self, calls, book):
        super().__init__(name="secretary", daemon=True)
        self.calls = calls
        self.book = book

    def run(self):
        while True:
            self.book.place(self.calls.get())


class Clerk(threading.Thread):
    def __init__(self, book):
        super().__init__(name="clerk", daemon=True)
        self.book = book
        self.closed = 0

    def run(self):
        while True:
            time.sleep(0.25)
            self.closed += self.book.close_ended()


def main():
    logging.basicConfig(level=logging.INFO)
    calls, book = queue.Queue(), TenderBook()
    for seed in (1, 2):
        Telephone(calls, seed).start()
    Secretary(calls, book).start()
    clerk = Clerk(book)
    clerk.start()
    while True:
        time.sleep(1)
        log.info("open %d, closed %d", len(book), clerk.closed)


if __name__ == "__main__":
    main()
