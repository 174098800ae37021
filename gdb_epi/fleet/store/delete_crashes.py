# SPDX-License-Identifier: Apache-2.0
"""Delete crashes for good, with the rows that only they used; how large the tables are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from sqlalchemy import Connection, Engine, Table, delete, func, select, text
from sqlalchemy.exc import DBAPIError

from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.dimensions import parts_for_in_list
from gdb_epi.fleet.store.transactions import note_change

_SQLITE_BYTES = (
    "SELECT m.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_master m ON m.name = d.name"
    " GROUP BY m.tbl_name"
)
_POSTGRESQL_BYTES = "SELECT pg_total_relation_size(CAST(:name AS regclass))"


def size_of_packed_records(connection: Connection, ids: Sequence[int]) -> int:
    """Return how many bytes the packed records of some crashes (by id) take."""
    size = 0
    for part in parts_for_in_list(ids):
        lengths = select(func.sum(func.length(tables.raw.c.record))).where(
            tables.raw.c.crash_id.in_(part)
        )
        size += int(connection.execute(lengths).scalar() or 0)
    return size


def remove_crashes(connection: Connection, ids: Sequence[int]) -> None:
    """Delete crashes, their records, and the rows of dimensions that nothing uses any more.

    Its transaction must have called `invalidate_dimension_ids` before it read anything: no other
    writer may come to use a row that is deleted. Host-hours that must go are to be deleted before
    this.
    """
    for part in parts_for_in_list(ids):
        connection.execute(tables.raw.delete().where(tables.raw.c.crash_id.in_(part)))
        connection.execute(tables.crash.delete().where(tables.crash.c.id.in_(part)))
    crash, sets = tables.crash.c, tables.libset_lib.c
    in_use = {
        tables.libset_lib.c.libset_id: [crash.libset_id],
        tables.libset.c.id: [crash.libset_id],
        tables.lib.c.id: [sets.lib_id],
        tables.attrset_value.c.attrset_id: [
            crash.attrset_id,
            crash.factset_id,
            tables.exposure.c.attrset_id,
        ],
        tables.attrset.c.id: [crash.attrset_id, crash.factset_id, tables.exposure.c.attrset_id],
        tables.trace.c.id: [crash.trace_id],
        tables.sig.c.id: [crash.sig_id],
        tables.host.c.id: [crash.host_id, tables.exposure.c.host_id],
    }
    for column, users in in_use.items():
        unused = [column.not_in(select(used).where(used.is_not(None))) for used in users]
        assert isinstance(column.table, Table)
        connection.execute(delete(column.table).where(*unused))
    gone = tables.examined.c.core_key.not_in(select(crash.core_key))
    connection.execute(tables.examined.delete().where(gone))
    note_change(connection)


def compact_database(engine: Engine) -> None:
    """Release the space of deleted rows: afterwards, no page of the file holds what was deleted.

    PostgreSQL keeps the space for new rows. SQLite postpones this while somebody is reading.
    """
    with engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="AUTOCOMMIT")
            for table in tables.metadata.sorted_tables:
                connection.execute(text(f"VACUUM {table.name}"))
            return
        connection.exec_driver_sql("VACUUM")  # our driver begins no transaction by itself
        with suppress(DBAPIError):  # a reader holds the log; the next writer cuts it
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def table_sizes(connection: Connection) -> dict[str, int]:
    """Return how many bytes each table takes with its indexes, the largest first.

    Empty where SQLite was built without dbstat.
    """
    names = [table.name for table in tables.metadata.sorted_tables]
    if connection.dialect.name == "postgresql":
        asked = text(_POSTGRESQL_BYTES)
        sizes = {name: connection.execute(asked, {"name": name}).scalar_one() for name in names}
    else:
        try:
            sizes = {str(row[0]): row[1] for row in connection.exec_driver_sql(_SQLITE_BYTES)}
        except DBAPIError:
            return {}
    pairs = ((name, int(sizes.get(name, 0))) for name in names)
    return dict(sorted(pairs, key=lambda pair: -pair[1]))
