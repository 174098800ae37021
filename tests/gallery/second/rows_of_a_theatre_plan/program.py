# SPDX-License-Identifier: Apache-2.0
"""The box office of a theatre: who has which seat, asked by row and letter."""

import re

import seatplan

WIDTH = 40


def bookings():
    return ["family %d" % (place // 3) if place % 5 else None for place in range(WIDTH * 25)]


class BoxOffice:
    def __init__(self):
        self.plan = seatplan.Plan(bookings())
        self.cache = {}

    def place(self, text):
        row, seat = re.fullmatch(r"(\d+)-(\d+(?:\.5)?)", text).groups()
        number = float(seat) if "." in seat else int(seat)
        return int(row) * WIDTH + number

    def holder(self, text):
        if text not in self.cache:
            self.cache[text] = self.plan.holder(self.place(text))
        return self.cache[text]


def main():
    office = BoxOffice()
    asked = ["%d-%d" % (row, seat) for row in range(20) for seat in (3, 17, 38)]
    asked.append("21-7.5")
    for text in asked:
        print(text, office.holder(text) or "free")


if __name__ == "__main__":
    main()
