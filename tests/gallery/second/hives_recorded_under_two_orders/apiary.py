# SPDX-License-Identifier: Apache-2.0
"""The records of an apiary: a database and, before it, a cache of the hives."""

import contextlib
import sqlite3
import threading

PATIENCE = 6 * 3600.0  # seconds; a nightly backup may hold the file for long
PATH = "apiary.db"


class HiveCache:
    def __init__(self):
        self.lock = threading.Lock()
        self.weights = {}


def connect():
    connection = sqlite3.connect(PATH, timeout=PATIENCE, isolation_level=None)
    connection.execute("pragma journal_mode=delete")
    return connection


def create():
    with contextlib.closing(connect()) as connection:
        connection.execute("drop table if exists hive")
        connection.execute("create table hive (name text primary key, weight real, note text)")
        connection.executemany(
            "insert into hive values (?, ?, '')",
            [(f"hive-{number:02d}", 31.0 + number) for number in range(12)],
        )
