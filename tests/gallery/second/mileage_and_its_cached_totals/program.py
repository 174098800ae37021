# SPDX-License-Identifier: Apache-2.0
"""Miles of frequent travellers in a database, with their totals cached in memory."""

import os
import sqlite3
import threading
import time

FILE = "miles.db"
totals = {}
totals_lock = threading.Lock()


def connect():
    return sqlite3.connect(FILE, timeout=3600, isolation_level=None)


def credit(traveller, miles, opened):
    """Book a flight, then bring the cached total up to date."""
    base = connect()
    base.execute("BEGIN IMMEDIATE")
    base.execute("INSERT INTO flight VALUES (?, ?)", (traveller, miles))
    opened.set()
    time.sleep(0.5)
    with totals_lock:
        totals[traveller] = totals.get(traveller, 0) + miles
    base.execute("COMMIT")


def expire(traveller, opened):
    """Strike what is too old, and the cached total with it."""
    base = connect()
    opened.wait()
    with totals_lock:
        base.execute("DELETE FROM flight WHERE traveller = ? AND miles < 100", (traveller,))
        totals.pop(traveller, None)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    base = connect()
    base.execute("CREATE TABLE flight (traveller TEXT, miles INTEGER)")
    base.executemany("INSERT INTO flight VALUES (?, ?)", [("ines", 80), ("ines", 900)])
    base.close()
    opened = threading.Event()
    jobs = [
        threading.Thread(target=credit, args=("ines", 400, opened), name="credit"),
        threading.Thread(target=expire, args=("ines", opened), name="expire"),
    ]
    for job in jobs:
        job.start()
    threading.Timer(1.5, tell).start()
    for job in jobs:
        job.join()
    print(totals)


main()
