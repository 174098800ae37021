# SPDX-License-Identifier: Apache-2.0
"""Books lines of a ledger through a compiled module."""

import booking


def post(ledger, lines):
    total = 0
    for number, (account, cents) in enumerate(lines):
        total += booking.add(ledger, account, cents)
        if number % 50 == 49:
            total += booking.export(f"ledger.{number}", total)
    return total


def main():
    ledger = []
    lines = [(f"account {n % 7}", n * 13) for n in range(200)]
    print(post(ledger, lines))


main()
