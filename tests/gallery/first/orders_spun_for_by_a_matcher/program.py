# SPDX-License-Identifier: Apache-2.0
"""The fastest consumer there is: a matching engine spins on a ring in shared memory."""

import mmap
import os
import struct

HEAD = struct.Struct("<Q")
ORDER = struct.Struct("<Qd")
PLACES = 64


class Ring:
    """Orders of another process; the head counts those that were written."""

    def __init__(self):
        self.page = mmap.mmap(-1, 4096)

    def put(self, price):
        (head,) = HEAD.unpack_from(self.page, 0)
        ORDER.pack_into(self.page, 64 + head % PLACES * ORDER.size, head, price)
        HEAD.pack_into(self.page, 0, head + 1)

    def take(self, number):
        while True:
            (head,) = HEAD.unpack_from(self.page, 0)
            if head > number:
                break
        return ORDER.unpack_from(self.page, 64 + number % PLACES * ORDER.size)[1]


def match(ring):
    number, best = 0, 0.0
    while True:
        price = ring.take(number)
        number += 1
        if price > best:
            best = price
            print("best", best, flush=True)


def main():
    ring = Ring()
    for price in (99.5, 99.7, 99.6):
        ring.put(price)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    match(ring)


main()
