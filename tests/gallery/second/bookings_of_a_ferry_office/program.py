# SPDX-License-Identifier: Apache-2.0
"""Imports bookings into the office's database; every change is noted by an auditor."""

import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DATABASE = "office.db"


class Auditor:
    """Notes changes, over a connection of its own."""

    def __init__(self):
        self.crew = ThreadPoolExecutor(1, thread_name_prefix="auditor")
        self.local = threading.local()

    def connection(self):
        if not hasattr(self.local, "connection"):
            self.local.connection = sqlite3.connect(DATABASE, timeout=3600)
        return self.local.connection

    def note_change(self, table, key):
        with self.connection() as connection:
            connection.execute("insert into audit values (?, ?)", (table, key))
        return key

    def note(self, table, key):
        return self.crew.submit(self.note_change, table, key).result()


def import_bookings(bookings, auditor):
    connection = sqlite3.connect(DATABASE, timeout=3600)
    with connection:
        for number, (passenger, cars) in enumerate(bookings):
            connection.execute("insert into booking values (?, ?, ?)", (number, passenger, cars))
            auditor.note("booking", number)
    connection.close()


def main():
    Path(DATABASE).unlink(missing_ok=True)
    with sqlite3.connect(DATABASE) as setup:
        setup.execute("create table booking (number integer, passenger text, cars integer)")
        setup.execute("create table audit (what text, key integer)")
    setup.close()
    Path("ready").write_text(f"{os.getpid()}\n")
    import_bookings([("Aalto", 1), ("Berg", 0), ("Ceder", 2)], Auditor())


if __name__ == "__main__":
    main()
