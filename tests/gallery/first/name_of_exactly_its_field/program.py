# SPDX-License-Identifier: Apache-2.0
"""Formats the names of guests for door plates with a small C library."""

import ctypes
from pathlib import Path

LIBRARY = ctypes.CDLL(str(Path(__file__).with_name("plates.so")))
LIBRARY.plate.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
WIDTH = 32


class Guest:
    def __init__(self, name, room):
        self.name = name
        self.room = room


class Floor:
    def __init__(self, number):
        self.number = number
        self.plates = []
        self.nights = []

    def arrive(self, guest):
        plate = ctypes.create_string_buffer(WIDTH)
        self.nights.append(guest.room + 0.5 + len(guest.name) * 1000)
        LIBRARY.plate(guest.name.encode(), plate, WIDTH)
        self.plates.append(plate)
        self.nights.append(guest.room * 1000 + 7)

    def report(self):
        return sum(self.nights), b" ".join(plate.raw[:8] for plate in self.plates)


def names(count):
    stems = ["Ada Whitcombe of the lower quay", "Bert Olsen", "Constantina Papadopoulou-Wright I"]
    return [stems[number % 3] + ("" if number % 3 != 2 else "I") for number in range(count)]


def main():
    for number in range(40):
        floor = Floor(number)
        for room, name in enumerate(names(30)):
            floor.arrive(Guest(name, 100 * number + room))
        total, plates = floor.report()
    print(total, len(plates))


main()
