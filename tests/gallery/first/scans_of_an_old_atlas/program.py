# SPDX-License-Identifier: Apache-2.0
"""Keeps scanned pages in large buffers; a bit is flipped in front of one of them."""

import ctypes
import json
import os
import sys


class Page:
    def __init__(self, number, size):
        self.number = number
        self.pixels = bytearray(size)
        self.pixels[::64] = bytes([number]) * len(range(0, size, 64))

    def darkness(self):
        return sum(self.pixels[::64])


class Atlas:
    def __init__(self, pages):
        self.pages = [Page(number, 9000 + 160 * number) for number in range(pages)]

    def drop(self, number):
        self.pages = [page for page in self.pages if page.number != number]


def address_of(data):
    view = (ctypes.c_char * len(data)).from_buffer(data)
    return ctypes.addressof(view)


def main():
    atlas = Atlas(30)
    before = address_of(atlas.pages[12].pixels) - 8
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[before, 1]]}) + "\n")
    sys.stdin.readline()
    for number in range(5, 25):
        atlas.drop(number)
        print(number, sum(page.darkness() for page in atlas.pages), flush=True)


main()
