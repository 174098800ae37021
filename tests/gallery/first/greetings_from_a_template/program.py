# SPDX-License-Identifier: Apache-2.0
"""Prints greetings on the receipts of shops, from a text that each shop writes itself."""

import receipts

GREETINGS = {
    "bakery": "Good morning %s, see you tomorrow",
    "kiosk": "Thank you %s",
    "book shop": "Dear %s, until Sunday: 20 %new books, 5 %off",
}


def print_receipts(shop, customers):
    printed = []
    for customer in customers:
        printed.append(receipts.greeting(GREETINGS[shop], customer))
    return printed


def main():
    customers = ["Ms Day", "Mr Knight", "Ms Morrow"]
    for shop in GREETINGS:
        print(shop, print_receipts(shop, customers), flush=True)


main()
