# SPDX-License-Identifier: Apache-2.0
"""Prices options on a binomial tree that a native library keeps."""

import ctypes
import os
import queue
import threading

tree = ctypes.CDLL(os.path.abspath("price_tree.so"))
tree.tree_new.restype = ctypes.c_void_p
tree.tree_new.argtypes = [ctypes.c_double, ctypes.c_double, ctypes.c_int]
tree.tree_price.restype = ctypes.c_double
tree.tree_price.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]


class PriceTree:
    def __init__(self, spot, step, depth):
        self.depth = depth
        self._as_parameter_ = tree.tree_new(spot, step, depth)

    def price(self, level, ups):
        return tree.tree_price(self, level, ups)


def quote(wishes, quotes):
    prices = PriceTree(104.0, 1.02, 60)
    while True:
        level, ups = wishes.get()
        quotes.put(prices.price(level, ups))


def main():
    wishes, quotes = queue.Queue(), queue.Queue()
    for number in range(2):
        threading.Thread(
            target=quote, args=(wishes, quotes), name=f"quote-{number}", daemon=True
        ).start()
    for level in range(5, 75, 5):
        wishes.put((level, level // 2))
        print(level, round(quotes.get(), 3), flush=True)


if __name__ == "__main__":
    main()
