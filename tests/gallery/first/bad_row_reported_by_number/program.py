# SPDX-License-Identifier: Apache-2.0
"""A loader of delimited exports; rows that do not fit are to be reported and left out."""

import rowsplit


def export(rows):
    for number in range(rows):
        columns = ["acc%05d" % number, str(number * 3), "EUR"]
        if number == 1042:
            columns.append("overflow")
        yield ";".join(columns)


def load(lines):
    rows, refused = [], []
    for number, line in enumerate(lines):
        try:
            rows.append(rowsplit.split(line, number, 3))
        except ValueError as error:
            refused.append(str(error))
    return rows, refused


def main():
    rows, refused = load(export(2000))
    print(len(rows), refused)


main()
