# SPDX-License-Identifier: Apache-2.0
"""Classify the sheets of a map library and put their cards in order."""

import concurrent.futures
from collections import Counter

from card import Card

SHEETS = [
    ("Harz", "Brocken", 1911), ("Eifel", "Hohe Acht", 1888), ("Rhoen", "Kreuzberg", 1902),
    ("Vogtland", "Plauen", 1896), ("Lausitz", "Loebau", 1921), ("Altmark", "Stendal", 1877),
    ("Wetterau", "Friedberg und die angrenzenden Gemarkungen des Vogelsbergs", 1864),
    ("Spessart", "Lohr", 1909), ("Solling", "Uslar", 1899), ("Taunus", "Idstein", 1905),
]  # fmt: skip


class Drawer:
    def __init__(self, number):
        self.number = number
        self.cards = []


class Library:
    def __init__(self, drawers):
        self.drawers = [Drawer(number) for number in range(drawers)]
        self.regions = Counter()
        self._blank = [Card() for _ in range(400)]

    def classify(self, room, region, title, year):
        drawer = self.drawers[len(region) % len(self.drawers)]
        card = self._blank.pop(0)
        card.classify(room, region, title, drawer.number, year)
        drawer.cards.append(card)
        self.regions[region] += 1

    def inventory(self):
        keys = []
        for drawer in self.drawers:
            keys += [card.sort_key() for card in drawer.cards]
        return sorted(keys)


def decades(sheets):
    return Counter(year // 10 * 10 for _, _, year in sheets)


def main():
    library = Library(4)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        counted = pool.submit(decades, SHEETS)
        for copy in range(6):
            for region, title, year in SHEETS:
                library.classify(f"R{copy}", region, title, year + copy)
        print(counted.result(), flush=True)
    for drawer, mark in library.inventory():
        print(drawer, mark)


if __name__ == "__main__":
    main()
