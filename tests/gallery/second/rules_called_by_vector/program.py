# SPDX-License-Identifier: Apache-2.0
"""Discount rules of a shop, compiled to objects that are called with a price."""

import rules

PRICE_LIST = [b"article-%07d" % number for number in range(600)]


def read_percentages(lines):
    """Return a percentage for each line of the price list."""
    found = []
    for line in lines:
        label = bytes(reversed(bytes(reversed(line))))
        found.append(int(label[-3:]) % 7)
    return found


def compiled(lines):
    made = []
    for percent in read_percentages(lines):
        code = b"rule " + b"%010d" % percent
        del code
        made.append(rules.rule(percent))
    return made


def main():
    total = 0
    for rule, line in zip(compiled(PRICE_LIST), PRICE_LIST):
        total += rule(int(line[-4:]) * 10)
    print(total)


main()
