# SPDX-License-Identifier: Apache-2.0
"""A row parser fetches the error to count it, restores it (which takes the references) and then
releases the same references again: the exception is freed while it is being handled."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rowparser


class RowError(ValueError):
    def __init__(self, text):
        super().__init__(text)
        self.text = text


def to_amount(text):
    if not text.isdigit():
        raise RowError(f"no amount: {text}")
    return int(text)


def import_rows(rows, refused):
    for row in rows:
        try:
            rowparser.parse(to_amount, row)
        except RowError as error:
            refused.append((len(refused), str(error)))
            refused.append(error)


def report(refused):
    return [repr(each) for each in refused]


def main():
    refused = []
    import_rows([f"x{n}" for n in range(200)], refused)
    print(report(refused)[:4], rowparser.parse(int, "7"))


main()
