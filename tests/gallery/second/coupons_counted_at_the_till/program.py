# SPDX-License-Identifier: Apache-2.0
"""Adds up the coupons of a day, as the scanner of the till left them."""

import csv
import io

import till

SCANNED = "shop,coupon,code\n1,C015,a\n1,C022,b\n2,C108\n3,C049,d\n"


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def add_up(rows):
    total = 0
    for row in rows:
        total += till.value_of(row["coupon"], row["code"])
    return total


def main():
    print("coupons of the day:", add_up(rows_of(SCANNED)))


main()
