# SPDX-License-Identifier: Apache-2.0
"""The till of a bakery keeps its sales in SQLite and keeps the journal file small."""

import json
import os
import sqlite3

FILE = "till.db"


def connect():
    database = sqlite3.connect(FILE, timeout=3600, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    return database


class Till:
    def __init__(self):
        self.database = connect()
        self.database.execute("CREATE TABLE IF NOT EXISTS sales (article TEXT, cents INTEGER)")

    def sell(self, articles):
        self.database.execute("BEGIN")
        self.database.executemany("INSERT INTO sales VALUES (?, ?)", articles)
        self.database.execute("COMMIT")

    def cut_journal_back(self):
        return self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


class Report:
    def __init__(self, page):
        self.page = page
        self.rows = connect().execute("SELECT article, cents FROM sales ORDER BY rowid")

    def next_page(self):
        return self.rows.fetchmany(self.page)


def main():
    till = Till()
    till.sell([(f"bread {n}", 290 + n) for n in range(200)])
    report = Report(50)
    print(sum(cents for _, cents in report.next_page()), flush=True)
    till.sell([(f"roll {n}", 45 + n % 20) for n in range(400)])
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(till.cut_journal_back())
    print(sum(cents for _, cents in report.next_page()))


main()
