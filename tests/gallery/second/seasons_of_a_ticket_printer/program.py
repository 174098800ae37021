# SPDX-License-Identifier: Apache-2.0
"""Prints day and season tickets of a tram; every ticket is thrown away after its print."""

from collections import Counter

import tickets


def print_day(day, sold):
    for passenger in range(40):
        if passenger % 5 == 0:
            ticket = tickets.Season(passenger, 30)
        else:
            ticket = tickets.Ticket(passenger)
        sold[ticket.price()] += 1


def main():
    sold = Counter()
    for day in range(60):
        print_day(day, sold)
        print("day", day, sum(price * count for price, count in sold.items()), flush=True)


if __name__ == "__main__":
    main()
