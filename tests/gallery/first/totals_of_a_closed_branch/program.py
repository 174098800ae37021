# SPDX-License-Identifier: Apache-2.0
"""Totals per branch; a branch's day ends with a row of its own, and then the till is shut."""

import sqlite3

till = sqlite3.connect(":memory:")
END_OF_DAY = -1


class DayTotal:
    """Sum of the amounts of a branch, for SQL."""

    def __init__(self):
        self.amount = 0

    def step(self, amount):
        if amount == END_OF_DAY:
            shut_till()
            return
        self.amount += amount

    def finalize(self):
        return self.amount


def shut_till():
    print("end of day")
    till.close()


def fill():
    till.execute("CREATE TABLE sales (branch TEXT, amount INTEGER)")
    amounts = [130, 250, 990, 40, END_OF_DAY]
    till.executemany("INSERT INTO sales VALUES ('harbour', ?)", [(n,) for n in amounts])
    till.commit()


def report():
    till.create_aggregate("day_total", 1, DayTotal)
    for branch, total in till.execute("SELECT branch, day_total(amount) FROM sales"):
        print(branch, total)


fill()
report()
