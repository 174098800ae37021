# SPDX-License-Identifier: Apache-2.0
"""The monthly report's query joins a table with itself: SQLite has been computing for a while. The
other threads wait for their work. A health check that was impatient took the sample."""

import os
import queue
import sqlite3
import threading

PAIRS = """
SELECT a.customer, count(*) FROM sales a JOIN sales b ON a.amount * 31 % 1009 < b.amount * 17 % 1013
WHERE a.customer <> b.customer GROUP BY a.customer
"""


def mailer(outbox):
    while (report := outbox.get()) is not None:
        print(len(report), "lines mailed")


def fill(database):
    database.execute("CREATE TABLE sales (customer INTEGER, amount INTEGER)")
    database.executemany(
        "INSERT INTO sales VALUES (?, ?)", [(n % 500, n * 37 % 10007) for n in range(60_000)]
    )


def similar_customers(database):
    return database.execute(PAIRS).fetchall()


def monthly_report(database, outbox):
    outbox.put(similar_customers(database))
    outbox.put(None)


def main():
    outbox = queue.Queue()
    threading.Thread(target=mailer, args=(outbox,), name="mailer").start()
    database = sqlite3.connect(":memory:")
    fill(database)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    monthly_report(database, outbox)


main()
