# SPDX-License-Identifier: Apache-2.0
"""Nightly risk job: values the positions of each book and adds up the margins that it needs."""

import os

POSITIONS = {
    "rates": [("bund", 40, 131.2), ("gilt", -12, 98.4)],
    "metals": [("zinc", 7, 2455.0), ("tin", 3, -31200.0)],
    "grain": [("wheat", 110, 541.5)],
}


class Book:
    """The positions of one desk."""

    def __init__(self, name, positions):
        self.name = name
        self.positions = positions

    def margin_of(self, contract, quantity, price):
        need = abs(quantity) * price * 0.08
        if need < 0:
            breakpoint()
        return need

    def margin(self):
        return sum(self.margin_of(*position) for position in self.positions)


def report(books):
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for book in books:
        print("%-8s %12.2f" % (book.name, book.margin()))


def main():
    report([Book(name, positions) for name, positions in POSITIONS.items()])


main()
