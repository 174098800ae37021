# SPDX-License-Identifier: Apache-2.0
"""A card's buffer is pinned; a child sums it up."""

import ctypes
import os
import time

library = ctypes.CDLL(os.path.abspath("card_pages.so"))
library.card_open.restype = ctypes.c_void_p
library.card_open.argtypes = [ctypes.c_size_t]
library.card_sum.restype = ctypes.c_long
library.card_sum.argtypes = [ctypes.c_void_p]


def sum_of(card):
    return library.card_sum(card)


def main():
    card = library.card_open(1 << 20)
    print(sum_of(card), flush=True)
    child = os.fork()
    if child == 0:
        with open("ready.new", "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
        os.rename("ready.new", "ready")
        time.sleep(0.5)
        print(sum_of(card))
        os._exit(0)
    os.waitpid(child, 0)


main()
