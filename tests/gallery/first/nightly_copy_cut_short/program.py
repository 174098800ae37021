# SPDX-License-Identifier: Apache-2.0
"""The nightly copy of the orders runs in small portions and has a budget of portions."""

import sqlite3


class NightlyCopy:
    def __init__(self, source, budget):
        self.source = source
        self.target = sqlite3.connect(":memory:")
        self.budget = budget

    def portion_done(self, status, remaining, total):
        self.budget -= 1
        print(f"{total - remaining} of {total} pages")
        if self.budget == 0:
            print("no time left tonight")
            self.abandon()

    def abandon(self):
        self.target.close()

    def run(self):
        self.source.backup(self.target, pages=5, progress=self.portion_done)
        return self.target


def orders(count):
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE orders (number INTEGER, note TEXT)")
    rows = [(number, "to be delivered " * 60) for number in range(count)]
    database.executemany("INSERT INTO orders VALUES (?, ?)", rows)
    database.commit()
    return database


copy = NightlyCopy(orders(400), budget=3)
copy.run()
