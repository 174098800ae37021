# SPDX-License-Identifier: Apache-2.0
"""Finds the oldest pallets of a cold store, aisle by aisle."""

import json
import os
from collections import deque
from typing import NamedTuple


class Pallet(NamedTuple):
    product: str
    days: int


class Aisle:
    def __init__(self, name, pallets):
        self.name = name
        self.pallets = pallets

    def oldest(self):
        return max(self.pallets, key=lambda pallet: pallet.days)

    def rotate(self, count):
        order = deque(self.pallets)
        order.rotate(count)
        self.pallets[:] = order


def main():
    aisles = []
    for number in range(30):
        pallets = [Pallet("peas", (number * 31 + n * 17) % 90) for n in range(400)]
        aisles.append(Aisle("A%02d" % number, pallets))
    print(aisles[0].oldest())
    items = id(aisles[18].pallets) + 24
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[items, 40]]}) + "\n")
    input()
    for aisle in aisles:
        aisle.rotate(7)
        print(aisle.name, aisle.oldest())


if __name__ == "__main__":
    main()
