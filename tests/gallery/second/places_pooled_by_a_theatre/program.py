# SPDX-License-Identifier: Apache-2.0
"""The booking office of a theatre: guests book, some give their places back."""

import random
from collections import defaultdict

import places

ROWS, SEATS = 18, 24


class Guest:
    def __init__(self, number):
        self.number = number
        self.places = []


class House:
    def __init__(self, play):
        self.play = play
        self.taken = {}
        self.refused = 0

    def book(self, guest, count, start):
        for row in range(ROWS):
            row = (row + start) % ROWS
            free = [seat for seat in range(SEATS) if (row, seat) not in self.taken]
            if len(free) >= count:
                booked = [places.book(row, seat, guest) for seat in free[:count]]
                for place in booked:
                    place.companions.extend(p for p in booked if p is not place)
                    self.taken[place.row, place.seat] = place
                guest.places += booked
                return True
        self.refused += 1
        return False

    def give_back(self, guest):
        for place in guest.places:
            del self.taken[place.row, place.seat]
            place.companions.clear()
            place.guest = None
        guest.places.clear()

    def by_row(self):
        rows = defaultdict(list)
        for (row, seat), place in self.taken.items():
            rows[row].append((seat, place.guest.number))
        return rows


def main():
    source = random.Random(11)
    house = House("The Wild Duck")
    guests = [Guest(number) for number in range(90)]
    for guest in guests:
        house.book(guest, 1 + source.randrange(4), source.randrange(ROWS))
    print(len(house.taken), "places in", len(house.by_row()), "rows", flush=True)
    for guest in source.sample(guests, 12):
        house.give_back(guest)
    late = [Guest(number) for number in range(90, 110)]
    for guest in late:
        house.book(guest, 2, source.randrange(ROWS))
    print(len(house.taken), "places,", house.refused, "refused")


main()
