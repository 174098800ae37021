# SPDX-License-Identifier: Apache-2.0
"""Baskets of a web shop; a compiled writer keeps a summary of each for the list of orders."""

import summaries


class Basket:
    def __init__(self, number):
        self.summary = summaries.new()
        self.stock = [f"shelf {number}"] * 32
        self.number = number

    def add(self, article, pieces):
        return summaries.add(self.summary, article, pieces)

    def places(self):
        return {place.upper() for place in self.stock}


def main():
    baskets = [Basket(number) for number in range(300)]
    for basket in baskets:
        for pieces in range(1, 7):
            basket.add("apples from the garden", pieces)
    print(sum(len(basket.places()) for basket in baskets), flush=True)
    for basket in baskets[200:204]:
        for pieces in range(1, 10):
            length = basket.add("winter apples of the old orchard", pieces)
    print("longest", length, flush=True)
    print(sum(len(basket.places()) for basket in baskets), flush=True)


main()
