# SPDX-License-Identifier: Apache-2.0
"""A hotel keeps the rates of a week in a native array; a correction comes for the day before."""

import ctypes

FIRST_DAY = 20


class Guest:
    def __init__(self, name, nights):
        self.name, self.nights = name, nights


class Room:
    def __init__(self, number):
        self.number = number
        self.guests = [None] * 6
        self.week = (ctypes.c_long * 6)(*[90] * 6)
        self.rates = ctypes.cast(self.week, ctypes.POINTER(ctypes.c_long))

    def check_in(self, names):
        for place, name in enumerate(names):
            self.guests[place] = Guest(name, place + 1)

    def correct(self, day, rate):
        self.rates[day - FIRST_DAY] = rate

    def revenue(self):
        return sum(guest.nights * self.week[guest.nights - 1] for guest in self.guests)


def open_house(count):
    rooms = [Room(number) for number in range(count)]
    for room in rooms:
        room.check_in(["Ada", "Bo", "Cy", "Di", "Ed", "Fay"])
    return rooms


def apply_corrections(rooms, corrections):
    for number, day, rate in corrections:
        rooms[number].correct(day, rate)


def close_of_day(rooms):
    return sum(room.revenue() for room in rooms)


def main():
    rooms = open_house(120)
    print(close_of_day(rooms))
    apply_corrections(rooms, [(n, day, 120) for n in range(60, 90) for day in (18, 19, 20)])
    print(close_of_day(rooms))


main()
