# SPDX-License-Identifier: Apache-2.0
"""Prices of an invoice in their currency, with a type of its own for money."""

import functools
import operator
import sys

sys.path.insert(0, ".")

from money import Money


class Invoice:
    def __init__(self, number, currency):
        self.number = number
        self.currency = currency
        self.prices = []

    def add(self, cents, count=1):
        self.prices.extend(Money(cents, self.currency) for _ in range(count))

    def running(self):
        return functools.reduce(operator.add, self.prices)

    def total(self):
        return sum(self.prices)


def main():
    invoices = []
    for number in range(4):
        invoice = Invoice(number, "SEK" if number % 2 else "CHF")
        invoice.add(1250, 3)
        invoice.add(499 + number)
        invoices.append(invoice)
    print([invoice.running() for invoice in invoices], flush=True)
    print([invoice.total() for invoice in invoices], flush=True)


main()
