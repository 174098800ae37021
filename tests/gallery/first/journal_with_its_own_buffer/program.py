# SPDX-License-Identifier: Apache-2.0
"""A journal written by the C library's stdio, with a buffer of the size of a block."""

import ctypes

libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
libc.fputs.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
libc.setvbuf.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
FULLY = 0


class Journal:
    def __init__(self, path, block):
        self.stream = libc.fopen(path.encode(), b"w")
        libc.setvbuf(self.stream, ctypes.create_string_buffer(block), FULLY, block)

    def note(self, text):
        libc.fputs(text.encode() + b"\n", self.stream)


class Order:
    __slots__ = ("number", "items")

    def __init__(self, number):
        self.number = number
        self.items = [number, number + 1]


def process(journal, orders):
    booked = {}
    for order in orders:
        booked[order.number] = (order.items, sum(order.items))
        journal.note(f"booked order {order.number} of {len(order.items)} items")
    return booked


def main():
    journal = Journal("journal.txt", 480)
    history = []
    for batch in range(30):
        orders = [Order(batch * 100 + n) for n in range(40)]
        history.append((process(journal, orders), orders, [[None] * 60 for n in range(20)]))
        for booked, old, lists in history:
            total = sum(total for _, total in booked.values()) + len(old) + sum(map(len, lists))
        print(batch, total, flush=True)
    for booked, _, lists in history:
        print(len({str(item) for row in lists for item in row}), len(booked))


main()
