# SPDX-License-Identifier: Apache-2.0
"""The taps of one day on a tram network become trips with fares."""

import logging
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal

import fares

ZONES = 9


class Fare:
    def __init__(self, start, end):
        self.start = start
        self.end = end
        self.price = Decimal("1.80") + Decimal("0.45") * abs(start - end)
        self.child = self.price / 2

    def for_rider(self, kind):
        return self.child if kind == "child" else self.price


@dataclass
class Account:
    card: int
    kind: str
    trips: list = field(default_factory=list)

    def owed(self):
        return sum((trip.for_rider(self.kind) for trip in self.trips), Decimal(0))

    def capped(self):
        return min(self.owed(), Decimal("9.90"))


class Network:
    def __init__(self):
        self.table = fares.Table({(a, b): Fare(a, b) for a in range(ZONES) for b in range(ZONES)})
        self.accounts = {}

    def tap(self, card, start, end):
        if card not in self.accounts:
            self.accounts[card] = Account(card, "child" if card % 11 == 0 else "adult")
        self.accounts[card].trips.append(self.table.fare(start, end))

    def close_day(self):
        by_kind = defaultdict(Decimal)
        for account in self.accounts.values():
            try:
                by_kind[account.kind] += account.capped()
            except Exception:
                logging.exception("account %s left for the office", account.card)
            account.trips.clear()
        return dict(by_kind)


def taps_of(day):
    """Groups board together, so that the same trip comes several times in a row."""
    for group in range(400):
        start, end = (group * 5 + day) % ZONES, (group * 2 + 3 * day) % ZONES
        for rider in range(1 + group % 4):
            yield 1000 + (group * 13 + rider) % 700, start, end


def main():
    network = Network()
    for day in range(300):
        for card, start, end in taps_of(day):
            network.tap(card, start, end)
        print("day", day, network.close_day(), flush=True)
    print(network.table.asked, network.table.remembered)


main()
