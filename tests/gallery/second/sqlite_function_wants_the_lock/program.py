# SPDX-License-Identifier: Apache-2.0
"""A function that SQLite calls wants a lock; its holder wants the connection that SQLite has
locked meanwhile.
"""

import os
import sqlite3
import threading

STOCK_LOCK = threading.Lock()
SCORING = threading.Event()
STOCK = {"nail": 12, "bolt": 3}


def score(name):
    SCORING.set()
    with STOCK_LOCK:
        return STOCK.get(name, 0)


def rank_items(connection):
    return connection.execute("select name from items order by score(name)").fetchall()


def restock(connection):
    with STOCK_LOCK:
        thread = threading.Thread(target=rank_items, args=(connection,))
        thread.start()
        SCORING.wait()
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        connection.execute("insert into items values ('screw')")
    thread.join()


def main():
    connection = sqlite3.connect("stock.db", check_same_thread=False, isolation_level=None)
    connection.create_function("score", 1, score)
    connection.execute("create table items (name text)")
    connection.executemany("insert into items values (?)", [("nail",), ("bolt",)])
    restock(connection)


main()
