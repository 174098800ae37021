# SPDX-License-Identifier: Apache-2.0
"""Counts the seatings of a banquet in which no two rivals see each other along a line."""

import os
import sys

TABLES = 15


class Hall:
    def __init__(self, size):
        self.size = size
        self.rows = set()
        self.rising = set()
        self.falling = set()

    def free(self, table, row):
        return not (row in self.rows or row - table in self.rising or row + table in self.falling)

    def seat(self, table, row):
        self.rows.add(row)
        self.rising.add(row - table)
        self.falling.add(row + table)

    def leave(self, table, row):
        self.rows.remove(row)
        self.rising.remove(row - table)
        self.falling.remove(row + table)


def seatings(hall, table=0):
    """Return in how many ways the tables from this one on can be seated."""
    if table == hall.size:
        return 1
    ways = 0
    for row in range(hall.size):
        if hall.free(table, row):
            hall.seat(table, row)
            ways += seatings(hall, table + 1)
            hall.leave(table, row)
    return ways


def main():
    for size in range(4, TABLES + 1):
        if size == 9:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())
        print(size, "tables:", seatings(Hall(size)), "seatings", file=sys.stderr, flush=True)


main()
