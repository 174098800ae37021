# SPDX-License-Identifier: Apache-2.0
"""Downloads are cancelled; the answer of the peer comes after that and is noted all the same."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "transfer.so"))
library.start_transfer.argtypes = [ctypes.c_char_p]
library.start_transfer.restype = ctypes.c_void_p
library.cancel_transfer.argtypes = [ctypes.c_void_p]
library.complete_transfers.argtypes = [ctypes.c_long, ctypes.c_long]


class Item:
    def __init__(self, number, weight):
        self.number, self.weight = number, weight


class Shelf:
    def __init__(self, room):
        self.places = [None] * room

    def fill(self):
        for number in range(len(self.places)):
            self.places[number] = Item(number, number % 9 + 1)

    def weight(self):
        return sum(item.weight for item in self.places)


def download(paths):
    for transfer in [library.start_transfer(path) for path in paths]:
        library.cancel_transfer(transfer)
    return [Shelf(80) for _ in paths]


def refresh(paths):
    shelves = download(paths)
    for shelf in shelves:
        shelf.fill()
    library.complete_transfers(206, 4096)
    return sum(shelf.weight() for shelf in shelves)


def main():
    print(refresh([b"/catalogue/%d" % page for page in range(16)]))


main()
