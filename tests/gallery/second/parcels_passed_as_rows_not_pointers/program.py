# SPDX-License-Identifier: Apache-2.0
"""A mail-order house prices its parcels: singly while they are packed, and all of a day for the
invoice of the carrier."""

import collections
import csv
import io
import sys

import postage

DAY = """order,grams,country,insured
A-1001,1250,DE,no
A-1002,640,DK,no
A-1003,18200,AT,yes
A-1004,2750,DE,no
A-1005,980,NL,yes
A-1006,7300,IS,no
"""
ZONES = {"DE": 0, "DK": 1, "NL": 1, "AT": 1, "IS": 3}


def orders(text):
    """Return the orders of a day, by their number."""
    found = collections.OrderedDict()
    for row in csv.DictReader(io.StringIO(text)):
        found[row["order"]] = postage.Parcel(
            int(row["grams"]), ZONES[row["country"]], row["insured"] == "yes"
        )
    return found


class Packing:
    """Labels each parcel with its postage."""

    def __init__(self):
        self.labels = {}

    def pack(self, number, parcel):
        self.labels[number] = postage.of(parcel)

    def report(self):
        for number, cents in self.labels.items():
            print(f"{number}: {cents / 100:.2f}")
        print(f"labels: {sum(self.labels.values()) / 100:.2f}", flush=True)


class Invoice:
    def __init__(self, parcels):
        self.parcels = list(parcels)

    def due(self):
        return postage.total(self.parcels)

    def check(self, labels):
        due = self.due()
        if due != sum(labels.values()):
            raise ValueError(f"the carrier asks {due}")
        return due


def main():
    day = orders(DAY)
    packing = Packing()
    for number, parcel in day.items():
        packing.pack(number, parcel)
    packing.report()
    print("invoice:", Invoice(day.values()).check(packing.labels))
    return 0


if __name__ == "__main__":
    sys.exit(main())
