# SPDX-License-Identifier: Apache-2.0
"""Counts the seconds of calls in a telephone exchange and keeps a directory beside it."""

import ctypes
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
lines = ctypes.CDLL(os.path.join(HERE, "exchange.so"))
lines.exchange_open.restype = ctypes.c_void_p
lines.exchange_open.argtypes = [ctypes.c_int]
lines.exchange_hang_up.argtypes = [ctypes.c_void_p]
lines.exchange_seconds.argtypes = [ctypes.c_void_p]


class Subscriber:
    def __init__(self, number, name):
        self.number = number
        self.name = name
        self.calls = []


class Directory:
    def __init__(self):
        self.pages = []

    def add_page(self, letter):
        page = [None] * 100
        for place in range(100):
            page[place] = Subscriber(4000 + place, f"{letter}{place:02} street")
        self.pages.append(page)

    def named(self, page, place):
        return self.pages[page][place].name


def evening(directory, chance):
    calls = [lines.exchange_open(number) for number in range(6)]
    for _ in range(3):
        lines.exchange_tick()
    lines.exchange_hang_up(calls.pop(2))
    directory.add_page("A")
    for _ in range(5):
        lines.exchange_tick()
    return [lines.exchange_seconds(call) for call in calls]


def look_up(directory, chance, wishes):
    names = set()
    for wish in range(wishes):
        page = chance.randrange(len(directory.pages))
        names.add(directory.named(page, chance.randrange(100)))
    return len(names)


def main():
    chance = random.Random(1876)
    directory = Directory()
    print(evening(directory, chance), flush=True)
    for letter in "BCDEFGHIJKLMNOPQRSTUVWXYZ":
        directory.add_page(letter)
    for hour in range(40):
        print("hour", hour, look_up(directory, chance, 200), "names", flush=True)


if __name__ == "__main__":
    main()
