# SPDX-License-Identifier: Apache-2.0
"""Readings are taken line by line from a file that is kept open."""

import ctypes
import json
import os


class Readings:
    def __init__(self, path):
        self.file = open(path, "rb")

    def following(self, count):
        return [float(self.file.readline()) for _ in range(count)]


def place_of_buffer(stream):
    """Return where the stream keeps the address of what it has read ahead."""
    words = (ctypes.c_uint64 * 16).from_address(id(stream))
    for number in range(4, 16):
        start = words[number]
        if start > 1 << 32 and ctypes.string_at(start, 4) == b"11.5":
            return id(stream) + 8 * number
    raise SystemExit("no buffer")


def main():
    with open("readings", "w") as file:
        file.writelines("11.5%02d\n" % (n % 100) for n in range(1000))
    readings = Readings("readings")
    print(sum(readings.following(40)))
    with open("ready", "w") as file:
        told = {"pid": os.getpid(), "memory": [[place_of_buffer(readings.file), 40]]}
        file.write(json.dumps(told) + "\n")
    input()
    print(sum(readings.following(40)))


main()
