# SPDX-License-Identifier: Apache-2.0
"""A bit of a class's slot for hash() was flipped from outside; the interpreter calls an address
where nothing is mapped.
"""

import json
import os

TP_HASH = 120  # offsetof(PyTypeObject, tp_hash)


class Ticket:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return self.number

    def __eq__(self, other):
        return self.number == other.number


def sold(tickets):
    return len(set(tickets))


def main():
    tickets = [Ticket(number % 300) for number in range(1000)]
    print(sold(tickets))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(Ticket) + TP_HASH, 35]]}) + "\n")
    input()
    print(sold(tickets))


main()
