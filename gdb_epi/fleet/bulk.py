# SPDX-License-Identifier: Apache-2.0
"""Insert many crashes at once, in plain SQL of each database.

SQLAlchemy binds every parameter by name, which costs more than SQLite's own work. Column names
come from `tables`, values are always parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Connection, Float, Integer
from sqlalchemy.exc import OperationalError

from gdb_epi.fleet import tables as t

COLUMNS = tuple(column.name for column in t.crash.columns if column.name != "id")
_NAMES = ", ".join(COLUMNS)
CHUNK = 500  # keys per IN list: older SQLite allows 999 variables


def insert_crashes(
    connection: Connection, rows: Sequence[Mapping[str, Any]], packed: Mapping[str, bytes]
) -> set[str]:
    """Insert the crashes that are not there yet, with their raw records; return their core_keys.

    The transaction must be one of `begin`: on SQLite nobody else may write now.
    """
    if connection.dialect.name == "postgresql":
        return _insert_postgresql(connection, rows, packed)
    return _insert_sqlite(connection, rows, packed)


def _insert_sqlite(
    connection: Connection, rows: Sequence[Mapping[str, Any]], packed: Mapping[str, bytes]
) -> set[str]:
    there = _existing(connection, [row["core_key"] for row in rows])
    new = [row for row in rows if row["core_key"] not in there]
    if not new:
        return set()
    # The write lock is ours, so the next ids are too; asking for each one costs a third more.
    last = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM crash").scalar_one()
    first = int(last) + 1
    names, marks = ", ".join(("id", *COLUMNS)), ", ".join("?" * (len(COLUMNS) + 1))
    values = [(number, *[row[c] for c in COLUMNS]) for number, row in enumerate(new, first)]
    connection.exec_driver_sql(f"INSERT INTO crash ({names}) VALUES ({marks})", values)
    records = [(number, packed[row["core_key"]]) for number, row in enumerate(new, first)]
    connection.exec_driver_sql("INSERT INTO raw (crash_id, record) VALUES (?, ?)", records)
    return {row["core_key"] for row in new}


def _existing(connection: Connection, keys: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(keys), CHUNK):
        part = tuple(keys[start : start + CHUNK])
        marks = ", ".join("?" * len(part))
        query = f"SELECT core_key FROM crash WHERE core_key IN ({marks})"
        found.update(row[0] for row in connection.exec_driver_sql(query, part))
    return found


_STAGE = (
    f"CREATE TEMP TABLE IF NOT EXISTS epi_stage ON COMMIT DELETE ROWS AS SELECT {_NAMES},"
    " NULL::bytea AS record FROM crash WITH NO DATA"
)
# One statement for both tables. Sorted, or two writers would deadlock.
_TAKE_OVER = (
    f"WITH added AS (INSERT INTO crash ({_NAMES}) SELECT {_NAMES} FROM epi_stage ORDER BY core_key"
    " ON CONFLICT (core_key) DO NOTHING RETURNING id, core_key),"
    " kept AS (INSERT INTO raw (crash_id, record) SELECT added.id, epi_stage.record FROM added"
    " JOIN epi_stage USING (core_key)) SELECT core_key FROM added"
)


def _insert_postgresql(
    connection: Connection, rows: Sequence[Mapping[str, Any]], packed: Mapping[str, bytes]
) -> set[str]:
    """COPY into a table of this session, and from there what is new; another driver: arrays."""
    driver = connection.connection.driver_connection
    if connection.dialect.driver != "psycopg" or driver is None:
        return _insert_arrays(connection, rows, packed)
    if not connection.in_transaction():
        connection.begin()  # commit() of a connection that executed nothing itself would do nothing
    problem = connection.dialect.loaded_dbapi.Error
    try:
        return _copy(driver, rows, packed)
    except problem as error:
        lost = connection.dialect.is_disconnect(error, driver, None)
        if lost:
            connection.invalidate(error)
        raise OperationalError("COPY", None, error, connection_invalidated=lost) from error


def _copy(driver: Any, rows: Sequence[Mapping[str, Any]], packed: Mapping[str, bytes]) -> set[str]:
    values = itemgetter(*COLUMNS)
    with driver.cursor() as cursor:
        cursor.execute(_STAGE)
        with cursor.copy(f"COPY epi_stage ({_NAMES}, record) FROM STDIN") as copy:
            for row in rows:
                copy.write_row((*values(row), packed[row["core_key"]]))
        return {str(key) for (key,) in cursor.execute(_TAKE_OVER)}


def _insert_arrays(
    connection: Connection, rows: Sequence[Mapping[str, Any]], packed: Mapping[str, bytes]
) -> set[str]:
    # One statement with an array per column; sorted, or two writers would deadlock.
    ordered = sorted(rows, key=lambda row: str(row["core_key"]))
    names = ", ".join(COLUMNS)
    arrays = ", ".join(f"%s::{_array(t.crash.columns[name])}" for name in COLUMNS)
    done = connection.exec_driver_sql(
        f"INSERT INTO crash ({names}) SELECT * FROM unnest({arrays})"
        " ON CONFLICT (core_key) DO NOTHING RETURNING core_key, id",
        tuple([row[name] for row in ordered] for name in COLUMNS),
    )
    added = {str(key): int(number) for key, number in done}
    if added:
        connection.exec_driver_sql(
            "INSERT INTO raw (crash_id, record) SELECT * FROM unnest(%s::bigint[], %s::bytea[])",
            (list(added.values()), [packed[key] for key in added]),
        )
    return set(added)


def _array(column: Column[Any]) -> str:
    kinds = ((BigInteger, "bigint"), (Integer, "integer"), (Float, "double precision"))
    for kind, name in (*kinds, (Boolean, "boolean")):
        if isinstance(column.type, kind):
            return f"{name}[]"
    return "text[]"
