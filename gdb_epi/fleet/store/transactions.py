# SPDX-License-Identifier: Apache-2.0
"""Transactions that write to the fleet database, and the note that each leaves for caches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine

from gdb_epi.fleet.store.tables import change


@contextmanager
def begin(engine: Engine) -> Iterator[Connection]:
    """Open a transaction for writing, committed at the end of the block.

    SQLite takes its write lock at once: a lock taken later could fail in the middle.
    """
    with engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection
        connection.commit()


def note_change(connection: Connection) -> None:
    """Note that this transaction changes what the questions answer."""
    connection.execute(change.insert().values(at=time.time()))
