# SPDX-License-Identifier: Apache-2.0
"""Test run: a type for amounts of money is held against its laws with very many random amounts."""

import decimal
import os
import random
import unittest

CENT = decimal.Decimal("0.01")


class Money:
    """An amount in cents that never loses one."""

    def __init__(self, amount):
        self.amount = decimal.Decimal(amount).quantize(CENT)

    def __add__(self, other):
        return Money(self.amount + other.amount)

    def __eq__(self, other):
        return self.amount == other.amount

    def split(self, parts):
        share = (self.amount / parts).quantize(CENT, decimal.ROUND_DOWN)
        rest = int((self.amount - share * parts) / CENT)
        return [Money(share + CENT * (number < rest)) for number in range(parts)]


def amounts(seed, count):
    draw = random.Random(seed)
    for _ in range(count):
        yield Money(draw.randrange(10**9) * CENT)


class Laws(unittest.TestCase):
    """What must hold of every amount."""

    def test_sum_does_not_depend_on_order(self):
        for one, two in zip(amounts(1, 20000), amounts(2, 20000)):
            self.assertEqual(one + two, two + one)

    def test_parts_give_the_whole(self):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        for number, whole in enumerate(amounts(3, 3000000)):
            total = Money(0)
            for part in whole.split(2 + number % 9):
                total = total + part
            self.assertEqual(total, whole)


if __name__ == "__main__":
    names = ["Laws.test_sum_does_not_depend_on_order", "Laws.test_parts_give_the_whole"]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names, __import__("__main__"))
    unittest.TextTestRunner(verbosity=2).run(suite)
