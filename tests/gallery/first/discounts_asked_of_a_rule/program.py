# SPDX-License-Identifier: Apache-2.0
"""A till that asks a rule written in Python for the discount of each article."""

import till


class Rules:
    def __init__(self, percent):
        self.percent = percent
        self.asked = 0

    def discount(self, article, cents, pieces, *details):
        self.asked += len(details)
        return cents * pieces * self.percent // 100


def main():
    rules = Rules(5)
    total = 0
    for number in range(4000, 4040):
        total += till.charge(rules.discount, number, 100 + number % 50, number % 3 + 1)
    print(total, rules.asked)


main()
