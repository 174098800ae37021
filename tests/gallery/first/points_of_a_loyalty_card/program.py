# SPDX-License-Identifier: Apache-2.0
"""Loyalty points are kept in SQLite and in a small cache beside it."""

import os
import sqlite3
import threading

STORE = "points.db"


class Cards:
    def __init__(self):
        self.cache = {}
        self.cache_guard = threading.Lock()

    def connect(self):
        return sqlite3.connect(STORE, timeout=3600, isolation_level=None)

    def earn(self, card, points, begun):
        """Book points, then bring the cache up to date within the transaction."""
        base = self.connect()
        base.execute("BEGIN IMMEDIATE")
        base.execute("UPDATE cards SET points = points + ? WHERE id = ?", (points, card))
        begun.wait()
        with self.cache_guard:
            self.cache[card] = self.cache.get(card, 0) + points
        base.execute("COMMIT")
        base.close()

    def expire(self, begun):
        """Empty the cache and take off what is too old."""
        base = self.connect()
        with self.cache_guard:
            begun.wait()
            self.cache.clear()
            base.execute("UPDATE cards SET points = points / 2 WHERE points > 1000")
        base.close()


def main():
    cards = Cards()
    base = cards.connect()
    base.execute("DROP TABLE IF EXISTS cards")
    base.execute("CREATE TABLE cards (id INTEGER PRIMARY KEY, points INTEGER)")
    base.executemany("INSERT INTO cards VALUES (?, ?)", [(1, 250), (2, 1800)])
    base.close()
    begun = threading.Barrier(3)
    threads = [
        threading.Thread(target=cards.earn, args=(1, 40, begun), name="till"),
        threading.Thread(target=cards.expire, args=(begun,), name="expiry"),
    ]
    for thread in threads:
        thread.start()
    begun.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
