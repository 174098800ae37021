# SPDX-License-Identifier: Apache-2.0
"""Keeps shipments in memory and looks at them again and again, as a warehouse does."""

import json
import os
import sys

POOL = 1 << 14 if sys.version_info >= (3, 10) else 1 << 12


def label(number):
    """Return a label of 400 bytes, as the printer wants it."""
    return b"%08d" % number + bytes(400 - 8 - 33)


class Shipment:
    def __init__(self, number):
        self.number = number
        self.label = label(number)


def weigh(shipments):
    return sum(len(shipment.label) + shipment.number for shipment in shipments)


def main():
    shipments = [Shipment(n) for n in range(505)]
    del shipments[490:]
    head = id(shipments[-1].label) // POOL * POOL
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[head + 8, 43]]}) + "\n")
    input()
    for _ in range(500):
        total = weigh(shipments)
    print(total, flush=True)
    for n in range(200):
        shipments.append(Shipment(n))
        total = weigh(shipments)
    print(total)


main()
