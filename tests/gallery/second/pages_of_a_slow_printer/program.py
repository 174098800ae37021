# SPDX-License-Identifier: Apache-2.0
"""Feeds pages to printers; each printer has a generator that waits between its pages."""

import ctypes
import json
import os
import random
import sys


def feed(printer, pages):
    ink = 100.0
    for page in range(pages):
        ink -= 0.25 + page % 3
        yield f"{printer} page {page} ink {ink:.2f}"


class PrintRoom:
    def __init__(self, printers):
        self.feeds = {f"printer {n}": feed(f"printer {n}", 50 + n) for n in range(printers)}

    def turn(self):
        return [next(pages) for pages in self.feeds.values()]


def place_of_code(pages):
    """Where the suspended generator keeps the address of its code."""
    wanted = id(pages.gi_code)
    for holder in (id(pages), id(pages.gi_frame)):
        words = (ctypes.c_uint64 * 17).from_address(holder)
        for index in range(4, 17):
            if words[index] == wanted and not (holder == id(pages) and sys.version_info < (3, 11)):
                return holder + 8 * index
    raise LookupError("code")


def announce(room, chance):
    pages = room.feeds[f"printer {chance.randrange(12)}"]
    place = place_of_code(pages)
    with open("ready", "w") as ready:
        ready.write(json.dumps({"pid": os.getpid(), "memory": [[place + 4, 5]]}) + "\n")


def main():
    room = PrintRoom(12)
    for _ in range(3):
        room.turn()
    announce(room, random.Random(99))
    for _ in sys.stdin:
        print(room.turn()[-1], flush=True)


if __name__ == "__main__":
    main()
