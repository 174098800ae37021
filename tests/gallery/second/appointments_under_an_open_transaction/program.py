# SPDX-License-Identifier: Apache-2.0
"""Books appointments of an eye clinic; a reminder service writes into the same database."""

import os
import sqlite3
import threading

SCHEMA = """
CREATE TABLE IF NOT EXISTS appointment (id INTEGER PRIMARY KEY, patient TEXT, at TEXT);
CREATE TABLE IF NOT EXISTS reminder (appointment INTEGER, sent INTEGER DEFAULT 0);
"""
PATIENCE = 86400.0  # seconds: the desk closes long before


def connect(path):
    return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)


class Reminders(threading.Thread):
    """Writes a line for each new appointment and tells that it is done."""

    def __init__(self, path):
        super().__init__(name="reminders", daemon=True)
        self.path = path
        self.wanted = threading.Event()
        self.written = threading.Event()
        self.appointment = None

    def order(self, appointment):
        self.appointment = appointment
        self.written.clear()
        self.wanted.set()

    def run(self):
        database = connect(self.path)
        while True:
            self.wanted.wait()
            self.wanted.clear()
            self.store(database)
            self.written.set()

    def store(self, database):
        database.execute("INSERT INTO reminder (appointment) VALUES (?)", (self.appointment,))


class Desk:
    def __init__(self, path, reminders):
        self.database = connect(path)
        self.database.executescript(SCHEMA)
        self.reminders = reminders

    def book(self, patient, at):
        """An appointment is kept only if its reminder could be written."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            cursor = self.database.execute(
                "INSERT INTO appointment (patient, at) VALUES (?, ?)", (patient, at)
            )
            self.reminders.order(cursor.lastrowid)
            self.reminders.written.wait()
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")
        return cursor.lastrowid


def main():
    path = "clinic.sqlite"
    reminders = Reminders(path)
    desk = Desk(path, reminders)
    reminders.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    number = desk.book("Lindqvist, E.", "2024-03-18 09:40")
    print("booked as %d" % number)


if __name__ == "__main__":
    main()
