# SPDX-License-Identifier: Apache-2.0
"""Exposure: host-hours per day, with the attributes that a host had on that day.

A row is a CSV line or a JSON object with `day`, `hours` and `host`; every other column is an
attribute (rack, sku, cpu_model, microcode, bios, kernel, image, load ...).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from sqlalchemy import Connection, Engine

from gdb_epi.errors import InputError
from gdb_epi.fleet.records.projection import hash_of_set
from gdb_epi.fleet.records.values import MAX_ATTRIBUTES, number_or_none, text_or_none
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import parse_day
from gdb_epi.fleet.store.dimensions import DimensionIds, insert_statement
from gdb_epi.fleet.store.transactions import begin_write, dimension_generation, note_change
from gdb_epi.util import parse_json_object

BATCH = 5_000  # rows per transaction
MAX_HOURS = 24.5  # of one host on one day: a day may have 25 hours, a feed may round
_FIXED = ("day", "hours", "host")


class HostDay(NamedTuple):
    """Hours that one host ran on one day (days since 1970-01-01, UTC) with these attributes."""

    day: int
    host: str
    hours: float
    attributes: dict[str, str]
    machine_id: str = ""  # feeds have names alone, crashes may add it


class ExposureOutcome(NamedTuple):
    """What became of an exposure file; `rejected` holds (where, why)."""

    rows: int
    rejected: tuple[tuple[str, str], ...]


def read_host_days(path: Path) -> Iterator[tuple[str, HostDay | InputError]]:
    """Yield (where, row or what is wrong with it) of a CSV, JSON or JSON-lines file.

    Raises InputError when the file cannot be read or lacks the columns.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            # `<(...)` of a shell is a pipe, which cannot go back to its first character.
            stream = file if file.seekable() else io.StringIO(file.read(), newline="")
            head = stream.read(1)
            stream.seek(0)
            rows = _json_rows(stream) if head in ("{", "[") else _csv_rows(stream, path)
            for line, row in rows:
                yield f"{path}:{line}", _host_day(row)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}", hint="check the path") from error
    except csv.Error as error:
        raise InputError(f"{path}: no CSV: {error}") from error


def store_exposure(
    engine: Engine, rows: Iterator[tuple[str, HostDay | InputError]]
) -> ExposureOutcome:
    """Store exposure; a row for the same host, day and attributes replaces the older one."""
    rejected: list[tuple[str, str]] = []
    count = 0
    while batch := list(islice(rows, BATCH)):
        good = []
        for where, row in batch:
            if isinstance(row, InputError):
                rejected.append((where, str(row)))
            else:
                good.append(row)
        if good:
            with begin_write(engine) as connection:
                dimension_generation(connection)
                store_host_days(connection, good)
                note_change(connection)
        count += len(good)
    return ExposureOutcome(count, tuple(rejected))


def store_host_days(connection: Connection, rows: Sequence[HostDay]) -> None:
    """Store rows in a transaction that asked for `dimension_generation`; the last of one wins."""
    ids = DimensionIds()
    ids.learn_hosts(connection, {(row.host, row.machine_id) for row in rows})
    hashes = [hash_of_set(sorted(row.attributes.items())) for row in rows]
    sets = dict(zip(hashes, (row.attributes for row in rows), strict=True))
    ids.learn_attributes(connection, sets)
    values: dict[tuple[int, int, int], float] = {}
    for row, key in zip(rows, hashes, strict=True):
        host = ids.host[(row.host, row.machine_id)]
        values[host, row.day, ids.attrset[(key,)]] = row.hours
    statement = insert_statement(connection, tables.exposure)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["host_id", "day", "attrset_id"],
            set_={"hours": statement.excluded.hours},
        ),
        [
            {"host_id": h, "day": d, "attrset_id": a, "hours": hours}
            for (h, d, a), hours in sorted(values.items())
        ],
    )


def _csv_rows(stream: TextIO, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(stream)
    missing = [name for name in _FIXED if name not in (reader.fieldnames or ())]
    if missing:
        hint = "a first line such as day,hours,host,rack,kernel"
        raise InputError(f"{path}: no column {', '.join(missing)}", hint=hint)
    for row in reader:
        yield reader.line_num, row


def _json_rows(stream: TextIO) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if stream.read(1) == "[":
        stream.seek(0)
        try:
            values = json.load(stream)
        except (ValueError, RecursionError) as error:
            raise InputError(f"no JSON: {error}") from error
        yield from ((n, row if isinstance(row, dict) else {}) for n, row in enumerate(values, 1))
        return
    stream.seek(0)
    for number_of_line, line in enumerate(stream, 1):
        if line.strip():
            yield number_of_line, parse_json_object(line) or {}


def _host_day(row: Mapping[str, Any]) -> HostDay | InputError:
    day, host = parse_day(row.get("day")), text_or_none(row.get("host"))
    if day is None:
        return InputError(f"no day: {str(row.get('day'))[:80]!r}")
    if not host:
        return InputError("no host")
    hours = row.get("hours")
    try:
        hours = parse_hours(float(hours) if isinstance(hours, str) else hours)
    except ValueError:
        return InputError(f"hours must be 0 to 24: {str(row.get('hours'))[:80]!r}")
    names = [n for n in row if isinstance(n, str) and n not in _FIXED][:MAX_ATTRIBUTES]
    attributes = {text_or_none(n) or "": _attribute_text(row[n]) for n in names}
    return HostDay(day, host, hours, {n: v for n, v in attributes.items() if v})


def parse_hours(value: Any) -> float:
    """Return the hours of a host on one day. Raises ValueError for what cannot be that."""
    hours = number_or_none(value)
    if hours is None or not 0 <= hours <= MAX_HOURS:
        raise ValueError(value)
    return hours


def _attribute_text(value: Any) -> str:
    if isinstance(value, str):
        return text_or_none(value) or ""
    return "" if value is None or isinstance(value, (list, dict)) else json.dumps(value)
