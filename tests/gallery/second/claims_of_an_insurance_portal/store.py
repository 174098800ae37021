# SPDX-License-Identifier: Apache-2.0
import contextlib
import contextvars
import functools
import queue
import sqlite3

current = contextvars.ContextVar("current", default=None)


class Engine:
    def __init__(self, path, size):
        self.idle = queue.Queue(size)
        self.path = path
        for _ in range(size):
            self.idle.put(sqlite3.connect(path, check_same_thread=False, timeout=60))

    @contextlib.contextmanager
    def begin(self):
        connection = self.idle.get()
        try:
            yield connection
            connection.commit()
        finally:
            self.idle.put(connection)


engine = None


def transactional(function):
    @functools.wraps(function)
    def inside(*args, **kwargs):
        with engine.begin() as connection:
            token = current.set(connection)
            try:
                return function(*args, **kwargs)
            finally:
                current.reset(token)

    return inside


def audited(action):
    def decorate(function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            result = function(*args, **kwargs)
            with engine.begin() as separate:
                separate.execute("select ?, ?", (action, repr(args))).fetchall()
            return result

        return inside

    return decorate
