# SPDX-License-Identifier: Apache-2.0
"""Insert many crashes at once, in plain SQL of each database.

SQLAlchemy binds every parameter by name, which costs more than SQLite's own work. Column names
come from `dimensions`, values are always parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from gdb_epi.fleet.store.dimensions import COLUMNS

_NAMES = ", ".join(COLUMNS)
CHUNK = 500  # keys per IN list: older SQLite allows 999 variables

Crash = tuple[Any, ...]  # the values of COLUMNS, core_key first, and the raw record


def insert_crashes(connection: Connection, crashes: Sequence[Crash]) -> set[str]:
    """Insert the crashes that are not there yet, with their raw records; return their core_keys.

    The transaction must be one of `begin`: on SQLite nobody else may write now.
    """
    if connection.dialect.name == "postgresql":
        return _insert_postgresql(connection, crashes)
    return _insert_sqlite(connection, crashes)


def _insert_sqlite(connection: Connection, crashes: Sequence[Crash]) -> set[str]:
    there = _existing(connection, [crash[0] for crash in crashes])
    new = [crash for crash in crashes if crash[0] not in there] if there else crashes
    if not new:
        return set()
    # The write lock is ours, so the next ids are too; asking for each one costs a third more.
    last = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM crash").scalar_one()
    first = int(last) + 1
    for names, rows in _group_by_absence(new, first):
        marks = ", ".join("?" * len(names))
        statement = f"INSERT INTO crash ({', '.join(names)}) VALUES ({marks})"
        connection.exec_driver_sql(statement, rows)
    records = [(number, bytearray(crash[-1])) for number, crash in enumerate(new, first)]
    connection.exec_driver_sql("INSERT INTO raw (crash_id, record) VALUES (?, ?)", records)
    return {crash[0] for crash in new}


def _group_by_absence(
    crashes: Sequence[Crash], first: int
) -> Iterator[tuple[list[str], list[tuple[Any, ...]]]]:
    """Yield names of columns and rows of them; no row holds None, the last is the id, `first`...

    Python's sqlite3 looks for an adapter, for a microsecond each, before it binds anything but an
    int, float, str or bytearray: None and bytes took half the time of an ingest.
    """
    sorts: dict[tuple[type, ...], tuple[Callable[[Crash], Any], list[tuple[Any, ...]]]] = {}
    for number, crash in enumerate(crashes, first):
        kinds = tuple(map(type, crash))  # of the ways to say what is absent the quickest
        group = sorts.get(kinds)
        if group is None:
            group = sorts[kinds] = itemgetter(*_present(kinds)), []
        pick, rows = group
        rows.append((*pick(crash), number))
    for kinds, (_, rows) in sorts.items():
        yield [*(COLUMNS[i] for i in _present(kinds)), "id"], rows


def _present(kinds: Sequence[type]) -> list[int]:
    return [i for i in range(len(COLUMNS)) if kinds[i] is not type(None)]


def _existing(connection: Connection, keys: Sequence[str]) -> set[str]:
    existing: set[str] = set()
    for start in range(0, len(keys), CHUNK):
        part = tuple(keys[start : start + CHUNK])
        marks = ", ".join("?" * len(part))
        query = f"SELECT core_key FROM crash WHERE core_key IN ({marks})"
        existing.update(row[0] for row in connection.exec_driver_sql(query, part))
    return existing


_STAGE = (
    f"CREATE TEMP TABLE IF NOT EXISTS epi_stage ON COMMIT DELETE ROWS AS SELECT {_NAMES},"
    " NULL::bytea AS record FROM crash WITH NO DATA"
)
# One statement for both tables. Sorted, or two writers would deadlock; ids are in the order of
# arrival, by which clocks are judged (population/judged_times.py).
_TAKE_OVER = (
    "WITH numbered AS MATERIALIZED (SELECT nextval(pg_get_serial_sequence('crash', 'id')) AS id,"
    " arrived.* FROM (SELECT * FROM epi_stage ORDER BY ctid) AS arrived),"
    f" added AS (INSERT INTO crash (id, {_NAMES}) SELECT id, {_NAMES} FROM numbered"
    " ORDER BY core_key ON CONFLICT (core_key) DO NOTHING RETURNING id, core_key),"
    " kept AS (INSERT INTO raw (crash_id, record) SELECT added.id, epi_stage.record FROM added"
    " JOIN epi_stage USING (core_key)) SELECT core_key FROM added"
)


def _insert_postgresql(connection: Connection, crashes: Sequence[Crash]) -> set[str]:
    """COPY into a table of this session, and from there what is new."""
    driver: Any = connection.connection.driver_connection
    if not connection.in_transaction():
        connection.begin()  # commit() of a connection that executed nothing itself would do nothing
    problem = connection.dialect.loaded_dbapi.Error
    try:
        with driver.cursor() as cursor:
            cursor.execute(_STAGE)
            with cursor.copy(f"COPY epi_stage ({_NAMES}, record) FROM STDIN") as copy:
                for crash in crashes:
                    copy.write_row(crash)
            return {str(key) for (key,) in cursor.execute(_TAKE_OVER)}
    except problem as error:
        lost = connection.dialect.is_disconnect(error, driver, None)
        if lost:
            connection.invalidate(error)
        raise OperationalError("COPY", None, error, connection_invalidated=lost) from error
