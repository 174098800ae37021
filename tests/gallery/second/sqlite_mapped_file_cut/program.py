# SPDX-License-Identifier: Apache-2.0
"""SQLite reads its database through a mapping (PRAGMA mmap_size) and another process truncates
the file.
"""

import os
import sqlite3

SEEN = []


def size_of(text):
    SEEN.append(len(text))
    if len(SEEN) == 20:
        os.truncate("shop.db", 8192)
    return len(text)


def count_rows(database):
    return database.execute("select sum(length(text)) from notes").fetchone()


def main():
    database = sqlite3.connect("shop.db")
    database.execute("create table notes (text)")
    database.executemany("insert into notes values (?)", [("x" * 900,)] * 4000)
    database.commit()
    database.close()
    database = sqlite3.connect("shop.db")
    mapped = database.execute("pragma mmap_size = 100000000").fetchone()
    print(mapped, count_rows(database))
    database.create_function("size_of", 1, size_of)
    print(database.execute("select sum(size_of(text)) from notes").fetchone())


main()
