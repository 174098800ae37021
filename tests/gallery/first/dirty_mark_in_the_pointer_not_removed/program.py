# SPDX-License-Identifier: Apache-2.0
"""A page cache keeps its dirty mark in the pointer; the eviction takes the entry as it is."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pages.so"))
library.write_page.argtypes = [ctypes.c_long, ctypes.c_char]
library.coldest_page.restype = ctypes.c_long


class Cache:
    def __init__(self, pages):
        for number in range(pages):
            library.load_page(number)

    def put(self, number, text):
        for byte in text:
            library.write_page(number, bytes([byte]))

    def evict(self):
        return library.coldest_page()


def import_rows(cache, numbers):
    for number in numbers:
        cache.put(number, b"row")


def night_run(cache):
    print(cache.evict())
    import_rows(cache, [77])
    print(library.read_page(77))
    return cache.evict()


print(night_run(Cache(200)))
