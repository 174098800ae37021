# SPDX-License-Identifier: Apache-2.0
"""A vaccination centre lets people in: a line in a deque, several desks."""

import collections
import ctypes
import json
import os

Person = collections.namedtuple("Person", "ticket name born")
FIRST = ["Ida", "Noor", "Tomas", "Wen", "Olu", "Petra", "Ravi"]
LAST = ["Brandt", "Diallo", "Eriksen", "Fong", "Gupta", "Hale"]


class Desk:
    def __init__(self, number):
        self.number = number
        self.served = []

    def serve(self, person):
        self.served.append(person.ticket)
        return "desk %d: %s" % (self.number, person.name)


class Centre:
    def __init__(self, desks):
        self.line = collections.deque()
        self.desks = [Desk(number) for number in range(1, desks + 1)]
        self.tickets = 0

    def arrive(self, number):
        for _ in range(number):
            self.tickets += 1
            name = "%s %s" % (FIRST[self.tickets % 7], LAST[self.tickets % 6])
            self.line.append(Person(self.tickets, name, 1930 + self.tickets % 70))

    def call(self, desk):
        return desk.serve(self.line.popleft())

    def round(self):
        return [self.call(desk) for desk in self.desks if self.line]

    def oldest_waiting(self):
        return min(self.line, key=lambda person: person.born)


def word_of_leftmost_block(line):
    """Where the deque keeps the address of its first block: behind its size."""
    return id(line) + 3 * ctypes.sizeof(ctypes.c_void_p)


def main():
    centre = Centre(desks=4)
    centre.arrive(300)
    for _ in range(5):
        print(centre.round())
    print("oldest:", centre.oldest_waiting().name, flush=True)
    address = word_of_leftmost_block(centre.line)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[address, 43]]}) + "\n")
    input()
    while centre.line:
        print(centre.round(), flush=True)


main()
