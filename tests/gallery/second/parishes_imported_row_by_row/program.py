# SPDX-License-Identifier: Apache-2.0
"""Imports the registers of parishes into SQLite, each row durable before the next is read."""

import csv
import io
import logging
import os
import sqlite3
import threading
import time
from dataclasses import dataclass

log = logging.getLogger("parishes")

SCHEMA = """
create table person (
    id integer primary key, parish text, surname text, born integer, unique (parish, surname, born)
);
create table progress (parish text primary key, rows integer);
"""
SURNAMES = "abbot baker carter draper fisher glover hooper mason potter sawyer turner".split()


@dataclass
class Register:
    """A register as it was sent: text of comma separated values."""

    parish: str
    rows: int

    def text(self):
        lines = io.StringIO()
        writer = csv.writer(lines)
        writer.writerow(["surname", "born"])
        for number in range(self.rows):
            writer.writerow([f"{SURNAMES[number % 11]}-{number}", 1700 + number % 180])
        return lines.getvalue()


class Importer:
    """Every row is a transaction: the archive wants to go on from where the power failed."""

    def __init__(self, path):
        self.path = path
        self.done = 0
        self.total = 0
        self.parish = None

    def open(self):
        store = sqlite3.connect(self.path, isolation_level=None)
        store.execute("pragma synchronous = full")
        store.executescript(SCHEMA)
        return store

    def import_row(self, store, parish, row, number):
        store.execute("begin immediate")
        store.execute(
            "insert or ignore into person (parish, surname, born) values (?, ?, ?)",
            (parish, row["surname"], int(row["born"])),
        )
        store.execute("insert or replace into progress values (?, ?)", (parish, number))
        store.execute("commit")

    def import_register(self, store, register):
        self.parish = register.parish
        for number, row in enumerate(csv.DictReader(io.StringIO(register.text())), 1):
            self.import_row(store, register.parish, row, number)
            self.done += 1

    def run(self, registers):
        self.total = sum(register.rows for register in registers)
        store = self.open()
        for register in registers:
            self.import_register(store, register)
        store.close()


class Progress(threading.Thread):
    """Shows how far the import is."""

    def __init__(self, importer):
        super().__init__(name="progress", daemon=True)
        self.importer = importer
        self.began = time.monotonic()

    def run(self):
        while True:
            time.sleep(1)
            done, total = self.importer.done, max(1, self.importer.total)
            rate = done / (time.monotonic() - self.began)
            log.info("%s: %.1f %%, %.0f rows/s", self.importer.parish, 100 * done / total, rate)


def main():
    logging.basicConfig(level=logging.INFO)
    registers = [Register(parish, 40_000) for parish in ("ambleby", "brockwell", "coldharbour")]
    importer = Importer("parishes.db")
    Progress(importer).start()
    threading.Timer(0.3, lambda: open("ready", "w").write(f"{os.getpid()}\n")).start()
    importer.run(registers)
    log.info("imported %d rows", importer.done)


if __name__ == "__main__":
    main()
