# SPDX-License-Identifier: Apache-2.0
"""A cathedral's glazier makes offers: the areas of the panes come from a C++ library."""

import contextlib
import ctypes
import os
import sys
from dataclasses import dataclass

RECTANGLE, ROSE = 0, 1


def load():
    library = ctypes.CDLL(os.path.abspath("glazing.so"))
    library.new_pane.restype = ctypes.c_void_p
    library.new_pane.argtypes = [ctypes.c_int, ctypes.c_double, ctypes.c_double, ctypes.c_int]
    library.pane_area.restype = ctypes.c_double
    library.pane_area.argtypes = [ctypes.c_void_p]
    library.delete_pane.argtypes = [ctypes.c_void_p]
    return library


@dataclass
class Item:
    place: str
    shape: int
    a: float
    b: float = 0.0
    in_stock: bool = False


@contextlib.contextmanager
def pane(library, item):
    made = library.new_pane(item.shape, item.a, item.b, item.in_stock)
    try:
        yield made
    finally:
        library.delete_pane(made)


def offer(library, items, price):
    total = 0.0
    for item in items:
        with pane(library, item) as made:
            area = library.pane_area(made)
        print(f"{item.place:20} {area:8.2f} m2 {area * price:10.2f}", flush=True)
        total += area * price
    return total


def main():
    library = load()
    choir = [
        Item("choir, north", RECTANGLE, 1.2, 4.0),
        Item("choir, south", RECTANGLE, 1.2, 4.0),
        Item("west front", ROSE, 3.1),
    ]
    print("choir and front:", round(offer(library, choir, 880), 2), flush=True)
    # New in this version: panes that lie in the workshop are counted.
    chapel = [
        Item("chapel, east", RECTANGLE, 0.8, 2.2),
        Item("chapel, door", ROSE, 0.4, in_stock=True),
    ]
    print("chapel:", round(offer(library, chapel, 910), 2), file=sys.stderr)


if __name__ == "__main__":
    main()
