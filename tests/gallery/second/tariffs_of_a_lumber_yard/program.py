# SPDX-License-Identifier: Apache-2.0
"""Quotes timber for the counter of a lumber yard."""

import logging
from dataclasses import dataclass, field

import yardstick

log = logging.getLogger("yard")

SPECIES = {"larch": 4.2, "oak": 11.9, "pine": 2.8, "ash": 9.4, "spruce": 2.5}


@dataclass
class Line:
    species: str
    metres: float
    pieces: int = 1


@dataclass
class Order:
    customer: str
    lines: list = field(default_factory=list)

    def total(self, book):
        return sum(book.price(line.species, line.metres) * line.pieces for line in self.lines)


class Counter:
    """Quotes orders; the rules of its price book are read again whenever a season ends."""

    SEASON = 60

    def __init__(self):
        self.book = yardstick.PriceBook(dict(SPECIES), [])
        self.quotations = []
        self.load_rules()

    def load_rules(self):
        self.book.rules.extend([self.long_pieces, self.season, self.fine_woods, self.rounded])

    def long_pieces(self, species, metres, price):
        return price * (1.04 if metres > 5 else 1.0)

    def season(self, species, metres, price):
        if len(self.quotations) >= self.SEASON:
            log.info("the season is over, the rules change")
            self.book.rules.clear()
            self.SEASON += 60
        return price * 0.97

    def fine_woods(self, species, metres, price):
        return price + (2.5 if species in ("oak", "ash") else 0.0)

    def rounded(self, species, metres, price):
        return round(price, 1)

    def quote(self, order):
        if not self.book.rules:
            self.load_rules()
        total = order.total(self.book)
        self.quotations.append({"customer": order.customer, "total": total})
        log.info("%s: %.2f", order.customer, total)
        return total


def orders_of_the_day(day):
    names = ("Ziegler", "Moreau", "Lindqvist", "Okafor", "Baum", "Tanaka")
    for number, name in enumerate(names):
        lines = [
            Line(species, 2.0 + (number + day) % 7, 1 + number)
            for species in list(SPECIES)[: 2 + number % 3]
        ]
        yield Order(name, lines)


def main():
    logging.basicConfig(level=logging.INFO)
    counter = Counter()
    takings = []
    for day in range(30):
        quoted = [counter.quote(order) for order in orders_of_the_day(day)]
        takings.append([round(each, 2) for each in quoted])
    print(len(counter.quotations), sum(map(sum, takings)))


if __name__ == "__main__":
    main()
