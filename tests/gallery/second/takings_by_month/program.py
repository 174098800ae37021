# SPDX-License-Identifier: Apache-2.0
"""Takings of the branches of a shop, added up by month in a compiled ledger."""

import ledger


class Branch:
    def __init__(self, number):
        self.takings = ledger.open()
        self.notes = ["open"] * 12
        self.number = number

    def book(self, month, cents):
        ledger.book(self.takings, month, cents)

    def overview(self):
        return ", ".join(note.title() for note in self.notes)


def main():
    branches = [Branch(number) for number in range(400)]
    for month in range(1, 12):
        for branch in branches:
            branch.book(month, 81_990_000 + month)
        print(month, len("".join(branch.overview() for branch in branches)), flush=True)
    for branch in branches[250:260]:
        branch.book(12, 12_345_678_901)
    print(12, len("".join(branch.overview() for branch in branches)), flush=True)


main()
