# SPDX-License-Identifier: Apache-2.0
"""A till adds up amounts of money while the bit is flipped in the type of these amounts."""

import ctypes
import json
import os
import sys

AS_NUMBER = 96  # offset of tp_as_number


class Money:
    """An amount in cents."""

    def __init__(self, cents):
        self.cents = cents

    def __add__(self, other):
        return Money(self.cents + other.cents)

    def __repr__(self):
        return f"{self.cents / 100:.2f}"


def takings(day):
    return [Money(125 * number + day) for number in range(40)]


def total(amounts):
    result = Money(0)
    for amount in amounts:
        result = result + amount
    return result


def ask_for_a_flip(address, bit):
    with open("ready", "w") as file:
        json.dump({"pid": os.getpid(), "memory": [[address + bit // 8, bit % 8]]}, file)
        file.write("\n")
    sys.stdin.readline()


def main():
    days = [takings(day) for day in range(7)]
    print(total(days[0]), flush=True)
    table = id(Money) + AS_NUMBER
    assert ctypes.c_void_p.from_address(table).value
    ask_for_a_flip(table, 29)
    for day in days:
        print(total(day), flush=True)


main()
