# SPDX-License-Identifier: Apache-2.0
"""Yearly totals of a water company, computed by its database."""

import os
import sqlite3
import threading
import time
from pathlib import Path

QUARTERS = """
WITH RECURSIVE reading(n, litres) AS (
    SELECT 1, 120 UNION ALL SELECT n + 1, (litres * 31 + n) % 997 FROM reading WHERE n < ?
) SELECT sum(litres) FROM reading
"""


class Books:
    def __init__(self):
        self.base = sqlite3.connect(":memory:", check_same_thread=False)
        self.one_at_a_time = threading.Lock()

    def total(self, readings):
        with self.one_at_a_time:
            return self.base.execute(QUARTERS, (readings,)).fetchone()[0]


def clerk(books, readings, totals):
    totals.append(books.total(readings))


def heartbeat(stop):
    while not stop.wait(0.5):
        Path("beat").write_text(str(time.time()))


def main():
    books, totals, stop = Books(), [], threading.Event()
    threading.Thread(target=heartbeat, args=(stop,), name="heartbeat", daemon=True).start()
    clerks = [
        threading.Thread(target=clerk, args=(books, 90_000_000 + n, totals), name=f"district-{n}")
        for n in range(4)
    ]
    for each in clerks:
        each.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for each in clerks:
        each.join()
    stop.set()
    print(totals, flush=True)


if __name__ == "__main__":
    main()
