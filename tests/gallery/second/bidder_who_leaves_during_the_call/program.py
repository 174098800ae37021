# SPDX-License-Identifier: Apache-2.0
"""A cattle auction: bidders are called by a library, each with the price of the moment."""

import ctypes
import logging
import os

log = logging.getLogger("auction")
HERE = os.path.dirname(os.path.abspath(__file__))
CALL = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int)


class Ring:
    """The auction ring; it keeps the callbacks alive as long as it lives itself."""

    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(HERE, "ring.so"))
        self.library.ring_join.argtypes = [ctypes.c_int, ctypes.c_char_p, CALL]
        self.calls = {}

    def join(self, bidder):
        self.calls[bidder.number] = CALL(bidder.called)
        self.library.ring_join(bidder.number, bidder.name.encode(), self.calls[bidder.number])

    def leave(self, number):
        self.library.ring_leave(number)

    def call(self, price):
        return self.library.ring_call(price)


class Bidder:
    def __init__(self, ring, number, name, limit):
        self.ring = ring
        self.number = number
        self.name = name
        self.limit = limit
        self.bid = None

    def called(self, number, price):
        if price > self.limit:
            log.info("%s leaves at %d", self.name, price)
            self.ring.leave(self.number)
            return
        self.bid = price


def auction(ring, lot, start, step, rounds):
    price = start
    for _ in range(rounds):
        still_here = ring.call(price)
        log.info("%s at %d: %d bidders", lot, price, still_here)
        if still_here <= 1:
            break
        price += step
    return price


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    ring = Ring()
    for number, (name, limit) in enumerate(
        [("Ager", 2400), ("Bichler", 1900), ("Comploj", 2150), ("Dorfer", 2600)], 1
    ):
        ring.join(Bidder(ring, number, name, limit))
    price = auction(ring, "heifer 114", start=1700, step=100, rounds=12)
    log.info("sold for %d", price)


if __name__ == "__main__":
    main()
