# SPDX-License-Identifier: Apache-2.0
"""Titles of a library's books are exported in UTF-16; the buffers were measured in characters."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "titles.so"))
library.to_utf16.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_long]
library.to_utf16.restype = ctypes.c_long
ROOM = 44


class Book:
    def __init__(self, number, title):
        self.title = title
        self.buffer = ctypes.create_string_buffer(ROOM)
        self.shelves = (f"shelf {number}",)

    def convert(self):
        return library.to_utf16(self.title, self.buffer, ROOM)


def export(books):
    return [book.convert() for book in books]


def places(books):
    return {place.title() for book in books for place in book.shelves}


def nightly_export(titles):
    books = [Book(number, title) for number, title in enumerate(titles)]
    characters = sum(export(books))
    return characters, len(places(books))


def main():
    print(nightly_export([b"Short %d" % n for n in range(50)]))
    print(nightly_export([b"A History of the Northern Lighthouses, %d" % n for n in range(200)]))


main()
