# SPDX-License-Identifier: Apache-2.0
"""A pool of sqlite sessions: at most `size` are lent at a time."""

import collections
import contextlib
import sqlite3
import threading


class SessionPool:
    def __init__(self, path, size):
        self._path = path
        self._idle = collections.deque()
        self._room = threading.Condition(threading.Lock())
        self._size = size
        self._made = 0

    def _connect(self):
        return sqlite3.connect(self._path, timeout=30, check_same_thread=False)

    def acquire(self):
        with self._room:
            while not self._idle:
                if self._made < self._size:
                    self._made += 1
                    return self._connect()
                self._room.wait()
            return self._idle.pop()

    def release(self, db, purpose):
        """Take a session back, clean."""
        with self._room:
            if db.in_transaction:
                db.rollback()
                self._note(purpose, "rolled back a forgotten transaction")
            self._idle.append(db)
            self._room.notify()

    def _note(self, who, what):
        with self.session("audit") as db:
            db.execute("INSERT INTO audit VALUES (?, ?)", (who, what))
            db.commit()

    @contextlib.contextmanager
    def session(self, purpose):
        db = self.acquire()
        try:
            yield db
        finally:
            self.release(db, purpose)
