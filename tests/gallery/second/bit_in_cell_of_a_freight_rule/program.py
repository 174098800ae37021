# SPDX-License-Identifier: Apache-2.0
"""Prices freight by rules that are made once, each with its own table of zones."""

import json
import os
import sys
from pathlib import Path

BIT = 4


def rule_for(carrier, surcharge):
    zones = {f"zone {number}": 4.5 + number * surcharge for number in range(1, 9)}

    def price(zone, kilograms):
        return carrier, round(zones[zone] * kilograms, 2)

    return price


def main():
    rules = [rule_for(carrier, 0.5 + at / 10) for at, carrier in enumerate(("rail", "road", "sea"))]
    price = rules[1]
    names = price.__code__.co_freevars
    cell = price.__closure__[names.index("zones")]
    told = {"pid": os.getpid(), "memory": [[id(cell) + 16 + 5, BIT]]}
    del cell
    Path("ready").write_text(json.dumps(told) + "\n")
    sys.stdin.readline()
    for rule in rules:
        print(rule("zone 3", 120))


if __name__ == "__main__":
    main()
