# SPDX-License-Identifier: Apache-2.0
"""The accounts of a ledger are settled by a native loop that takes a while."""

import ctypes
import json
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ledger.so"))


class Account(ctypes.Structure):
    _fields_ = [("number", ctypes.c_long), ("balance", ctypes.c_long)]


library.settle_accounts.argtypes = [ctypes.POINTER(Account), ctypes.c_long, ctypes.c_long]
library.settle_accounts.restype = ctypes.c_long


def load(count):
    return (Account * count)(*[(n, 1000 + n % 97) for n in range(count)])


def settle(accounts, rounds):
    return library.settle_accounts(accounts, len(accounts), rounds)


def nightly(accounts):
    with open("ready", "w") as file:
        told = {"pid": os.getpid(), "register": "r13", "bit": 42}
        file.write(json.dumps(told) + "\n")
    return settle(accounts, 20_000_000)


def main():
    print(nightly(load(500)))


main()
