# SPDX-License-Identifier: Apache-2.0
"""Quotes of a market are kept in C++; each feed keeps a handle of its newest quote."""

import ctypes
import os


def book():
    library = ctypes.CDLL(os.path.abspath("quotes.so"))
    library.quote.restype = ctypes.c_void_p
    library.update.argtypes = [ctypes.c_void_p, ctypes.c_double]
    return library


def trades(count):
    return [[("trade", day)] * 128 for day in range(count)]


def volume(days):
    return sum(day for each in days for _name, day in each)


def main():
    library = book()
    handles = [library.quote(ctypes.c_int(number)) for number in range(64)]
    library.quote(ctypes.c_int(64))
    days = trades(30)
    for handle in handles[40:60]:
        library.update(handle, 101.25)
    print(volume(days))
    days.clear()


main()
