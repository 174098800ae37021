# SPDX-License-Identifier: Apache-2.0
"""A shop books sales and, beside them, the points of its loyal customers."""

import os
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DATABASE = "loyalty.db"


def connect():
    return sqlite3.connect(DATABASE, timeout=3600, isolation_level=None, check_same_thread=False)


class Points:
    """Keeps the points; a thread of its own, as its connection wants it."""

    def __init__(self):
        self.desk = ThreadPoolExecutor(1, thread_name_prefix="points")
        self.connection = self.desk.submit(connect).result()

    def credit(self, customer, points):
        return self.desk.submit(self._credit, customer, points)

    def _credit(self, customer, points):
        self.connection.execute(
            "UPDATE points SET total = total + ? WHERE customer = ?", (points, customer)
        )
        row = self.connection.execute("SELECT total FROM points WHERE customer = ?", (customer,))
        return row.fetchone()[0]


class Till:
    def __init__(self, points):
        self.points = points
        self.connection = connect()

    def book_sale(self, customer, cents):
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.execute("INSERT INTO sales VALUES (?, ?)", (customer, cents))
        total = None
        if cents >= 5000:
            total = self.points.credit(customer, cents // 100).result()
        self.connection.execute("COMMIT")
        return total


def heartbeat(state):
    while True:
        state["beat"] = time.time()
        time.sleep(0.5)


def main():
    setup = connect()
    setup.executescript(
        "DROP TABLE IF EXISTS sales; DROP TABLE IF EXISTS points;"
        "CREATE TABLE sales(customer TEXT, cents INT);"
        "CREATE TABLE points(customer TEXT PRIMARY KEY, total INT);"
        "INSERT INTO points VALUES ('ida', 0), ('olaf', 0);"
    )
    setup.close()
    threading.Thread(target=heartbeat, args=({},), name="heartbeat", daemon=True).start()
    till = Till(Points())
    Path("ready").write_text(f"{os.getpid()}\n")
    for customer, cents in [("ida", 1200), ("olaf", 800), ("ida", 7450), ("olaf", 300)]:
        till.book_sale(customer, cents)


if __name__ == "__main__":
    main()
