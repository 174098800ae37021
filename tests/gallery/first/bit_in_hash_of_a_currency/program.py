# SPDX-License-Identifier: Apache-2.0
"""Rates of a payment service; it stops when a payment has an unknown currency."""

import json
import os
import sys

CODES = (
    "AUD BRL CAD CHF CLP CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD "
    "PHP PLN RON SEK SGD THB TRY USD ZAR"
).split()


class Payment:
    def __init__(self, number):
        self.number = number
        self.cents = 100 + number * 17 % 5000
        self.currency = CODES[number % len(CODES)]


class Desk:
    def __init__(self):
        self.rates = {code: 1 + n / 8 for n, code in enumerate(CODES)}
        self.booked = 0

    def book(self, payment):
        try:
            rate = self.rates[payment.currency]
        except KeyError:
            print("no rate for", payment.currency, file=sys.stderr, flush=True)
            os.abort()
        self.booked += round(payment.cents * rate)


def main():
    desk = Desk()
    payments = [Payment(number) for number in range(500)]
    for payment in payments:
        desk.book(payment)
    print(desk.booked, flush=True)
    place = id(payments[8].currency) + 24
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 4]]}) + "\n")
    input()
    for payment in payments:
        desk.book(payment)
    print(desk.booked, flush=True)


main()
