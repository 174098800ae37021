# SPDX-License-Identifier: Apache-2.0
"""Prices of a stock exchange in a sorted tree that a C++ library keeps."""

import ctypes
import json
import os

book = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "book.so"))
book.book_node.restype = ctypes.c_void_p
book.book_quantity.restype = ctypes.c_long


def fill(prices):
    for number, price in enumerate(prices):
        book.book_offer(price, 10 + number % 90)


def offered(prices):
    return sum(book.book_quantity(price) for price in prices)


def main():
    prices = [10_000 + n * 7919 % 4001 for n in range(4001)]
    fill(prices)
    print(offered(prices), flush=True)
    node = book.book_node(11_250)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[node + 16, 38]]}) + "\n")
    input()
    for hour in range(4):
        print(hour, offered(prices[hour * 20 : hour * 20 + 20]), flush=True)
    print(offered(prices))


main()
