# SPDX-License-Identifier: Apache-2.0
"""Book the payments of the day in a ledger and copy the ledger every night."""

import os
import sqlite3
import threading


class Ledger:
    def __init__(self, path):
        self.path = path
        self.connection = sqlite3.connect(path, timeout=0.2, isolation_level=None)
        self.connection.execute("CREATE TABLE IF NOT EXISTS payment (day TEXT, cents INTEGER)")

    def book(self, payments):
        self.connection.execute("BEGIN EXCLUSIVE")
        for day, amount in payments:
            cents = round(float(amount) * 100)
            self.connection.execute("INSERT INTO payment VALUES (?, ?)", (day, cents))
        self.connection.execute("COMMIT")


def copy_ledger(path, target):
    source = sqlite3.connect(path, timeout=0.2)
    copy = sqlite3.connect(target)
    source.backup(copy)
    copy.close()
    source.close()


def evening(ledger):
    try:
        ledger.book([("2024-05-02", "17.20"), ("2024-05-02", "3,99")])
    except ValueError as error:
        print("not booked:", error)
    copy_ledger(ledger.path, "ledger-copy.db")


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    ledger = Ledger("ledger.db")
    ledger.book([("2024-05-01", "12.50"), ("2024-05-01", "8.00")])
    threading.Timer(0.8, tell).start()
    evening(ledger)


main()
