# SPDX-License-Identifier: Apache-2.0
"""Prices articles by a class for each kind of discount."""

import json
import os

TP_MRO = 344


class Discount:
    def __init__(self, percent):
        self.percent = percent

    def price(self, cents):
        return cents * (100 - self.percent) // 100

    def shown(self):
        return f"-{self.percent}%"


class SummerSale(Discount):
    def price(self, cents):
        return super(SummerSale, self).price(cents) - 1


def checkout(discounts, baskets):
    return sum(discounts[n % len(discounts)].price(cents) for n, cents in enumerate(baskets))


def main():
    discounts = [SummerSale(n % 30) for n in range(20)]
    baskets = [n * 37 % 9000 for n in range(5000)]
    print(checkout(discounts, baskets), flush=True)
    with open("ready", "w") as file:
        file.write(
            json.dumps({"pid": os.getpid(), "memory": [[id(SummerSale) + TP_MRO, 41]]}) + "\n"
        )
    input()
    plain = [Discount(n) for n in range(20)]
    print(checkout(plain, baskets), flush=True)
    print(checkout(discounts, baskets), flush=True)
    print([discount.shown() for discount in discounts])
    print(isinstance(discounts[0], Discount), issubclass(SummerSale, dict))


main()
