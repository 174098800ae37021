# SPDX-License-Identifier: Apache-2.0
"""Many sellers offer a book at its fixed price; the offers are ranked."""

import ctypes
import os

market = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "offers.so"))
market.add_offer.argtypes = [ctypes.c_long, ctypes.c_long]


def collect(sellers):
    for seller in sellers:
        market.add_offer(2499, seller)


def cheapest(sellers):
    collect(sellers)
    return market.best_offer()


def show_book(pages):
    return [cheapest(range(first, first + 20)) for first in pages]


print(show_book([100, 200, 300]))
