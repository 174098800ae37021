# SPDX-License-Identifier: Apache-2.0
"""The desk of a library: cards are made, and the fees are summed in the evening."""

import sys

sys.path.insert(0, ".")

import desk


class Member:
    __slots__ = ("name", "loans", "fee", "since")

    def __init__(self, name, since):
        self.name = name
        self.loans = []
        self.fee = 2.5 * (since % 4)
        self.since = since


def morning(members, numbers):
    cards = [desk.card(members, number) for number in numbers]
    return [f"{card['member'].name}: {card['limit']}" for card in cards]


def scan_covers(count):
    return [bytearray(60) for _ in range(count)]


def evening(members):
    total = 0
    for number, member in members.items():
        total += member.fee
        member.loans.append(number)
    return total


def main():
    members = {f"m{n:03d}": Member(f"reader {n}", 1990 + n % 30) for n in range(300)}
    print(morning(members, ["m007", "m120", "m121", "m290"]), flush=True)
    covers = scan_covers(5000)
    print(len(covers), evening(members), flush=True)


main()
