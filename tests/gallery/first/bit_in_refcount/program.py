# SPDX-License-Identifier: Apache-2.0
"""A high bit of an object's reference count was flipped from outside: the count is negative or
huge, and the object is freed too early or the check for it fails.
"""

import json
import os


class Account:
    def __init__(self, number):
        self.number = number
        self.entries = [number] * 3


def settle(accounts):
    total = 0
    for account in accounts:
        mine = [account] * 3
        total += mine[1].number + len(mine[2].entries)
    return total


def main():
    accounts = [Account(n) for n in range(300)]
    again = list(accounts)
    victim = id(accounts[200])
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[victim, 1]]}) + "\n")
    input()
    while True:
        for _ in range(3):
            settle(accounts)
        again = again[:-1] if again else []
        noise = [Account(n) for n in range(50)]
        if not again:
            break


main()
