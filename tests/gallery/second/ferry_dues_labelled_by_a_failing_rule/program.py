# SPDX-License-Identifier: Apache-2.0
"""A ferry company bills cargo; the lines are made in C, the labels by a rule in Python."""

import csv
import io
import logging
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _dues  # noqa: E402

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("dues")

MANIFESTS = {
    "MS Frida": "timber,12.5\ncattle,8\nmail,0.4\n",
    "MS Anton": "timber,3\nsalt,22\nvehicles,31.5\n",
    "MS Berta": "mail,0.2\nhelium,1.5\ncattle,2\n",
}


class TariffOf2019:
    """The rule that is in force: classes of cargo and their labels."""

    classes = {"timber": 2, "cattle": 5, "mail": 0, "salt": 1, "vehicles": 3}
    names = ["free", "bulk", "goods", "wheeled", "fragile", "living"]

    def __init__(self):
        self.asked = 0

    def label(self, cargo):
        self.asked += 1
        return f"{cargo}/{self.names[self.classes[cargo]]}"


def read_manifest(text):
    for cargo, tonnes in csv.reader(io.StringIO(text)):
        yield cargo, float(tonnes)


def bill_of(ship, text, rule):
    bill = _dues.Bill(rule)
    lines = [bill.add(cargo, tonnes) for cargo, tonnes in read_manifest(text)]
    log.info("%s: %d lines", ship, len(lines))
    return lines


def main():
    rule = TariffOf2019()
    bills = {}
    for ship, text in MANIFESTS.items():
        bills[ship] = bill_of(ship, text, rule)
        for line in bills[ship]:
            log.info("   %s", line)
    log.info("%d bills", len(bills))


if __name__ == "__main__":
    main()
