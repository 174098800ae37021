# SPDX-License-Identifier: Apache-2.0
"""The shifts of a toll station are written into its database."""

import os
import sqlite3
from pathlib import Path

DATABASE = "toll.db"


class Station:
    def __init__(self):
        self.passages = sqlite3.connect(DATABASE, timeout=7200)
        self.passages.execute("create table if not exists passage (lane integer, fee real)")
        self.passages.execute("create table if not exists shift (name text, total real)")
        self.passages.commit()

    def pass_vehicle(self, lane, fee):
        self.passages.execute("insert into passage values (?, ?)", (lane, fee))

    def total(self):
        return self.passages.execute("select sum(fee) from passage").fetchone()[0]


def close_shift(name, total):
    books = sqlite3.connect(DATABASE, timeout=7200)
    with books:
        books.execute("insert into shift values (?, ?)", (name, total))
    books.close()


def main():
    Path(DATABASE).unlink(missing_ok=True)
    station = Station()
    for number in range(300):
        station.pass_vehicle(number % 4, 3.5)
    Path("ready").write_text(f"{os.getpid()}\n")
    close_shift("early", station.total())
    print("early shift is closed")


if __name__ == "__main__":
    main()
