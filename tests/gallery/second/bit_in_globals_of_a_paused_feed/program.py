# SPDX-License-Identifier: Apache-2.0
"""Feeds of sensor readings, each a generator that waits for its next value."""

import json
import os
import sys

SCALE = {"celsius": 0.1, "bar": 0.01}


def feed(unit):
    total = 0.0
    while True:
        value = yield total
        total += value * SCALE[unit] + len(unit)


def where_globals(generator):
    """Return where the frame of a generator keeps the pointer to its globals."""
    if sys.version_info >= (3, 13):
        return id(generator) + 72 + 24
    if sys.version_info >= (3, 12):
        return id(generator) + 72 + 24
    return id(generator) + 80 + 8


def main():
    feeds = [feed("bar" if n % 3 else "celsius") for n in range(80)]
    for each in feeds:
        next(each)
    for n in range(400):
        feeds[n % 80].send(n)
    with open("ready", "w") as file:
        file.write(
            json.dumps({"pid": os.getpid(), "memory": [[where_globals(feeds[57]), 42]]}) + "\n"
        )
    input()
    for n in range(4000):
        total = sum(feeds[n % 50].send(n) for n in range(50))
    print(total, flush=True)
    for n in range(80):
        total += feeds[n].send(n)
    print(total)


main()
