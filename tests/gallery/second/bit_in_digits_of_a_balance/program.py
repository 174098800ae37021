# SPDX-License-Identifier: Apache-2.0
"""Accounts are kept in decimals; one bit of where a balance has its digits flips meanwhile."""

import ctypes
import json
import os
from decimal import Decimal

DIGITS = 64


def open_accounts(count):
    return {f"DE{n:05d}": Decimal(n * 1733) / 100 for n in range(count)}


def digits_address(balance):
    """Return where a decimal keeps the pointer to its digits."""
    assert ctypes.c_void_p.from_address(id(balance) + DIGITS).value == id(balance) + DIGITS + 8
    return id(balance) + DIGITS


def close_day(accounts, interest):
    return sum(balance + balance * interest for balance in accounts.values())


def main():
    accounts = open_accounts(900)
    place = digits_address(accounts["DE00412"])
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 41]]}) + "\n")
    input()
    print(close_day(accounts, Decimal("0.0012")))


main()
