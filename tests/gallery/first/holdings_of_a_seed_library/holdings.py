# SPDX-License-Identifier: Apache-2.0
"""The holdings of a seed library in a small database; each thread has its own connection."""

import sqlite3
import threading


class Holdings:
    def __init__(self, path):
        self._path = path
        self._local = threading.local()
        with self.connection as connection:
            connection.execute("create table lot (kind text, grams real, year integer)")

    @property
    def connection(self):
        if not hasattr(self._local, "connection"):
            self._local.connection = sqlite3.connect(self._path, timeout=7200)
        return self._local.connection

    def enter(self, lots):
        """Write lots that came in one parcel: all of them or none."""
        cursor = self.connection.cursor()
        for kind, grams, year in lots:
            cursor.execute("insert into lot values (?, ?, ?)", (kind, float(grams), int(year)))
        self.connection.commit()

    def discard(self, before):
        with self.connection as connection:
            return connection.execute("delete from lot where year < ?", (before,)).rowcount
