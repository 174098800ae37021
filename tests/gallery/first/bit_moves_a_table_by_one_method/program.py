# SPDX-License-Identifier: Apache-2.0
"""The value of a shelf is asked of the C++ objects that stand for its goods."""

import ctypes
import json
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "goods.so"))
library.add_item.argtypes = [ctypes.c_double, ctypes.c_int]
library.add_item.restype = ctypes.c_void_p
library.shelf_value.argtypes = [ctypes.c_long]
library.shelf_value.restype = ctypes.c_long


def stock(count):
    return [library.add_item(100 + n * 12.5, n % 3 == 0) for n in range(count)]


def take_stock(pieces):
    return library.shelf_value(pieces)


def report(days):
    return [take_stock(pieces) for pieces in days]


def main():
    items = stock(40)
    print(report([12]))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[items[21], 3]]}) + "\n")
    input()
    print(report([36, 40]))


main()
