# SPDX-License-Identifier: Apache-2.0
"""Labels of shipping boxes: text of one byte a glyph is widened for a printer of two."""

import ctypes
import os

here = os.path.dirname(os.path.abspath(__file__))
widener = ctypes.CDLL(os.path.join(here, "widener.so"))
widener.widen.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]


class Station:
    """Where a box goes: one of many small objects."""

    __slots__ = ("name", "gate")

    def __init__(self, name, gate):
        self.name, self.gate = name, gate


class Label:
    def __init__(self, text):
        self.text = text.encode("latin-1")
        self.wide = bytes(self.room())

    def room(self):
        return len(self.text) + 15  # the printer wants some room behind it

    def address(self):
        return id(self.wide) + bytes.__basicsize__ - 1

    def fill(self):
        widener.widen(self.text, len(self.text), self.address())


class Printer:
    def __init__(self):
        self.printed = []

    def print(self, label):
        label.fill()
        self.printed.append(label.wide.hex()[:8])

    def proof(self, label):
        """What a label would look like, without paper."""
        return label.wide.hex(" ")


def neighbours(text, count):
    """Labels of one size, beside each other as they come from the allocator."""
    return [Label(text) for _ in range(count)]


def main():
    printer = Printer()
    stations = [Station(f"station {n}", n % 9) for n in range(200)]
    for label in neighbours("FRAGILE", 50):
        printer.print(label)
    print("short labels", len(printer.printed), flush=True)
    rack = neighbours("THIS SIDE UP - KEEP DRY - DO NOT STACK MORE THAN THREE", 120)
    for label in rack[::2]:
        printer.print(label)
    print("long labels", len(printer.printed), flush=True)
    proofs = [printer.proof(label) for label in rack]
    print("proofs", len(proofs), flush=True)
    print("stations", sum(station.gate for station in stations), flush=True)


main()
