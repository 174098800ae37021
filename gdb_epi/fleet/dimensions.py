# SPDX-License-Identifier: Apache-2.0
"""Ids of the rows of the dimension tables, made where they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, select, tuple_

from gdb_epi.fleet import tables as t
from gdb_epi.fleet.projection import CRASH, Rows

CHUNK = 200  # keys per IN list: SQLite allows 32766 variables, older builds 999

MAX_KEPT = 200_000  # ids of one dimension that are kept between batches
# Columns of crash without the id, in the order of Dimensions.crash_values.
COLUMNS = (*CRASH, "sig_id", "trace_id", "host_id", "libset_id", "attrset_id", "factset_id")

_Wanted = dict[Any, dict[str, Any]]  # key of a dimension row -> its other columns


class Dimensions:
    """The ids of the dimension rows that a batch needs, made where they are missing.

    Rows are inserted in sorted order: two writers that insert the same ones in different order
    would deadlock on PostgreSQL. An id may be kept from one transaction to the next only when the
    one that made it was committed: ingest() drops the whole object otherwise.
    """

    def __init__(self) -> None:
        self.sig: dict[tuple[str, ...], int] = {}
        self.trace: dict[tuple[str, ...], int] = {}
        self.host: dict[tuple[str, ...], int] = {}
        self.lib: dict[tuple[str, ...], int] = {}
        self.libset: dict[tuple[str, ...], int] = {}
        self.attrset: dict[tuple[str, ...], int] = {}

    def forget_when_many(self) -> None:
        """Empty what has grown beyond MAX_KEPT."""
        for known in (self.sig, self.trace, self.host, self.lib, self.libset, self.attrset):
            if len(known) > MAX_KEPT:
                known.clear()

    def learn(self, connection: Connection, batch: Sequence[Rows]) -> None:
        """Make sure that the ids for these rows are known."""
        sigs = {r.sig: r.sig_values for r in batch if r.sig and r.sig not in self.sig}
        traces = {r.trace: r.trace_values for r in batch if r.trace and r.trace not in self.trace}
        _fill(connection, t.sig, ("version", "kind", "key", "coarse"), sigs, self.sig)
        _fill(connection, t.trace, ("version", "exact", "strict"), traces, self.trace)
        self.learn_hosts(connection, {r.host for r in batch if r.host})
        self._learn_libs(
            connection,
            {r.libset: r.libs for r in batch if r.libset and (r.libset,) not in self.libset},
        )
        marks = {r.attrset: r.attributes for r in batch if r.attrset is not None}
        marks.update({r.factset: r.facts for r in batch if r.factset is not None})
        self.learn_attributes(connection, marks)

    def _learn_libs(self, connection: Connection, sets: Mapping[str, Any]) -> None:
        libs: _Wanted = {lib: {} for members in sets.values() for lib in members}
        _fill(connection, t.lib, ("soname", "build_id", "version"), libs, self.lib)
        fresh: _Wanted = {(key,): {} for key in sets}
        _fill(connection, t.libset, ("hash",), fresh, self.libset)
        pairs = sorted((self.libset[(key,)], self.lib[lib]) for key in sets for lib in sets[key])
        if pairs:
            statement = insert(connection, t.libset_lib).on_conflict_do_nothing()
            connection.execute(statement, [{"libset_id": s, "lib_id": x} for s, x in pairs])

    def learn_hosts(self, connection: Connection, wanted: Iterable[tuple[str, str]]) -> None:
        """Make sure that the ids of these hosts (name, machine id) are known."""
        hosts: _Wanted = {key: {} for key in wanted if key not in self.host}
        _fill(connection, t.host, ("name", "machine_id"), hosts, self.host)

    def learn_attributes(
        self, connection: Connection, wanted: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Make sure that the ids of these attribute sets are known; `wanted` by hash."""
        fresh: _Wanted = {(key,): {} for key in wanted if (key,) not in self.attrset}
        _fill(connection, t.attrset, ("hash",), fresh, self.attrset)
        rows = [
            {"attrset_id": self.attrset[key], "attr": attr, "value": value}
            for key in sorted(fresh)
            for attr, value in wanted[key[0]].items()
        ]
        if rows:
            connection.execute(insert(connection, t.attrset_value).on_conflict_do_nothing(), rows)

    def crash_values(self, rows: Rows) -> tuple[Any, ...]:
        """Return the values of the columns COLUMNS of `crash`, foreign keys included."""
        return (
            *rows.values,
            self.sig[rows.sig] if rows.sig else None,
            self.trace[rows.trace] if rows.trace else None,
            self.host[rows.host] if rows.host else None,
            self.libset[(rows.libset,)] if rows.libset else None,
            self.attrset[(rows.attrset,)] if rows.attrset else None,
            self.attrset[(rows.factset,)] if rows.factset else None,
        )

    def crash_row(self, rows: Rows) -> dict[str, Any]:
        """Return the row of `crash` with its foreign keys, by column."""
        return dict(zip(COLUMNS, self.crash_values(rows), strict=True))


def _fill(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    wanted: Mapping[Any, Mapping[str, Any]],
    known: dict[tuple[str, ...], int],
) -> None:
    """Add the ids of the `wanted` keys to `known`; insert the rows that are missing."""
    missing = sorted(key for key in wanted if key not in known)
    _look_up(connection, table, columns, missing, known)
    missing = [key for key in missing if key not in known]
    if not missing:
        return
    rows = [{**dict(zip(columns, key, strict=True)), **wanted[key]} for key in missing]
    connection.execute(insert(connection, table).on_conflict_do_nothing(), rows)
    _look_up(connection, table, columns, missing, known)


def _look_up(
    connection: Connection,
    table: Table,
    columns: tuple[str, ...],
    keys: Sequence[tuple[str, ...]],
    known: dict[tuple[str, ...], int],
) -> None:
    cells = [table.c[name] for name in columns]
    for part in chunks(keys):
        for number, *key in connection.execute(
            select(table.c.id, *cells).where(tuple_(*cells).in_(part))
        ):
            known[tuple(key)] = int(number)


def chunks(keys: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield the keys in parts that fit an IN list."""
    for start in range(0, len(keys), CHUNK):
        yield keys[start : start + CHUNK]


def insert(connection: Connection, table: Table) -> Any:
    """Return the INSERT of this dialect, which knows ON CONFLICT."""
    # Here, because the dialect of the other database costs 40 ms to import.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as maker
    else:
        from sqlalchemy.dialects.sqlite import insert as maker  # type: ignore[assignment]
    return maker(table)
