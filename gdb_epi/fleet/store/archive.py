# SPDX-License-Identifier: Apache-2.0
"""What a database holds besides the records, as JSON lines that `fleet ingest` can restore.

Host-hours, findings, decisions, what was sent, when each record came in, what was rejected. After
the records, these lines restore the same database; ingested into another one, they add what it
lacks, and the later decision of a person wins.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Engine, Table, func, select

from gdb_epi.errors import InputError
from gdb_epi.fleet.records.crash_times import judge_time
from gdb_epi.fleet.records.reader import (
    EXPORT_NUMBER,
    EXPORT_PREFIX,
    EXPOSURE,
    FINDING,
    MARK,
    NOTICE,
    PRUNED,
    RECEIVED,
    REJECTED,
    kind_of_export_line,
)
from gdb_epi.fleet.records.values import INT32, int32_or_none, number_or_none, text_or_none
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import MAX_DAY, SECONDS_A_DAY
from gdb_epi.fleet.store.day_of_prune import read_prune_day, store_prune_day
from gdb_epi.fleet.store.dimensions import insert_statement, parts_for_in_list
from gdb_epi.fleet.store.exposure import HostDay, parse_hours, store_host_days
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

_TABLES = {
    FINDING: tables.finding,
    MARK: tables.mark,
    NOTICE: tables.notice,
    REJECTED: tables.ingest_log,
}
ROWS = 500  # of one line or transaction
MAX_DETAIL = 1 << 20  # characters of what a finding says: it names up to 100 cores
LATER = ("state", "note", "decided_at", "decided_n", "decided_p", "raised")  # of a finding


def archive_lines(engine: Engine) -> Iterator[str]:
    """Yield everything but the records, a JSON object a line."""
    for kind, rows in (
        *((RECEIVED, rows) for rows in _rows_of_arrival_times(engine)),
        *((EXPOSURE, rows) for rows in _exposure_rows(engine)),
    ):
        yield _archive_line(kind, rows)
    for kind, table in _TABLES.items():
        for rows in _row_batches(engine, table):
            yield _archive_line(kind, rows)
    with engine.connect() as connection:
        day = read_prune_day(sqlalchemy_executor(connection))
    if day is not None:
        yield _archive_line(PRUNED, [day])


def count_rows_beside_records(engine: Engine) -> dict[str, int]:
    """Return the number of rows that an export of the records alone would leave out."""
    counted = {"host-day": tables.exposure, "finding": tables.finding, "decision": tables.mark}
    rows = {}
    with engine.connect() as connection:
        for name, table in counted.items():
            chosen = select(func.count()).select_from(table)
            rows[name] = int(connection.execute(chosen).scalar_one())
    return rows


def restore_archive_line(connection: Connection, line: Mapping[str, Any]) -> int:
    """Store the rows of a line; return how many there were. Raises InputError for a damaged one."""
    kind, rows = kind_of_export_line(line), line["rows"]
    try:
        if kind == RECEIVED:
            _restore_arrival_times(
                connection, {str(text_or_none(key)): _valid_moment(at) for key, at in rows}
            )
        elif kind == EXPOSURE:
            _restore_exposure(connection, rows)
        elif kind == PRUNED:
            day = _checked_day(rows[0])
            if day * SECONDS_A_DAY > time.time():
                raise ValueError(day)  # no crash would be counted until then
            store_prune_day(connection, day)
        else:
            _restore_rows(connection, kind, [_row_of_table(_TABLES[kind], row) for row in rows])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(f"a damaged line of {kind}: {type(error).__name__}") from error
    return len(rows)


def _archive_line(kind: str, rows: Sequence[Any]) -> str:
    return json.dumps({"schema": f"{EXPORT_PREFIX}{kind}{EXPORT_NUMBER}", "rows": rows})


def _rows_of_arrival_times(engine: Engine) -> Iterator[list[Any]]:
    c, after = tables.crash.c, 0
    while True:
        chosen = select(c.id, c.core_key, c.received).where(c.id > after).order_by(c.id).limit(ROWS)
        with engine.connect() as connection:
            rows = connection.execute(chosen).all()
        if not rows:
            return
        after = rows[-1][0]
        with_time = [[key, at] for _, key, at in rows if at is not None]
        if with_time:
            yield with_time


def _exposure_rows(engine: Engine) -> Iterator[list[Any]]:
    """Yield [[day, attributes, [[name, machine id, hours] ...]]] for each day and attributes."""
    e, h, v = tables.exposure.c, tables.host.c, tables.attrset_value.c
    with engine.connect() as connection:
        # By the contents of the sets: their ids are those of this database.
        a = tables.attrset.c
        chosen_sets = select(e.day, a.id, a.hash).where(a.id == e.attrset_id).distinct()
        sets = connection.execute(chosen_sets.order_by(e.day, a.hash)).all()
        attributes: dict[int, dict[str, str]] = {}
        for day, number_of_set, _ in sets:
            if number_of_set not in attributes:
                pairs = select(v.attr, v.value).where(v.attrset_id == number_of_set)
                rows = connection.execute(pairs.order_by(v.attr))
                attributes[number_of_set] = {str(row[0]): str(row[1]) for row in rows}
            chosen = select(h.name, h.machine_id, e.hours).where(
                e.host_id == h.id, e.day == day, e.attrset_id == number_of_set
            )
            hosts = [[*row] for row in connection.execute(chosen.order_by(h.name, h.machine_id))]
            for start in range(0, len(hosts), ROWS):
                yield [[day, attributes[number_of_set], hosts[start : start + ROWS]]]


def _row_batches(engine: Engine, table: Table) -> Iterator[list[Any]]:
    after = 0
    columns = [column for column in table.c if column.name != "id"]
    while True:
        chosen = select(table.c.id, *columns).where(table.c.id > after).order_by(table.c.id)
        with engine.connect() as connection:
            rows = connection.execute(chosen.limit(ROWS)).all()
        if not rows:
            return
        after = rows[-1][0]
        names = [column.name for column in columns]
        yield [dict(zip(names, row[1:], strict=True)) for row in rows]


def _restore_arrival_times(connection: Connection, received: Mapping[str, float]) -> None:
    """Restore when records first came in, and judge their times by that again."""
    c = tables.crash.c
    for keys in parts_for_in_list(sorted(received)):
        chosen = select(c.id, c.core_key, c.ts, c.ts_claimed, c.ts_source, c.received)
        for row in connection.execute(chosen.where(c.core_key.in_(keys))).all():
            at = min(received[row.core_key], row.received or received[row.core_key])
            ts = row.ts if row.ts is not None else row.ts_claimed
            judged = judge_time(ts, row.ts_source, at)
            values = {"received": at, "ts": judged[0], "ts_claimed": judged[1]}
            connection.execute(tables.crash.update().where(c.id == row.id).values(**values))


def _restore_exposure(connection: Connection, rows: Sequence[Any]) -> None:
    host_days = []
    for day, attributes, hosts in rows:
        given = {str(text_or_none(k)): str(text_or_none(v)) for k, v in attributes.items()}
        host_days += [
            HostDay(
                _checked_day(day),
                text_or_none(name) or "",
                parse_hours(hours),
                given,
                text_or_none(machine) or "",
            )
            for name, machine, hours in hosts
        ]
    store_host_days(connection, host_days)


def _restore_rows(connection: Connection, kind: str, rows: list[dict[str, Any]]) -> None:
    if kind == FINDING:
        statement = insert_statement(connection, tables.finding)
        new, c = statement.excluded, tables.finding.c
        is_later = func.coalesce(new.decided_at, 0.0) > func.coalesce(c.decided_at, 0.0)
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["attr", "value", "signature"],
                set_={name: new[name] for name in LATER},
                where=is_later,
            ),
            rows,
        )
    elif kind == NOTICE:
        connection.execute(
            insert_statement(connection, tables.notice).on_conflict_do_nothing(), rows
        )
    else:
        table = _TABLES[kind]
        times = [row["at"] for row in rows]
        alike = table.c.at.between(min(times, default=0.0), max(times, default=0.0))
        there = set(map(tuple, connection.execute(select(*table.c[1:]).where(alike)).all()))
        names = [column.name for column in table.c[1:]]
        fresh = [row for row in rows if tuple(row[name] for name in names) not in there]
        if fresh:
            connection.execute(table.insert(), fresh)


def _row_of_table(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with the table's columns, of their types. Raises KeyError for a missing one."""
    cleaned: dict[str, Any] = {}
    for column in table.c[1:]:
        value = row[column.name]
        if value is not None:
            value = _VALUES.get(column.name, _KINDS[column.type.python_type])(value)
        if value is None and not column.nullable:
            raise ValueError(column.name)
        cleaned[column.name] = value
    return cleaned


def _checked_integer(value: Any, limit: int = INT32) -> int:
    """Return a whole number that every database takes. Raises ValueError."""
    whole = int32_or_none(value, limit)
    if whole is None:
        raise ValueError(value)
    return whole


def _checked_day(value: Any) -> int:
    return _checked_integer(value, MAX_DAY + 1)


def _checked_float(value: Any) -> float:
    plain = number_or_none(value)
    if plain is None:
        raise ValueError(value)
    return plain


def _valid_moment(value: Any) -> float:
    """Return seconds since the epoch, of a day that can be written. Raises ValueError."""
    moment = _checked_float(value)
    if abs(moment) > MAX_DAY * SECONDS_A_DAY:
        raise ValueError(value)
    return moment


_KINDS: dict[type, Callable[[Any], Any]] = {
    str: text_or_none,
    int: _checked_integer,
    float: _checked_float,
}
# Columns that are shown as days, and the JSON of a finding, by name.
_VALUES: dict[str, Callable[[Any], Any]] = {
    "day": _checked_day, "at": _valid_moment, "decided_at": _valid_moment, "until": _valid_moment,
    "detail": lambda value: text_or_none(value, MAX_DETAIL),
}  # fmt: skip
