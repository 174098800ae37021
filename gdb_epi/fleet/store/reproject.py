# SPDX-License-Identifier: Apache-2.0
"""Rebuild the tables from the raw records, which are the source of truth."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from sqlalchemy import Connection, Engine, select

from gdb_epi.fleet.records.packing import unpack_record_or_empty
from gdb_epi.fleet.records.projection import project_record
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.dimensions import DimensionIds
from gdb_epi.fleet.store.schema_version import REPROJECTED_TO
from gdb_epi.fleet.store.transactions import begin_write, dimension_generation, note_change

BATCH = 500  # crashes per transaction


def reproject_raw_records(engine: Engine, lost: list[int], after: int = 0) -> int:
    """Project the raw records behind an id again, oldest first; return how many there were.

    The ids of crashes whose record is damaged are added to `lost`; their rows stay as they are.
    """
    count = 0
    of_migration = tables.meta.c.key == REPROJECTED_TO
    while True:
        with begin_write(engine) as connection:
            ids, damaged = _reproject_batch(connection, after)
            if not ids:
                connection.execute(tables.meta.delete().where(of_migration))
                return count
            connection.execute(tables.meta.update().where(of_migration).values(value=str(ids[-1])))
        lost += damaged
        after, count = ids[-1], count + len(ids) - len(damaged)


def stored_records_as_json_lines(engine: Engine, lost: list[int]) -> Iterator[str]:
    """Yield every stored record as one line of JSON, in the order of their arrival.

    The ids of crashes whose record is damaged are added to `lost`.
    """
    packed: Mapping[int, bytes] = {0: b""}
    while packed:
        with engine.connect() as connection:
            packed = packed_records_after(connection, max(packed))
        for number, blob in packed.items():
            record = unpack_record_or_empty(blob)
            if record:
                yield json.dumps(record, sort_keys=True)
            else:
                lost.append(number)


def packed_records_after(connection: Connection, after: int) -> dict[int, bytes]:
    """Return the next records behind an id, by the ids of their crashes, which ascend."""
    raw = tables.raw.c
    chosen = select(raw.crash_id, raw.record).where(raw.crash_id > after)
    rows = connection.execute(chosen.order_by(raw.crash_id).limit(BATCH)).all()
    return {int(number): blob for number, blob in rows}


def _reproject_batch(connection: Connection, after: int) -> tuple[list[int], list[int]]:
    """Project the records behind a number; return all their ids, and those of damaged ones."""
    dimension_generation(connection)
    chosen = select(tables.raw.c.crash_id, tables.raw.c.record, tables.crash.c.received)
    chosen = chosen.join(tables.crash, tables.crash.c.id == tables.raw.c.crash_id)
    chosen = (
        chosen.where(tables.raw.c.crash_id > after).order_by(tables.raw.c.crash_id).limit(BATCH)
    )
    stored = connection.execute(chosen).all()
    records = {int(number): (unpack_record_or_empty(blob), at) for number, blob, at in stored}
    projected = {n: project_record(record, at) for n, (record, at) in records.items() if record}
    ids = DimensionIds()
    ids.ensure_ids(connection, list(projected.values()))
    for number, rows in projected.items():
        where = tables.crash.c.id == number
        connection.execute(tables.crash.update().where(where).values(ids.crash_row(rows)))
    note_change(connection)
    return list(records), [number for number, (record, _) in records.items() if not record]
