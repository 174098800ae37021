# SPDX-License-Identifier: Apache-2.0
"""A theatre keeps its seats in bitmaps of 384; the new balcony has numbers beyond that."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "seats.so"))
library.reserve.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
SEATS = 384


class Evening:
    __slots__ = ("title", "sold")

    def __init__(self, title):
        self.title, self.sold = title, 0


class Plan:
    def __init__(self, titles):
        self.evenings, self.maps = [], []
        for title in titles:
            self.maps.append((ctypes.c_uint64 * (SEATS // 64))())
            self.evenings.append(Evening(title))

    def sell(self, evening, first, count):
        library.reserve(self.maps[evening], first, count)
        self.evenings[evening + 1].sold += count


def sell_all(plan, orders):
    for evening, first, count in orders:
        plan.sell(evening, first, count)


def box_office(plan):
    return sum(evening.sold for evening in plan.evenings), len(plan.evenings)


def main():
    plan = Plan([f"evening {n}" for n in range(120)])
    sell_all(plan, [(n, n * 3, 3) for n in range(100)])
    print(box_office(plan))
    sell_all(plan, [(n, 619, 3) for n in range(50, 70)])
    print(box_office(plan))


main()
