# SPDX-License-Identifier: Apache-2.0
"""The ledger of a fishing fleet: one SQLite connection for the whole program."""

import sqlite3
import threading

SCHEMA = """
create table catch (vessel text, species text, crates integer, grade integer);
"""
CATCH = [
    ("Frigga", "plaice", 40, 1), ("Frigga", "cod", 12, 2), ("Hoop", "sole", 9, 1),
    ("Hoop", "plaice", 77, 3), ("Seeadler", "cod", 31, 1), ("Seeadler", "dab", 18, 2),
]  # fmt: skip


class Ledger:
    def __init__(self, path=":memory:"):
        self.connection = sqlite3.connect(path, check_same_thread=False)
        self.connection.executescript(SCHEMA)
        with self.connection:
            self.connection.executemany("insert into catch values (?, ?, ?, ?)", CATCH)

    def appraise_with(self, appraise):
        """Have auction prices asked by `appraise` within a query."""
        self.connection.create_function("appraise", 2, appraise)

    def proceeds(self):
        """Return what each vessel would get at today's auction."""
        rows = self.connection.execute(
            "select vessel, sum(crates * appraise(species, grade)) from catch group by vessel"
        )
        return dict(rows.fetchall())

    def crates(self):
        row = self.connection.execute("select sum(crates) from catch").fetchone()
        return row[0]


class Auction:
    """Prices by telephone: the first one takes as long as the auctioneer likes."""

    def __init__(self):
        self.calling = threading.Event()
        self.answered = threading.Event()

    def __call__(self, species, grade):
        self.calling.set()
        self.answered.wait()
        return {"sole": 95, "cod": 60}.get(species, 30) // grade
