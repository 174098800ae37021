# SPDX-License-Identifier: Apache-2.0
"""Exchange desk: a native rate table returns each rate together with its currency object."""

import rate_table


class Currency:
    __slots__ = ("code", "digits", "symbol")

    def __init__(self, code, digits, symbol):
        self.code, self.digits, self.symbol = code, digits, symbol

    def show(self, amount):
        return "%s %.*f" % (self.symbol, self.digits, amount)


CURRENCIES = [Currency("EUR", 2, "€"), Currency("JPY", 0, "¥"), Currency("TND", 3, "DT")]


def open_desk():
    for number, currency in enumerate(CURRENCIES):
        rate_table.define(number, currency, 1.0 + number * 12.5)


def price_orders(amounts):
    lines = []
    for position, amount in enumerate(amounts):
        answer = rate_table.quote(position % len(CURRENCIES))
        lines.append(answer["currency"].show(amount * answer["rate"]))
    return lines


def main():
    open_desk()
    lines = price_orders([19.90, 4.0, 250.0, 7.5, 12.25, 99.0] * 40)
    ledger = [(line, len(line), float(n)) for n, line in enumerate(lines)]
    print(len(ledger), CURRENCIES[0].show(1))


main()
