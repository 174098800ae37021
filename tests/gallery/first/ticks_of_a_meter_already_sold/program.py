# SPDX-License-Identifier: Apache-2.0
"""A meter is watched by a native thread that counts its ticks; meters come and go."""

import ctypes
import time
from pathlib import Path

LIBRARY = ctypes.CDLL(str(Path(__file__).with_name("ticker.so")))


class Meter(ctypes.Structure):
    _fields_ = [
        ("serial", ctypes.c_uint64),
        ("ticks", ctypes.c_uint64),
        ("last", ctypes.c_double),
        ("factor", ctypes.c_double),
        ("offset", ctypes.c_double),
        ("total", ctypes.c_double),
    ]


class Household:
    def __init__(self, serial):
        self.meter = Meter(serial=serial, factor=0.1)
        LIBRARY.watch(ctypes.byref(self.meter))

    def units(self):
        return self.meter.ticks * self.meter.factor

    def sell(self):
        self.meter = None


def bookings(count):
    return [(number,) for number in range(1000, 1000 + count)]


def main():
    LIBRARY.start()
    household = Household(4711)
    time.sleep(0.3)
    print("units", household.units() > 0)
    household.sell()
    ledger = []
    for month in range(60):
        ledger.append(bookings(200))
        time.sleep(0.02)
        if month % 6 == 5:
            print(month, sum(number for page in ledger for (number,) in page))
            del ledger[: len(ledger) // 2]


main()
