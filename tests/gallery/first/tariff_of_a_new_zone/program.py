# SPDX-License-Identifier: Apache-2.0
"""Parking fees: the zones and their tariffs are kept by a C++ library."""

import ctypes
import os


def load():
    library = ctypes.CDLL(os.path.abspath("tariffs.so"))
    library.tariffs_add.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_double]
    library.tariffs_fee.argtypes = [ctypes.c_char_p, ctypes.c_double]
    library.tariffs_fee.restype = ctypes.c_double
    return library


def bill(library, tickets):
    return [library.tariffs_fee(zone.encode(), hours) for zone, hours in tickets]


def main():
    library = load()
    library.tariffs_add(b"harbour", b"day", 2.4)
    library.tariffs_add(b"market", b"night", 3.1)
    print(bill(library, [("harbour", 2.0), ("market", 1.5)]))
    print(bill(library, [("harbour", 1.0), ("castle", 4.0)]))


main()
