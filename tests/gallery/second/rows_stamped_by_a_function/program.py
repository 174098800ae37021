# SPDX-License-Identifier: Apache-2.0
"""Imports parcels into a small database whose triggers call back into the program."""

import contextlib
import sqlite3


class Depot:
    def __init__(self):
        self.base = sqlite3.connect(":memory:", isolation_level=None)
        self.base.execute("create table parcels (number integer, place text)")
        self.base.create_function("place_of", 1, self.place_of)
        self.capacity = 40
        self.stored = 0

    def place_of(self, number):
        self.stored += 1
        if self.stored > self.capacity:
            self.shut()
        return f"rack {number % 7}"

    def shut(self):
        """The depot is full: nothing else is to be written."""
        with contextlib.suppress(sqlite3.Error):
            self.base.close()

    def take_in(self, numbers):
        self.base.executemany(
            "insert into parcels values (?1, place_of(?1))", ((number,) for number in numbers)
        )


def main():
    depot = Depot()
    depot.take_in(range(100, 130))
    print(depot.stored, "stored")
    depot.take_in(range(200, 230))
    print(depot.stored, "stored")


main()
