# SPDX-License-Identifier: Apache-2.0
"""Audits the scanned labels of a wholesaler's lots; what is out of date leaves the table."""

import datetime
import random

import audit

TODAY = datetime.date(2024, 11, 5)


def scan(chance):
    """A label as the scanner gives it: the date, then the grey values of its lines."""
    date = TODAY + datetime.timedelta(days=chance.randrange(1, 120))
    line = bytes(chance.randrange(256) for _ in range(640))
    return date.isoformat().encode() + b"\n" + line * 480


class Stock:
    def __init__(self, chance):
        self.table = {"article %04d" % number: scan(chance) for number in range(150)}
        self.written_off = []

    def value(self, name, label):
        best_before = datetime.date.fromisoformat(label[:10].decode())
        if (best_before - TODAY).days < 4:
            self.write_off(name)
            return 0.0
        return 2.5

    def write_off(self, name):
        del self.table[name]
        self.written_off.append((TODAY, name))


def main():
    stock = Stock(random.Random(9))
    print("%.2f" % audit.each(stock.table, stock.value))
    print(*stock.written_off, sep="\n")


if __name__ == "__main__":
    main()
