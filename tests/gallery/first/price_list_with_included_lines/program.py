# SPDX-License-Identifier: Apache-2.0
"""Reads a supplier's price list. A line `@skip` says that the record after it is to be left out."""

import csv

LINES = """\
article,name,price
1001,"bolt, long",12
@skip
1002,withdrawn,0
1003,nut,3
1004,washer,1
"""


class PriceLines:
    """The lines of a list, without what is to be skipped."""

    def __init__(self, text):
        self.lines = iter(text.splitlines(keepends=True))
        self.records = None

    def __iter__(self):
        return self

    def __next__(self):
        line = next(self.lines)
        if line.startswith("@skip"):
            skipped = next(self.records)
            print("left out:", skipped)
            line = next(self.lines)
        return line


def read_prices(text):
    lines = PriceLines(text)
    lines.records = csv.reader(lines)
    return list(lines.records)


for record in read_prices(LINES):
    print(record)
