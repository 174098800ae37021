# SPDX-License-Identifier: Apache-2.0
"""Seats of a theatre are given out and taken back."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("seats.so"))
library.seat_new.restype = ctypes.c_void_p
library.seat_free.argtypes = [ctypes.c_void_p]
library.seat_mark.argtypes = [ctypes.c_void_p, ctypes.c_long]


def rearrange(rows):
    seats = [library.seat_new() for _ in range(rows)]
    for seat in seats[:3]:
        library.seat_free(seat)
    library.seat_mark(seats[2], 20251)
    return [library.seat_new() for _ in range(rows)]


def main():
    print(len(rearrange(5)))


main()
