# SPDX-License-Identifier: Apache-2.0
"""Bookings are posted to a native journal; the last are still pending when the program ends."""

import ctypes
import os

journal = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "journal.so"))
journal.post.argtypes = [ctypes.c_char_p]


def book(number):
    journal.post(b"booking %08d of account 4711, amount pending\n" % number)


def book_all(count):
    for number in range(count):
        book(number)
        if number % 10 == 9:
            journal.commit()


def main():
    book_all(25)
    print("booked")


main()
