# SPDX-License-Identifier: Apache-2.0
"""Copies what changed in the customer database to the newsletter's list."""

import os
import sqlite3
import threading
import time
from pathlib import Path

PAGE = 100


def make_crm():
    crm = sqlite3.connect(":memory:", check_same_thread=False)
    crm.execute("CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, changed INTEGER)")
    crm.executemany(
        "INSERT INTO customer VALUES (?, ?, ?)",
        ((n, f"customer {n}", 1000 + n // 3) for n in range(600)),
    )
    crm.execute("UPDATE customer SET changed = 1150 WHERE id BETWEEN 450 AND 580")
    crm.execute("CREATE INDEX by_change ON customer (changed, id)")
    return crm


class Sync:
    def __init__(self, crm):
        self.crm = crm
        self.copied = {}
        self.since = 0

    def page(self):
        return self.crm.execute(
            "SELECT id, name, changed FROM customer WHERE changed >= ? "
            "ORDER BY changed, id LIMIT ?",
            (self.since, PAGE),
        ).fetchall()

    def pull(self):
        while True:
            rows = self.page()
            for number, name, changed in rows:
                self.copied[number] = name
                self.since = changed
            if len(rows) < PAGE:
                return len(self.copied)


def heartbeat():
    while True:
        time.sleep(0.3)
        Path("beat").write_text("up")


def main():
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    sync = Sync(make_crm())
    Path("ready").write_text(f"{os.getpid()}\n")
    print(sync.pull(), flush=True)


if __name__ == "__main__":
    main()
