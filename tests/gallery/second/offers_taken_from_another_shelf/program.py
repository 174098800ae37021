# SPDX-License-Identifier: Apache-2.0
"""Offers of a shop: a stream of prices whose source is changed while it is open."""

from dataclasses import dataclass, field


@dataclass
class Shelf:
    name: str
    prices: list = field(default_factory=list)

    def offers(self, factor):
        return (round(price * factor, 2) for price in self.prices)


@dataclass
class Counter:
    shelves: dict

    def switch(self, stream, shelf):
        """Let an open stream of offers go on with the prices of another shelf."""
        stream.gi_frame.f_locals[".0"] = self.shelves[shelf].prices
        return stream

    def quote(self, stream):
        return list(stream)


def main():
    counter = Counter(
        {
            "cheese": Shelf("cheese", [4.2, 7.9, 12.5]),
            "bread": Shelf("bread", [1.1, 2.4, 3.3]),
        }
    )
    print(counter.quote(counter.shelves["cheese"].offers(0.9)))
    stream = counter.shelves["cheese"].offers(1.1)
    print(counter.quote(counter.switch(stream, "bread")))


main()
