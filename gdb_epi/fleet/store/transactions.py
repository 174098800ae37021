# SPDX-License-Identifier: Apache-2.0
"""Transactions that write to the fleet database, and the note that each leaves for caches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, select

from gdb_epi.fleet.store.schema_version import DROPPED
from gdb_epi.fleet.store.tables import change, meta


@contextmanager
def begin_write(engine: Engine) -> Iterator[Connection]:
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


def dimension_generation(connection: Connection) -> str:
    """Return what changes when rows of dimensions are deleted; it stays so in this transaction.

    Ids that were remembered under another generation may be nobody's. Whoever deletes waits for the
    transactions that asked (PostgreSQL; on SQLite there is one writer at a time).
    """
    chosen = select(meta.c.value).where(meta.c.key == DROPPED).with_for_update(read=True)
    return str(connection.execute(chosen).scalar())


def invalidate_dimension_ids(connection: Connection) -> None:
    """Say to all writers that rows of dimensions are deleted in this transaction; do it first."""
    of_drops = meta.c.key == DROPPED
    value = connection.execute(select(meta.c.value).where(of_drops).with_for_update()).scalar()
    connection.execute(meta.update().where(of_drops).values(value=str(int(value or 0) + 1)))
