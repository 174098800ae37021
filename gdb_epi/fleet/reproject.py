# SPDX-License-Identifier: Apache-2.0
"""Rebuild the tables from the raw records, which are the source of truth."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlalchemy import Connection, Engine, select

from gdb_epi.fleet import tables as t
from gdb_epi.fleet.db import begin, note_change
from gdb_epi.fleet.dimensions import Dimensions
from gdb_epi.fleet.ingest import stored_record
from gdb_epi.fleet.projection import project

BATCH = 500  # crashes per transaction


def reproject(engine: Engine) -> int:
    """Project every raw record again, oldest first; return how many there were."""
    after, count = 0, 0
    while True:
        with begin(engine) as connection:
            ids = _batch(connection, after)
        if not ids:
            return count
        after, count = ids[-1], count + len(ids)


def record_lines(engine: Engine) -> Iterator[str]:
    """Yield every stored record as one line of JSON, in the order of their arrival."""
    after = 0
    while True:
        chosen = select(t.raw.c.crash_id, t.raw.c.record).where(t.raw.c.crash_id > after)
        with engine.connect() as connection:
            found = connection.execute(chosen.order_by(t.raw.c.crash_id).limit(BATCH)).all()
        if not found:
            return
        after = int(found[-1][0])
        yield from (json.dumps(stored_record(blob), sort_keys=True) for _, blob in found)


def _batch(connection: Connection, after: int) -> list[int]:
    chosen = select(t.raw.c.crash_id, t.raw.c.record).where(t.raw.c.crash_id > after)
    found = connection.execute(chosen.order_by(t.raw.c.crash_id).limit(BATCH)).all()
    projected = {int(number): project(stored_record(blob)) for number, blob in found}
    ids = Dimensions()
    ids.learn(connection, list(projected.values()))
    for number, rows in projected.items():
        where = t.crash.c.id == number
        connection.execute(t.crash.update().where(where).values(ids.crash_row(rows)))
    note_change(connection)
    return list(projected)
