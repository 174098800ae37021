# SPDX-License-Identifier: Apache-2.0
"""The weight of what a warehouse holds, by goods, summed by its library."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("stock.so"))


class Pallet(ctypes.Structure):
    _fields_ = [
        ("number", ctypes.c_long),
        ("weight", ctypes.c_double),
        ("goods", ctypes.c_char_p),
        ("shelf", ctypes.c_int),
        ("flags", ctypes.c_int),
    ]


library.stock_weight_of.argtypes = [ctypes.POINTER(Pallet), ctypes.c_long, ctypes.c_char_p]
library.stock_weight_of.restype = ctypes.c_double

GOODS = (b"flour", b"sugar", b"salt")


def arrivals(count):
    return [Pallet(1000 + n, 350.0 + 12.5 * n, GOODS[n % 3], n // 10, 0) for n in range(count)]


def weigh(pallets):
    table = (Pallet * len(pallets))(*pallets)
    return {goods.decode(): library.stock_weight_of(table, len(table), goods) for goods in GOODS}


def main():
    print(weigh(arrivals(1)), flush=True)
    print(weigh(arrivals(24)), flush=True)


main()
