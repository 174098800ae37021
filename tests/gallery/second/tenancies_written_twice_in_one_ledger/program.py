"""Rents of a housing association: a ledger in SQLite, posted by the clerk and by an auditor."""

import concurrent.futures
import os
import sqlite3
import threading

SCHEMA = """
create table if not exists posting (id integer primary key, flat text, cents integer);
create table if not exists audit (id integer primary key, what text, posting integer);
"""


class Ledger:
    def __init__(self, path):
        self.path = path
        self.local = threading.local()

    @property
    def connection(self):
        if not hasattr(self.local, "connection"):
            self.local.connection = sqlite3.connect(
                self.path, timeout=86400.0, isolation_level=None
            )
        return self.local.connection

    def prepare(self):
        self.connection.executescript(SCHEMA)


class Auditor:
    """Writes its lines from a thread of its own, so that they survive a rollback."""

    def __init__(self, ledger):
        self.ledger = ledger
        self.hand = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="auditor")

    def _write(self, what, posting):
        self.ledger.connection.execute(
            "insert into audit (what, posting) values (?, ?)", (what, posting)
        )

    def note(self, what, posting):
        return self.hand.submit(self._write, what, posting)


def post_rents(ledger, auditor, rents):
    connection = ledger.connection
    auditor.note("begin", 0).result()
    connection.execute("begin immediate")
    try:
        for flat, cents in rents:
            row = connection.execute(
                "insert into posting (flat, cents) values (?, ?)", (flat, cents)
            )
            if cents > 150_000:
                auditor.note("large posting", row.lastrowid).result()
        connection.execute("commit")
    except BaseException:
        connection.execute("rollback")
        raise


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    ledger = Ledger("ledger.db")
    ledger.prepare()
    auditor = Auditor(ledger)
    timer = threading.Timer(1.0, announce)
    timer.start()
    rents = [
        (f"{house}-{flat}", 61_000 + house * flat * 900)
        for house in range(1, 20)
        for flat in range(1, 9)
    ]
    post_rents(ledger, auditor, rents)
    print("posted", len(rents))
    timer.cancel()


main()
