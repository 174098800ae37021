# SPDX-License-Identifier: Apache-2.0
"""Levels of a river at its gauges: lowest, highest and mean of each day."""

import ctypes
import math
import os

library = ctypes.CDLL(os.path.abspath("river.so"))


class Summary(ctypes.Structure):
    _fields_ = [
        ("lowest", ctypes.c_double),
        ("highest", ctypes.c_double),
        ("mean", ctypes.c_double),
        ("count", ctypes.c_long),
    ]


library.river_summary.argtypes = [
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_double,
]
library.river_summary.restype = ctypes.POINTER(Summary)


class Gauge:
    def __init__(self, name, datum):
        self.name = name
        self.datum = datum

    def day(self, number):
        levels = [self.datum + 3 + math.sin(number + n / 40) for n in range(288)]
        return (ctypes.c_double * len(levels))(*levels)

    def summary(self, number):
        levels = self.day(number)
        found = library.river_summary(levels, len(levels), 3, self.datum).contents
        return f"{self.name}: {found.lowest:.2f} to {found.highest:.2f}, mean {found.mean:.2f}"


def main():
    for gauge in (Gauge("upper mill", 212.4), Gauge("bridge", 198.0)):
        print(gauge.summary(17), flush=True)


main()
