# SPDX-License-Identifier: Apache-2.0
"""A bit of an entry in the table of a set was flipped from outside while the service waited."""

import ctypes
import json
import os


class SeenOrders:
    """The numbers of the orders that were handled already."""

    def __init__(self):
        self.numbers = set()

    def add_all(self, count):
        for number in range(count):
            self.numbers.add("order-%d" % number)

    def longest(self):
        return max(len(number) for number in self.numbers)


def used_entry(table, mask, wanted):
    """Return the address of the wanted-th entry in use: a key and its hash."""
    for at in range(mask + 1):
        if ctypes.c_void_p.from_address(table + 16 * at).value:
            wanted -= 1
            if wanted == 0:
                return table + 16 * at
    raise LookupError


def main():
    seen = SeenOrders()
    seen.add_all(900)
    mask = ctypes.c_ssize_t.from_address(id(seen.numbers) + 32).value
    table = ctypes.c_void_p.from_address(id(seen.numbers) + 40).value
    entry = used_entry(table, mask, 400)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[entry, 42]]}) + "\n")
    input()
    print(seen.longest())


main()
