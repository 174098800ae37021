# SPDX-License-Identifier: Apache-2.0
"""The last offers of auctions."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("auction.so"))
library.last_offer.argtypes = [ctypes.c_int]


def last_offer(auction):
    return library.last_offer(auction)


def main():
    library.offer_add(0, 500)
    library.offer_add(0, 550)
    for auction in range(2):
        print(last_offer(auction), flush=True)


main()
