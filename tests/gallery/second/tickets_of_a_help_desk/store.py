# SPDX-License-Identifier: Apache-2.0
"""Tickets in SQLite, and the pool of connections to it."""

import queue
import sqlite3


class ConnectionPool:
    def __init__(self, path, size):
        self.size = size
        self._idle = queue.LifoQueue()
        for _ in range(size):
            connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            connection.execute(
                "CREATE TABLE IF NOT EXISTS ticket"
                " (id INTEGER PRIMARY KEY, sender TEXT, subject TEXT NOT NULL, priority INTEGER)"
            )
            self._idle.put(connection)

    def checkout(self):
        return self._idle.get()

    def checkin(self, connection):
        self._idle.put(connection)


class TicketStore:
    def __init__(self, pool):
        self.pool = pool

    def add(self, sender, subject, priority):
        connection = self.pool.checkout()
        cursor = connection.execute(
            "INSERT INTO ticket (sender, subject, priority) VALUES (?, ?, ?)",
            (sender, subject, priority),
        )
        number = cursor.lastrowid
        self.pool.checkin(connection)
        return number
