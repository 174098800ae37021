# SPDX-License-Identifier: Apache-2.0
"""Picks the quotes above a limit and shows the best of them."""

import random

import quotes


class Desk:
    def __init__(self, limit):
        self.limit = limit
        self.shown = []

    def pick(self, book):
        return quotes.above(book, self.limit)

    def show(self, picked):
        best = sorted(picked, reverse=True)[:3]
        self.shown.append(best)


def book_of(chance, low):
    return [round(chance.uniform(low, 90.0), 2) for _ in range(60)]


def main():
    chance = random.Random(11)
    desk = Desk(40.0)
    for low in (60.0, 50.0, 41.0, 30.0):
        picked = desk.pick(book_of(chance, low))
        desk.show(picked)
        print(low, desk.shown[-1], flush=True)


main()
