# SPDX-License-Identifier: Apache-2.0
"""A C function writes doubles into a buffer of floats, and so over the object behind it."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("weights.so"))
library.spread.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_double]


class Parcel:
    """A parcel; with the head of the collector it takes 64 bytes."""

    __slots__ = ("weight", "sender", "town", "paid")

    def __init__(self, weight):
        self.weight, self.sender, self.town, self.paid = weight, "me", "here", True


def weigh(first):
    weights = (ctypes.c_float * 16)()
    library.spread(weights, 16, first)
    return weights


def heaviest(parcels):
    return max(parcel.weight for parcel in parcels if parcel is not None)


def main():
    parcels = [Parcel(number % 17) for number in range(600)]
    for number in range(100, 500, 40):
        parcels[number] = None
    weights = [weigh(number) for number in range(10)]
    print(heaviest(parcels), len(weights))


main()
