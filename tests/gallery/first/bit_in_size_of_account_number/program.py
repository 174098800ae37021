# SPDX-License-Identifier: Apache-2.0
"""A bit in the size of a long integer was flipped from outside while the service waited."""

import json
import os
import uuid


class Ledger:
    def __init__(self):
        self.balances = {}

    def book(self, account, amount):
        self.balances[account] = self.balances.get(account, 0) + amount


def accounts(count):
    return [uuid.uuid5(uuid.NAMESPACE_DNS, "account-%d" % n).int for n in range(count)]


def main():
    ledger = Ledger()
    numbers = accounts(300)
    for number in numbers:
        ledger.book(number, 5)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(numbers[120]) + 16, 44]]}) + "\n")
    input()
    for number in numbers:
        ledger.book(number, 7)
    print(sum(ledger.balances.values()))


main()
