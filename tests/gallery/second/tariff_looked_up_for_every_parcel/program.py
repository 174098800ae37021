# SPDX-License-Identifier: Apache-2.0
"""Prices parcels by the tariff of their zone, which a native module looks up."""

from collections import Counter

import tariffs


class Tariff:
    def __init__(self, zone, base, per_kilo):
        self.zone = zone
        self.base = base
        self.per_kilo = per_kilo

    def price(self, kilos):
        return self.base + self.per_kilo * kilos


def load(book):
    for zone in range(12):
        book.set(f"zone {zone}", Tariff(zone, 3.9 + zone, 0.4 * (zone + 1)))


def price_all(book, parcels):
    sums = Counter()
    for number, kilos in parcels:
        zone = f"zone {number % 12}"
        try:
            sums[zone] += book.find(zone).price(kilos)
        except (AttributeError, KeyError, TypeError):
            sums["without a price"] += 1
    return sums


def main():
    book = tariffs.Book()
    load(book)
    day = [(number * 7 % 90, 1 + number % 5) for number in range(300)]
    for _ in range(20):
        sums = price_all(book, day)
    print({zone: round(total, 2) for zone, total in sums.items()})


main()
