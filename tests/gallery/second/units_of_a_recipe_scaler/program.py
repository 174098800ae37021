# SPDX-License-Identifier: Apache-2.0
"""Scales recipes of a canteen to the number of guests; the arithmetic is in an extension."""

import sys

import scaler

RECIPES = {
    "goulash": {"beef": (0.18, "kg"), "onion": (0.12, "kg"), "paprika": (4.0, "g")},
    "dumplings": {"flour": (0.1, "kg"), "egg": (0.5, ""), "milk": (0.06, "l")},
}


class Plan:
    def __init__(self, guests):
        self.guests = guests
        self.lines = []

    def add(self, dish, rounded=None):
        for item, (amount, unit) in RECIPES[dish].items():
            if rounded is None:
                total = scaler.scale(amount, self.guests)
            else:
                total = scaler.scale(amount, self.guests, step=rounded)
            self.lines.append((dish, item, total, unit))

    def show(self, out=sys.stdout):
        for dish, item, total, unit in self.lines:
            print(f"{dish:10} {item:10} {total:8.2f} {unit}", file=out, flush=True)


def weekday(guests):
    plan = Plan(guests)
    plan.add("goulash", rounded=0.25)
    plan.add("dumplings", rounded=0.5)
    plan.show()


def holiday(guests):
    plan = Plan(guests)
    plan.add("goulash", rounded=1.0)
    plan.add("dumplings")
    plan.show()


def main():
    for guests in (80, 120, 95):
        weekday(guests)
    holiday(40)


main()
