# SPDX-License-Identifier: Apache-2.0
"""A raffle draws winners from its tickets; the generator is seeded once a day."""

import json
import os
import random

INDEX = 16  # of a random.Random: head, and then the place in its state


class Raffle:
    def __init__(self, day, tickets):
        self.source = random.Random(day)
        self.tickets = list(range(1, tickets + 1))
        self.drawn = []

    def draw(self, count):
        for _ in range(count):
            number = self.source.randrange(len(self.tickets))
            self.drawn.append(self.tickets.pop(number))

    def evening(self, rounds):
        for size in rounds:
            self.draw(size)
        return self.drawn[-3:]


def main():
    raffle = Raffle(20261129, 4000)
    print(raffle.evening([5, 10, 20]), flush=True)
    with open("ready", "w") as file:
        place = id(raffle.source) + INDEX
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 31]]}) + "\n")
    input()
    print(raffle.evening([5, 10, 20]), flush=True)


main()
