# SPDX-License-Identifier: Apache-2.0
"""A bridge club deals, evaluates and ranks the hands of an evening."""

import random
from collections import Counter

import bridge

SUITS = "SHDC"
RANKS = "AKQJT98765432"
POINTS = {"A": 4, "K": 3, "Q": 2, "J": 1}


class Card:
    def __init__(self, suit, rank):
        self.suit = suit
        self.rank = rank

    def points(self):
        return POINTS.get(self.rank, 0)


class Dealer:
    def __init__(self, name, seed):
        self.name = name
        self.random = random.Random(seed)
        self.dealt = 0

    def hand(self, count):
        self.dealt += 1
        chosen = self.random.sample(range(52), count)
        return [Card(SUITS[number // 13], RANKS[number % 13]) for number in sorted(chosen)]


def make_hand(dealer, count):
    return dealer.hand(count)


class Table:
    def __init__(self, number, dealer):
        self.number = number
        self.dealer = dealer
        self.deals = []

    def play(self, rounds):
        for _ in range(rounds):
            self.deals.append(bridge.Deal(make_hand, self.dealer, 13))

    def shapes(self):
        counts = Counter()
        for deal in self.deals:
            suits = Counter(card.suit for card in deal)
            counts["-".join(str(n) for n in sorted(suits.values(), reverse=True))] += 1
        return counts

    def strongest(self):
        return max(sum(card.points() for card in deal) for deal in self.deals)


def main():
    dealers = [Dealer(name, seed) for seed, name in enumerate(("Anke", "Bodo", "Clara", "Dirk"))]
    tables = [Table(number, dealers[number % 4]) for number in range(12)]
    for evening in range(8):
        for table in tables:
            table.play(24)
        shapes = sum((table.shapes() for table in tables), Counter())
        print(evening, shapes.most_common(2), max(table.strongest() for table in tables))


main()
