# SPDX-License-Identifier: Apache-2.0
"""Which files were examined with which options, so that a stopped run need not repeat them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Engine, select

from gdb_epi.fleet.records.packing import unpack_record_or_empty
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.dimensions import insert_statement, parts_for_in_list
from gdb_epi.fleet.store.transactions import begin_write


def note_examined(engine: Engine, core_keys: Mapping[str, str]) -> None:
    """Store the core's key under that of the input; to be called when its record is stored."""
    at = time.time()
    rows = [{"key": key, "core_key": core, "at": at} for key, core in core_keys.items()]
    if rows:
        with begin_write(engine) as connection:
            statement = insert_statement(connection, tables.examined).on_conflict_do_nothing()
            connection.execute(statement, rows)


def core_keys_examined_before(engine: Engine, keys: Iterable[str]) -> dict[str, str]:
    """Return the core's key by that of the input, for cores whose record is still stored."""
    stored: dict[str, str] = {}
    e, c = tables.examined.c, tables.crash.c
    with engine.connect() as connection:
        for part in parts_for_in_list(list(keys)):
            chosen = select(e.key, e.core_key).where(e.key.in_(part), e.core_key == c.core_key)
            stored.update((str(key), str(core)) for key, core in connection.execute(chosen))
    return stored


def read_records(engine: Engine, core_keys: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the records of cores by their keys, as far as they are stored and intact."""
    records: dict[str, dict[str, Any]] = {}
    c, r = tables.crash.c, tables.raw.c
    with engine.connect() as connection:
        for part in parts_for_in_list(list(core_keys)):
            chosen = select(c.core_key, r.record).where(r.crash_id == c.id, c.core_key.in_(part))
            for key, blob in connection.execute(chosen):
                record = unpack_record_or_empty(blob)
                if record:
                    records[str(key)] = record
    return records
