"""Registry of cattle: a file of movements is imported in one transaction; changes are audited by a thread."""

import contextlib
import logging
import os
import queue
import sqlite3
import sys
import threading

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(threadName)-10s %(message)s")
log = logging.getLogger("registry")

SCHEMA = """
create table animal (tag text primary key, holding text not null);
create table movement (id integer primary key, tag text, origin text, target text);
create table audit (id integer primary key, what text not null);
"""


def connect(path):
    connection = sqlite3.connect(path, timeout=86400, isolation_level=None)
    connection.execute("pragma busy_timeout = 86400000")
    return connection


class Auditor(threading.Thread):
    """Writes what others tell it, with its own connection; tells them the number of the entry."""

    def __init__(self, path):
        super().__init__(name="auditor", daemon=True)
        self.path = path
        self.inbox = queue.Queue()

    def run(self):
        database = connect(self.path)
        while True:
            what, reply = self.inbox.get()
            cursor = database.execute("insert into audit (what) values (?)", (what,))
            reply.put(cursor.lastrowid)

    def note(self, what):
        reply = queue.Queue(1)
        self.inbox.put((what, reply))
        return reply.get()


class Registry:
    def __init__(self, path, auditor):
        self.database = connect(path)
        self.auditor = auditor

    @contextlib.contextmanager
    def transaction(self):
        self.database.execute("begin immediate")
        try:
            yield self.database
        except BaseException:
            self.database.execute("rollback")
            raise
        self.database.execute("commit")

    def register(self, tag, holding):
        entry = self.auditor.note(f"new animal {tag}")
        self.database.execute("insert into animal values (?, ?)", (tag, holding))
        log.info("%s registered (audit %d)", tag, entry)

    def load(self, movements):
        with self.transaction() as database:
            for tag, target in movements:
                row = database.execute(
                    "select holding from animal where tag = ?", (tag,)
                ).fetchone()
                if row is None:
                    log.info("%s is not known", tag)
                    self.auditor.note(f"unknown animal {tag} moved to {target}")
                    continue
                database.execute(
                    "insert into movement (tag, origin, target) values (?, ?, ?)",
                    (tag, row[0], target),
                )
                database.execute("update animal set holding = ? where tag = ?", (target, tag))


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    path = os.path.abspath("herds.sqlite")
    setup = connect(path)
    setup.execute("pragma journal_mode = wal")
    setup.executescript(SCHEMA)
    setup.close()
    auditor = Auditor(path)
    auditor.start()
    registry = Registry(path, auditor)
    for number in range(5):
        registry.register(f"DE{number:08d}", "Hof Eichengrund")
    movements = [(f"DE{number:08d}", f"Alm {number % 3}") for number in (0, 1, 2, 7, 3)]
    threading.Timer(1.5, announce).start()
    registry.load(movements)
    log.info("movements loaded")


main()
