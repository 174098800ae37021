# SPDX-License-Identifier: Apache-2.0
"""Ids of the rows of the dimension tables, which are inserted where they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Table

from gdb_epi.fleet.records.projection import CRASH, BoundedCache, RecordRows
from gdb_epi.fleet.store import tables

CHUNK = 150  # keys or rows per statement: SQLite allows 32766 variables, older builds 999

MAX_KEPT = 200_000  # ids of one dimension that are kept between batches
# Columns of crash without the id, in the order of Dimensions.crash_values.
COLUMNS = (*CRASH, "sig_id", "trace_id", "host_id", "libset_id", "attrset_id", "factset_id")

_Wanted = dict[Any, dict[str, Any]]  # key of a dimension row -> its other columns


class DimensionIds:
    """The ids of the dimension rows that a batch needs; missing rows are inserted.

    Rows are inserted in sorted order: two writers that insert the same ones in different order
    would deadlock on PostgreSQL. An id may be kept from one transaction to the next only when the
    one that made it was committed: ingest() drops the whole object otherwise.
    """

    def __init__(self) -> None:
        self.sig, self.trace, self.host, self.lib, self.libset, self.attrset = (
            BoundedCache[int](MAX_KEPT) for _ in range(6)
        )

    def forget(self) -> None:
        """Empty all of it: rows may have been deleted."""
        for ids in (self.sig, self.trace, self.host, self.lib, self.libset, self.attrset):
            ids.forget()

    def forget_when_many(self) -> None:
        """Empty what has grown too large."""
        for ids in (self.sig, self.trace, self.host, self.lib, self.libset, self.attrset):
            if ids.is_full:
                ids.forget()

    def ensure_ids(self, connection: Connection, batch: Sequence[RecordRows]) -> None:
        """Make sure that the ids for these rows are known."""
        sigs: _Wanted = {}
        traces: _Wanted = {}
        hosts, sets, marks = set(), {}, {}
        for rows in batch:
            _, _, sig, named, trace, _, host, attributes, libs, libset, attrset, facts, factset = (
                rows
            )
            if sig and sig not in self.sig:
                sigs[sig] = named
            if trace and trace not in self.trace:
                traces[trace] = rows.trace_values
            if host and host not in self.host:
                hosts.add(host)
            if libset and (libset,) not in self.libset:
                sets[libset] = libs
            if attrset and (attrset,) not in self.attrset:
                marks[attrset] = attributes
            if factset and (factset,) not in self.attrset:
                marks[factset] = facts
        _ensure_rows(connection, tables.sig, ("version", "kind", "key", "coarse"), sigs, self.sig)
        _ensure_rows(connection, tables.trace, ("version", "exact", "strict"), traces, self.trace)
        self.learn_hosts(connection, hosts)
        self._learn_libs(connection, sets)
        self.learn_attributes(connection, marks)

    def _learn_libs(self, connection: Connection, sets: Mapping[str, Any]) -> None:
        libs: _Wanted = {lib: {} for members in sets.values() for lib in members}
        _ensure_rows(connection, tables.lib, ("soname", "build_id", "version"), libs, self.lib)
        fresh: _Wanted = {(key,): {} for key in sets}
        _ensure_rows(connection, tables.libset, ("hash",), fresh, self.libset)
        pairs = sorted((self.libset[(key,)], self.lib[lib]) for key in sets for lib in sets[key])
        _insert_rows(connection, tables.libset_lib, ("libset_id", "lib_id"), pairs)

    def learn_hosts(self, connection: Connection, wanted: Iterable[tuple[str, str]]) -> None:
        """Make sure that the ids of these hosts (name, machine id) are known."""
        hosts: _Wanted = {key: {} for key in wanted if key not in self.host}
        _ensure_rows(connection, tables.host, ("name", "machine_id"), hosts, self.host)

    def learn_attributes(
        self, connection: Connection, wanted: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Make sure that the ids of these attribute sets are known; `wanted` by hash."""
        fresh: _Wanted = {(key,): {} for key in wanted if (key,) not in self.attrset}
        _ensure_rows(connection, tables.attrset, ("hash",), fresh, self.attrset)
        rows = [
            (self.attrset[key], attr, value)
            for key in sorted(fresh)
            for attr, value in wanted[key[0]].items()
        ]
        _insert_rows(connection, tables.attrset_value, ("attrset_id", "attr", "value"), rows)

    def crash_values(self, rows: RecordRows, *more: Any) -> tuple[Any, ...]:
        """Return the values of the columns COLUMNS of `crash`, with foreign keys, and `more`."""
        _, values, sig, _, trace, _, host, _, _, libset, attrset, _, factset = rows
        return (
            *values,
            self.sig[sig] if sig else None,
            self.trace[trace] if trace else None,
            self.host[host] if host else None,
            self.libset[(libset,)] if libset else None,
            self.attrset[(attrset,)] if attrset else None,
            self.attrset[(factset,)] if factset else None,
            *more,
        )

    def crash_row(self, rows: RecordRows) -> dict[str, Any]:
        """Return the row of `crash` with its foreign keys, by column."""
        return dict(zip(COLUMNS, self.crash_values(rows), strict=True))


def _ensure_rows(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    wanted: Mapping[Any, Mapping[str, Any]],
    ids: BoundedCache[int],
) -> None:
    """Add the ids of the `wanted` keys to `ids`; insert the rows that are missing."""
    missing = sorted(key for key in wanted if key not in ids)
    _look_up_ids(connection, table, columns, missing, ids)
    missing = [key for key in missing if key not in ids]
    if not missing:
        return
    more = tuple(wanted[missing[0]])
    rows = [(*key, *wanted[key].values()) for key in missing]
    _insert_rows(connection, table, (*columns, *more), rows)
    _look_up_ids(connection, table, columns, missing, ids)


# Plain SQL, as in `insert_crashes`: a fleet's first records bring thousands of hosts.
def _insert_rows(
    connection: Connection, table: Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    for part in parts_for_in_list(rows):
        into, values = (
            f"{table.name} ({_quoted_column_names(columns)})",
            _placeholders(connection, columns, part),
        )
        statement = f"INSERT INTO {into} VALUES {values} ON CONFLICT DO NOTHING"
        connection.exec_driver_sql(statement, tuple(chain.from_iterable(part)))


def _look_up_ids(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    keys: Sequence[tuple[str, ...]],
    ids: BoundedCache[int],
) -> None:
    names = _quoted_column_names(columns)
    for part in parts_for_in_list(keys):
        values = _placeholders(connection, columns, part)
        query = f"SELECT id, {names} FROM {table.name} WHERE ({names}) IN (VALUES {values})"
        for number, *key in connection.exec_driver_sql(query, tuple(chain.from_iterable(part))):
            ids.keep(tuple(key), int(number))


def _quoted_column_names(columns: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)


def _placeholders(connection: Connection, columns: Sequence[str], rows: Sequence[Any]) -> str:
    mark = "%s" if connection.dialect.name == "postgresql" else "?"
    row = f"({', '.join([mark] * len(columns))})"
    return ", ".join([row] * len(rows))


def parts_for_in_list(keys: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield the keys in parts that fit an IN list."""
    for start in range(0, len(keys), CHUNK):
        yield keys[start : start + CHUNK]


def insert_statement(connection: Connection, table: Table) -> Any:
    """Return the INSERT of this dialect, which knows ON CONFLICT."""
    # Imported here, because the other database's dialect costs 40 ms.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as maker
    else:
        from sqlalchemy.dialects.sqlite import insert as maker  # type: ignore[assignment]
    return maker(table)
