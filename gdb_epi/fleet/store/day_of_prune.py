# SPDX-License-Identifier: Apache-2.0
"""The day before which crashes were pruned: those that remain are shown, and never counted.

Read in plain SQL: `epi seen` asks inside GDB, without SQLAlchemy.
"""

from __future__ import annotations

from gdb_epi.fleet.store.plain_sql import Execute, sqlalchemy_executor
from gdb_epi.fleet.store.versions import PRUNED_BEFORE
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

_VALUE = "SELECT value FROM meta WHERE key = :key"


def read_prune_day(execute: Execute) -> int | None:
    """Return the day (since 1970-01-01); None where nothing was pruned."""
    row = next(iter(execute(_VALUE, {"key": PRUNED_BEFORE})), None)
    return None if row is None else int(row[0])


def store_prune_day(connection: Connection, day: int) -> None:
    """Store the day, unless a later one is stored: what is gone does not come back."""
    from gdb_epi.fleet.store.tables import meta

    before = read_prune_day(sqlalchemy_executor(connection))
    connection.execute(meta.delete().where(meta.c.key == PRUNED_BEFORE))
    value = str(day if before is None else max(day, before))
    connection.execute(meta.insert().values(key=PRUNED_BEFORE, value=value))
