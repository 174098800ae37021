# SPDX-License-Identifier: Apache-2.0
"""Keeps the drafts of a newsroom; each line from the desk closes one and begins another."""

import ctypes
import json
import os
import random
import sys


class Draft:
    def __init__(self, title, size):
        self.title = title
        self.text = bytearray(size)

    def address(self):
        return ctypes.addressof((ctypes.c_char * len(self.text)).from_buffer(self.text))


class Desk:
    def __init__(self, count):
        self.drafts = {n: Draft(f"draft {n}", 1900 + n % 7 * 160) for n in range(count)}

    def close(self, number):
        return self.drafts.pop(number, None)

    def begin(self, number):
        self.drafts[number] = Draft(f"draft {number}", 2400)


def announce(desk, chance):
    draft = desk.drafts[chance.randrange(20, 40)]
    with open("ready", "w") as ready:
        place = draft.address() - 8 + 1
        ready.write(json.dumps({"pid": os.getpid(), "memory": [[place, 5]]}) + "\n")


def main():
    desk = Desk(60)
    announce(desk, random.Random(8))
    for _ in sys.stdin:
        for number in range(20, 60):
            desk.close(number)
            desk.begin(number + 100)
        print(len(desk.drafts), "drafts", flush=True)


if __name__ == "__main__":
    main()
