# SPDX-License-Identifier: Apache-2.0
"""Keeps exact cross rates of a currency desk and revalues a book by them."""

import faulthandler
import json
import os
from fractions import Fraction


class RateTable:
    def __init__(self, currencies):
        self.rates = {}
        for a, one in enumerate(currencies):
            for b, other in enumerate(currencies):
                self.rates[one, other] = Fraction(100 + 3 * a, 100 + 7 * b)

    def convert(self, amount, one, other):
        return amount * self.rates[one, other]


def revalue(table, book, base):
    return sum((table.convert(amount, name, base) for name, amount in book), Fraction(0))


def main():
    faulthandler.enable()
    currencies = ["C%02d" % n for n in range(60)]
    table = RateTable(currencies)
    book = [(name, 1000 + 17 * n) for n, name in enumerate(currencies)]
    target = table.rates["C41", "C07"]
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(target) + 8, 45]]}) + "\n")
    input()
    for base in currencies:
        print(base, float(revalue(table, book, base)))


if __name__ == "__main__":
    main()
