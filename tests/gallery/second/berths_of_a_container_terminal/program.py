# SPDX-License-Identifier: Apache-2.0
"""Assigns ships to the berths of a container terminal."""

import ctypes
import json
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))


class Quay:
    def __init__(self):
        self._library = ctypes.CDLL(os.path.join(HERE, "quay.so"))
        self._library.add_berth.restype = ctypes.c_void_p
        self._library.add_berth.argtypes = [ctypes.c_char_p, ctypes.c_int]
        self._library.free_length.restype = ctypes.c_long
        self.berths = []

    def add(self, name, length):
        self.berths.append(self._library.add_berth(name.encode(), length))

    def assign(self, ship_length):
        return self._library.take_berth(ship_length)

    def free(self):
        return self._library.free_length()


def main():
    dice = random.Random(5)
    quay = Quay()
    for number in range(240):
        quay.add("B%03d" % number, dice.randrange(120, 400))
    print("free before:", quay.free())
    with open("ready", "w") as file:
        link = quay.berths[163] + 24
        file.write(json.dumps({"pid": os.getpid(), "memory": [[link, 39]]}) + "\n")
    input()
    for _ in range(500):
        quay.assign(dice.randrange(100, 400))
    print("free after:", quay.free())


if __name__ == "__main__":
    main()
