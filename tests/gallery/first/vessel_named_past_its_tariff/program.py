# SPDX-License-Identifier: Apache-2.0
"""Harbour dues: a library keeps which vessel lies at which berth, and under which tariff."""

import csv
import ctypes
import io
import logging
import os

log = logging.getLogger("dues")
HERE = os.path.dirname(os.path.abspath(__file__))

ARRIVALS = """berth,vessel,tariff,days
1,Seute Deern,yacht,4
2,Cap San Diego,museum,30
3,Gesine,trader,9
4,Prinzess Elisabeth von Bentheim,trader,2
5,Atalanta,yacht,1
"""


class Harbour:
    def __init__(self, berths):
        self.library = ctypes.CDLL(os.path.join(HERE, "dues.so"))
        self.library.harbour_dues.restype = ctypes.c_double
        self.library.harbour_moor.argtypes = [
            ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int,
        ]  # fmt: skip
        if self.library.harbour_open(berths):
            raise MemoryError(berths)
        self.moored = {}

    def moor(self, berth, vessel, tariff, days):
        if self.library.harbour_moor(berth, vessel.encode(), tariff.encode(), days):
            raise LookupError("berth %d, tariff %s" % (berth, tariff))
        self.moored[berth] = vessel

    def dues(self, berth):
        return self.library.harbour_dues(berth)


def read_arrivals(text):
    for row in csv.DictReader(io.StringIO(text)):
        yield int(row["berth"]), row["vessel"], row["tariff"], int(row["days"])


def invoice(harbour):
    total = 0.0
    for berth, vessel in sorted(harbour.moored.items()):
        due = harbour.dues(berth)
        log.info("%-32s %8.2f", vessel, due)
        total += due
    return total


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    harbour = Harbour(berths=12)
    for arrival in read_arrivals(ARRIVALS):
        harbour.moor(*arrival)
    log.info("total %.2f", invoice(harbour))


if __name__ == "__main__":
    main()
