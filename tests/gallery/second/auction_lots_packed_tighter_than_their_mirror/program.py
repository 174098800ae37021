# SPDX-License-Identifier: Apache-2.0
"""The catalogue of an auction hall: lots are read from a text, handed to the hall's library for
layout, and printed."""

import ctypes
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

CATALOGUE = """
12: Longcase clock, Bremen, about 1790 [1400]
13: Two chairs with cane seats [180]
14: withdrawn: Portrait of a pilot [900]
15: Ship model, brig, in a bottle [75]
16: Atlas of the river Ems, coloured [620]
"""
LINE = re.compile(r"(\d+): (withdrawn: )?(.+) \[(\d+)\]")


class Lot(ctypes.Structure):
    """A lot as the library has it (gavel.h)."""

    _fields_ = [
        ("withdrawn", ctypes.c_uint8),
        ("number", ctypes.c_uint16),
        ("title", ctypes.c_char_p),
        ("reserve", ctypes.c_uint32),
    ]


gavel = ctypes.CDLL(os.path.join(HERE, "gavel.so"))
gavel.gavel_longest_title.argtypes = [ctypes.POINTER(Lot), ctypes.c_int]
gavel.gavel_estimate.argtypes = [ctypes.POINTER(Lot), ctypes.c_int]
gavel.gavel_estimate.restype = ctypes.c_uint64


def read_lots(text):
    for line in text.strip().splitlines():
        number, withdrawn, title, reserve = LINE.fullmatch(line).groups()
        yield Lot(bool(withdrawn), int(number), title.encode(), int(reserve))


class Catalogue:
    def __init__(self, lots):
        self.kept = list(lots)
        self.lots = (Lot * len(self.kept))(*self.kept)

    def __len__(self):
        return len(self.lots)

    def check_sheet(self):
        """Return what a clerk compares by hand."""
        return [f"{lot.number}: {lot.title.decode()}" for lot in self.lots if not lot.withdrawn]

    def title_column(self):
        """Return how wide the column of titles must be."""
        return gavel.gavel_longest_title(self.lots, len(self)) + 2

    def print(self, out):
        width = self.title_column()
        for lot in self.lots:
            if not lot.withdrawn:
                out.write(f"{lot.number:4} {lot.title.decode():{width}} {lot.reserve:6}\n")
        out.write(f"together {gavel.gavel_estimate(self.lots, len(self))}\n")


def main():
    catalogue = Catalogue(read_lots(CATALOGUE))
    print("\n".join(catalogue.check_sheet()), flush=True)
    catalogue.print(sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
