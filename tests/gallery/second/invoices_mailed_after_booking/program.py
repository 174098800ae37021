# SPDX-License-Identifier: Apache-2.0
"""Invoices are booked in one transaction; the letters that follow are noted in an outbox."""

import contextlib
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

DATABASE = "books.sqlite"
SCHEMA = """
CREATE TABLE invoice (number INTEGER PRIMARY KEY, customer TEXT, total TEXT);
CREATE TABLE outbox (id INTEGER PRIMARY KEY, customer TEXT, subject TEXT);
"""
mailer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mailer")


def connect():
    return sqlite3.connect(DATABASE, timeout=1800, isolation_level=None)


@contextlib.contextmanager
def unit_of_work(db):
    """Everything in it is booked together; what is given to the hook is done with it."""
    hooks = []
    db.execute("BEGIN IMMEDIATE")
    try:
        yield hooks.append
        for hook in hooks:
            hook()
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


class Outbox:
    def note(self, customer, subject):
        with contextlib.closing(connect()) as db:
            row = db.execute(
                "INSERT INTO outbox (customer, subject) VALUES (?, ?)", (customer, subject)
            )
            return row.lastrowid

    def announce(self, customer, subject):
        letter = mailer.submit(self.note, customer, subject)
        return letter.result()


def book_invoice(db, outbox, number, customer, lines):
    total = sum(Decimal(price) * count for price, count in lines)
    with unit_of_work(db) as afterwards:
        db.execute("INSERT INTO invoice VALUES (?, ?, ?)", (number, customer, str(total)))
        afterwards(lambda: outbox.announce(customer, f"Invoice {number} over {total}"))
    return total


def main():
    with contextlib.closing(connect()) as db:
        db.executescript(SCHEMA)
    outbox = Outbox()
    outbox.announce("all customers", "We have moved")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    with contextlib.closing(connect()) as db:
        for number, customer in enumerate(("Harbour Cafe", "Dr. Alvarez", "Bakery Sun"), 1001):
            book_invoice(db, outbox, number, customer, [("12.50", 3), ("0.85", 40)])
            print("booked", number, flush=True)


if __name__ == "__main__":
    main()
