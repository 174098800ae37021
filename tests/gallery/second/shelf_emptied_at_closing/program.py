# SPDX-License-Identifier: Apache-2.0
"""Shelves of a bakery, kept by a compiled library that gives spare room back."""

import ctypes
import os

lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "shelf.so"))
lib.shelf_open.restype = ctypes.c_void_p
for name in ("shelf_put", "shelf_take", "shelf_pack", "shelf_close"):
    getattr(lib, name).argtypes = [ctypes.c_void_p] + [ctypes.c_long] * (name == "shelf_put")


class Shelf:
    def __init__(self, room):
        self.handle = lib.shelf_open(room)

    def put(self, loaf):
        lib.shelf_put(self.handle, loaf)

    def sell(self, loaves):
        return sum(lib.shelf_take(self.handle) for _ in range(loaves))

    def pack(self):
        lib.shelf_pack(self.handle)

    def close(self):
        lib.shelf_close(self.handle)


def day(shelf, baked, sold):
    for loaf in range(baked):
        shelf.put(loaf)
    earned = shelf.sell(sold)
    shelf.pack()
    return earned


def main():
    for number, (baked, sold) in enumerate([(12, 9), (12, 11), (12, 12)]):
        shelf = Shelf(12)
        print(number, day(shelf, baked, sold), flush=True)
        shelf.close()


main()
