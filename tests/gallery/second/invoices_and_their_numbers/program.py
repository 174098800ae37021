# SPDX-License-Identifier: Apache-2.0
"""Invoices of a shop: numbers out of one SQLite file, shared by the till and the web shop."""

import os
import sqlite3
import threading

FILE = "invoices.db"


class NumberRange:
    """Hands out numbers; the last one is kept in memory as well as in the file."""

    def __init__(self):
        self.guard = threading.Lock()
        self.last = 100

    def reserve(self, database):
        with self.guard:
            till_asked.set()
            web_began.wait()
            database.execute("UPDATE numbers SET last = last + 1")
            self.last += 1
            database.commit()
            return self.last

    def peek(self):
        with self.guard:
            return self.last + 1


def connect():
    return sqlite3.connect(FILE, timeout=3600, isolation_level=None)


def sell_at_the_till(numbers):
    database = connect()
    print("till invoice", numbers.reserve(database))


def sell_on_the_web(numbers):
    database = connect()
    till_asked.wait()
    database.execute("BEGIN IMMEDIATE")
    database.execute("INSERT INTO baskets VALUES ('web', 3)")
    web_began.set()
    database.execute("UPDATE baskets SET invoice = ?", (numbers.peek(),))
    database.execute("COMMIT")


def main():
    if os.path.exists(FILE):
        os.unlink(FILE)
    database = connect()
    database.executescript(
        "CREATE TABLE numbers (last INTEGER); INSERT INTO numbers VALUES (100);"
        "CREATE TABLE baskets (origin TEXT, invoice INTEGER);"
    )
    database.close()
    numbers = NumberRange()
    sales = [
        threading.Thread(target=sell, args=(numbers,), name=sell.__name__)
        for sell in (sell_at_the_till, sell_on_the_web)
    ]
    for sale in sales:
        sale.start()
    web_began.wait()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for sale in sales:
        sale.join()


till_asked, web_began = threading.Event(), threading.Event()
main()
