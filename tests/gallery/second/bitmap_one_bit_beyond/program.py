# SPDX-License-Identifier: Apache-2.0
"""A number is marked in a bitmap that is too short for it: one bit of the object behind is set."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("marks.so"))
library.mark.argtypes = [ctypes.c_void_p, ctypes.c_uint]
SEATS = ctypes.c_uint8 * 64


class Seat:
    """A seat and who has it; with the head of the collector it takes 64 bytes."""

    __slots__ = ("number", "guest", "price", "note")

    def __init__(self, number):
        self.number, self.guest, self.price, self.note = number, None, 10 + number, ""


def map_before_a_seat(seats):
    """Return a new bitmap with a seat behind it; where it lies hangs on the interpreter."""
    places = {id(seat) - 16 for seat in seats if seat is not None}
    maps = [SEATS() for _ in range(60)]
    return next(each for each in maps if ctypes.addressof(each) + 64 in places)


def reserve(taken, numbers):
    for number in numbers:
        library.mark(taken, number)


def income(seats):
    return sum(seat.price for seat in seats if seat is not None)


def main():
    seats = [Seat(number) for number in range(600)]
    for number in range(100, 500, 40):
        seats[number] = None
    taken = map_before_a_seat(seats)
    reserve(taken, [3, 77, 400, 749])
    print(income(seats), len(taken))


main()
