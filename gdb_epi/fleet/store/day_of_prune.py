# SPDX-License-Identifier: Apache-2.0
"""The day before which crashes were pruned: those that remain are shown, and never counted.

Read in plain SQL: `epi seen` asks inside GDB, without SQLAlchemy.
"""

from __future__ import annotations

from gdb_epi.fleet.store.plain_sql import Execute, sqlalchemy_executor
from gdb_epi.fleet.store.schema_version import PRUNED_BEFORE
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

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


def prune_caveat(before: int | None, first: float | None) -> list[str]:
    """Return a caveat where counts may be too small: crashes since `first` may have been pruned."""
    from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY, iso_day

    if before is None or (first is not None and first >= before * SECONDS_A_DAY):
        return []
    return [f"Crashes before {iso_day(before)} were pruned: of then there may have been more"]


def read_prune_day_by_itself(engine: Engine) -> int | None:
    """Return what `read_prune_day` does, over a connection of its own."""
    with engine.connect() as connection:
        return read_prune_day(sqlalchemy_executor(connection))
