# SPDX-License-Identifier: Apache-2.0
"""Sums the columns of a price file with a columnar library."""

import csv
import io

import columns


def price_file(days):
    out = io.StringIO()
    writer = csv.writer(out)
    for day in range(days):
        row = ["%.2f" % (10 + day * 0.01 * column) for column in range(4)]
        if day == 611:
            row[2] = "n/a"
        writer.writerow(row)
    return out.getvalue()


def main():
    rows = list(csv.reader(io.StringIO(price_file(900))))
    print([round(value, 2) for value in columns.sums(rows)])


if __name__ == "__main__":
    main()
