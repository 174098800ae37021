# SPDX-License-Identifier: Apache-2.0
"""Totals of a basket; the prices are kept by a C++ library."""

import ctypes
import os

PRICES = ctypes.CDLL(os.path.abspath("prices.so"))
PRICES.basket_total.argtypes = [ctypes.POINTER(ctypes.c_int), ctypes.c_size_t]
PRICES.basket_total.restype = ctypes.c_long


def total(articles):
    return PRICES.basket_total((ctypes.c_int * len(articles))(*articles), len(articles))


def main():
    baskets = [[4, 11, 30], [7], [12, 64, 3]]
    for basket in baskets:
        print(basket, total(basket))


main()
