# SPDX-License-Identifier: Apache-2.0
"""Prints the recipes of a canteen while a muffler takes what is printed."""

import contextlib
import os
import sys


@contextlib.contextmanager
def muffled(taken):
    sys.stderr.flush()
    kept = os.dup(2)
    reading, writing = os.pipe()
    os.dup2(writing, 2)
    os.close(writing)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        with os.fdopen(reading) as pipe:
            taken.append(pipe.read())


class Canteen:
    def __init__(self, guests):
        self.guests = guests

    def explain(self, dish, amounts):
        for number in range(self.guests):
            print(f"{dish} for guest {number}: {amounts}", file=sys.stderr)


def main():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    taken = []
    for guests in (20, 2000):
        with muffled(taken):
            Canteen(guests).explain("soup", {"leek": 2, "potato": 3, "salt": "some"})
    print(sum(map(len, taken)))


main()
