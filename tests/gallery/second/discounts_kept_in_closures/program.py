# SPDX-License-Identifier: Apache-2.0
"""Builds the price rules of an online shop as closures and applies them to carts."""

import json
import os
import sys
from fractions import Fraction


def percent_off(rate):
    factor = 1 - Fraction(rate, 100)
    label = "%d %% off" % rate

    def rule(price):
        return label, price * factor

    return rule


def at_least(limit, then):
    bound = Fraction(limit)

    def rule(price):
        if price < bound:
            return "", price
        return then(price)

    return rule


def total(carts, rules):
    cents = 0
    for cart in carts:
        price = Fraction(sum(cart))
        for rule in rules:
            _, price = rule(price)
        cents += round(price)
    return cents


def main():
    rules = [at_least(limit, percent_off(limit // 1000)) for limit in range(3000, 30000, 3000)]
    carts = [[number * 7 % 4000, number * 13 % 9000] for number in range(1500)]
    print(total(carts, rules))
    cell = rules[4].__closure__[0]
    told = {"pid": os.getpid(), "memory": [[id(cell) + 16, 38]]}
    with open("ready", "w") as file:
        file.write(json.dumps(told) + "\n")
    sys.stdin.readline()
    print(total(carts, rules))


if __name__ == "__main__":
    main()
