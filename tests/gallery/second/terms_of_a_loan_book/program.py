# SPDX-License-Identifier: Apache-2.0
"""Work out when each loan of the book will have been paid back."""

import os


class Loan:
    def __init__(self, number, amount, rate, payment):
        self.number = number
        self.amount = amount
        self.rate = rate
        self.payment = payment


BOOK = [
    Loan("HL-2203", 182_000.0, 0.021, 940.0),
    Loan("HL-2205", 64_500.0, 0.034, 610.0),
    Loan("HL-2207", 240_000.0, 0.061, 1_180.0),
    Loan("HL-2211", 18_000.0, 0.029, 330.0),
]


def months_to_repay(loan):
    balance, months = loan.amount, 0
    while balance > 0:
        interest = balance * loan.rate / 12
        balance = balance + interest - loan.payment
        months += 1
    return months


def terms_of(book):
    terms = {}
    for loan in book:
        terms[loan.number] = divmod(months_to_repay(loan), 12)
    return terms


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for number, (years, months) in terms_of(BOOK).items():
        print(number, years, "years", months, "months")


main()
