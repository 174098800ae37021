# SPDX-License-Identifier: Apache-2.0
"""Adds up taxes in decimals; a bit is flipped in the length of one of them."""

import json
import os
import sys
from decimal import Decimal, getcontext

LENGTH = 48  # offset of the number of words of a decimal


class Case:
    def __init__(self, number):
        self.number = number
        self.income = Decimal(31000 + 617 * number) + Decimal("0.35") * number
        self.rate = Decimal(19 + number % 7) / 3

    def tax(self):
        return (self.income * self.rate / 100).quantize(Decimal("0.01"))


def main():
    getcontext().prec = 40
    cases = [Case(number) for number in range(60)]
    print(sum(case.tax() for case in cases), flush=True)
    rate = cases[33].rate
    with open("ready", "w") as file:
        # Bit 22 of the length.
        memory = [[id(rate) + LENGTH + 2, 6]]
        file.write(json.dumps({"pid": os.getpid(), "memory": memory}) + "\n")
    sys.stdin.readline()
    print(sum(case.tax() for case in cases))


main()
