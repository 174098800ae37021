# SPDX-License-Identifier: Apache-2.0
"""Passes telegrams on; the office keeps the texts of the day in memory."""

import json
import os
import random
import sys


def telegram(number, chance):
    return bytes(chance.randrange(65, 91) for _ in range(400)) + b"%6d" % number


class Office:
    def __init__(self, chance):
        self.chance = chance
        self.kept = []

    def receive(self, count):
        for _ in range(count):
            self.kept.append(telegram(len(self.kept), self.chance))

    def of_last_pool(self):
        size = 4096 if sys.version_info < (3, 10) else 16384
        return id(self.kept[-1]) & ~(size - 1)


def announce(office):
    free_block = office.of_last_pool() + 8
    with open("ready", "w") as ready:
        bit = office.chance.randrange(4, 7)
        ready.write(json.dumps({"pid": os.getpid(), "memory": [[free_block + 4, bit]]}) + "\n")


def main():
    office = Office(random.Random(1844))
    office.receive(165)
    announce(office)
    for _ in sys.stdin:
        office.receive(300)
        print(len(office.kept), "telegrams", flush=True)


if __name__ == "__main__":
    main()
