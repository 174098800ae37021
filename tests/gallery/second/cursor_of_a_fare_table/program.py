# SPDX-License-Identifier: Apache-2.0
"""Walks through a table of fares; the service adds a count of rows to the library's cursor."""

import fares


class CountingCursor(fares.Cursor):
    def __init__(self):
        self.rows = 0

    def fetch(self):
        self.rows += 1
        return self.next_fare()


def cheapest(cursor, count):
    return min(cursor.fetch() for _ in range(count))


def main():
    plain = fares.Cursor()
    print([plain.next_fare() for _ in range(4)])
    print(cheapest(CountingCursor(), 10))


main()
