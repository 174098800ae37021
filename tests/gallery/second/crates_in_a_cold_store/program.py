# SPDX-License-Identifier: Apache-2.0
"""A cold store with lists of crates in C; a bit of a link of one of them is flipped."""

import ctypes
import json
import os
import sys
import threading

GOODS = ["herring", "peas", "ice cream", "spinach", "cod", "blueberries"]
NEXT = 32  # offset of a crate's link

library = ctypes.CDLL(os.path.abspath("crates.so"))
library.aisle_open.restype = ctypes.c_void_p
library.aisle_store.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_char_p]
library.aisle_store.restype = ctypes.c_void_p
library.aisle_weight.argtypes = [ctypes.c_void_p]
library.aisle_weight.restype = ctypes.c_long


class Aisle:
    def __init__(self, name):
        self.name = name
        self.handle = library.aisle_open()
        self.crates = {}

    def store(self, number):
        goods = GOODS[number % len(GOODS)]
        kilograms = 8 + number % 23
        self.crates[number] = library.aisle_store(self.handle, number, kilograms, goods.encode())

    def weight(self):
        return library.aisle_weight(self.handle)


class Inspector(threading.Thread):
    def __init__(self, aisles, morning):
        super().__init__(name="inspector")
        self.aisles = aisles
        self.morning = morning
        self.found = {}

    def run(self):
        self.morning.wait()
        for aisle in self.aisles:
            self.found[aisle.name] = aisle.weight()


def main():
    aisles = [Aisle(f"aisle {letter}") for letter in "ABCDEF"]
    for number in range(3000):
        aisles[number * 7 % 6].store(number)
    before = sum(aisle.weight() for aisle in aisles)
    morning = threading.Event()
    inspector = Inspector(aisles, morning)
    inspector.start()
    aisle = max(aisles, key=lambda each: len(each.crates))
    number = sorted(aisle.crates)[len(aisle.crates) // 2]
    link = aisle.crates[number] + NEXT
    with open("ready", "w") as file:
        # Bit 29 of the link.
        file.write(json.dumps({"pid": os.getpid(), "memory": [[link, 29]]}) + "\n")
    sys.stdin.readline()
    morning.set()
    inspector.join()
    print(before, sum(inspector.found.values()))


main()
