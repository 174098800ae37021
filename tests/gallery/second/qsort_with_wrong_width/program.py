# SPDX-License-Identifier: Apache-2.0
"""qsort is told a wrong size of an array's elements and sorts what lies behind it as well."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("sorting.so"))
library.numbers.restype = library.open_book.restype = ctypes.c_void_p
library.order.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
library.close_book.argtypes = [ctypes.c_void_p]


def order(numbers, count):
    library.order(numbers, count, ctypes.sizeof(ctypes.c_long))


def close_all(books):
    for book in books:
        library.close_book(book)


def main():
    numbers = library.numbers(2000)
    books = [library.open_book(b"volume %d of the collected works" % n) for n in range(200)]
    order(numbers, 2000)
    close_all(books)


main()
