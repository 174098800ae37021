# SPDX-License-Identifier: Apache-2.0
"""A bit of a value pointer in a dictionary's entries was flipped from outside."""

import ctypes
import json
import os


class Price:
    __slots__ = ("amount",)

    def __init__(self, amount):
        self.amount = amount


def lookup(prices, name):
    return prices[name].amount


def main():
    prices = {"item-%d" % n: Price(n) for n in range(100)}
    victim = id(prices["item-55"])
    keys = ctypes.c_void_p.from_address(id(prices) + 32).value
    at = next(
        a for a in range(keys, keys + 8000, 8) if ctypes.c_size_t.from_address(a).value == victim
    )
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[at, 43]]}) + "\n")
    input()
    print(sum(lookup(prices, "item-%d" % n) for n in range(100)))


main()
