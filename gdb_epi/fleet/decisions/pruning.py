# SPDX-License-Identifier: Apache-2.0
"""Prune old crashes: the first and the newest of each signature stay, and so does evidence.

Old crashes that stay are shown (`fleet show`, first seen) but never counted: the share that is left
differs between signatures and hosts. The database keeps the day (PRUNED_BEFORE).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, Engine, func, select

from gdb_epi.fleet.decisions.current_state import DRAINED, SUSPECT, read_current_states
from gdb_epi.fleet.decisions.current_state import HOST as MARKED_HOST
from gdb_epi.fleet.decisions.finding_states import CONFIRMED, OPEN, stored_findings_in_transaction
from gdb_epi.fleet.population.host_spelling import match_spellings
from gdb_epi.fleet.population.machine_names import read_machine_names
from gdb_epi.fleet.screen.finding import HOST, LOOP_OF
from gdb_epi.fleet.statistics.arrays import Ints
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.fleet.store.day_of_prune import read_prune_day, store_prune_day
from gdb_epi.fleet.store.delete_crashes import (
    compact_database,
    remove_crashes,
    size_of_packed_records,
    table_sizes,
)
from gdb_epi.fleet.store.dimensions import parts_for_in_list
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
from gdb_epi.fleet.store.transactions import begin_write, invalidate_dimension_ids


class PruneSummary(NamedTuple):
    """What goes (or would go); `before` is a day since 1970-01-01."""

    before: int
    crashes: int
    bytes: int  # of their records, packed
    signatures: int  # that lose crashes; none vanishes
    host_days: int
    log_lines: int
    kept: int  # crashes of that age that stay
    kept_of_hosts: int  # of them, those of hosts that are suspected
    hosts: tuple[str, ...]  # these hosts
    tables: dict[str, int]  # bytes of each table, before and (with `apply`) after
    tables_after: dict[str, int]


def prune_old_crashes(
    engine: Engine, before: int, keep: int, *, apply: bool, now: float
) -> PruneSummary:
    """Return which crashes before a day can go; with `apply`, delete them.

    The first crash of each signature stays, its newest `keep`, those of hosts with an open or
    confirmed finding or marked suspect or drained, and the cores that open findings name.
    """
    with engine.connect() as connection:
        sizes = table_sizes(connection)
    if not apply:
        with engine.connect() as connection:
            ids, pruning = _choose_what_to_prune(connection, before, keep, now)
    else:
        with begin_write(engine) as connection:
            invalidate_dimension_ids(connection)
            ids, pruning = _choose_what_to_prune(connection, before, keep, now)
            connection.execute(tables.exposure.delete().where(tables.exposure.c.day < before))
            old = tables.ingest_log.c.at < before * SECONDS_A_DAY
            connection.execute(tables.ingest_log.delete().where(old))
            if ids or pruning.host_days:
                store_prune_day(connection, before)
            remove_crashes(connection, ids)
        compact_database(engine)
    with engine.connect() as connection:
        after = table_sizes(connection) if apply else sizes
    return pruning._replace(tables=sizes, tables_after=after)


def _choose_what_to_prune(
    connection: Connection, before: int, keep: int, now: float
) -> tuple[list[int], PruneSummary]:
    before = max(before, read_prune_day(sqlalchemy_executor(connection)) or before)
    c = tables.crash.c
    moment = func.coalesce(c.ts, c.received, 0.0)
    rows = connection.execute(select(c.id, c.sig_id, c.host_id, moment).order_by(moment, c.id))
    columns = list(zip(*rows.all(), strict=True)) or [()] * 4
    numbers, signatures, hosts = (_integers_or_minus_one(column) for column in columns[:3])
    old = np.array(columns[3], dtype=float) < before * SECONDS_A_DAY
    names, suspected = _hosts_whose_crashes_are_evidence(connection, now)
    of_hosts = old & np.isin(hosts, suspected)
    # The first crash of each signature and its newest `keep`.
    order = np.argsort(signatures, kind="stable")
    _, start, size = np.unique(signatures[order], return_index=True, return_counts=True)
    place = np.arange(signatures.size) - np.repeat(start, size)
    is_end = (place == 0) | (place >= np.repeat(size, size) - keep)
    ends = np.zeros(signatures.size, dtype=bool)
    ends[order] = is_end
    stays = of_hosts | ends | np.isin(numbers, _cores_of_open_findings(connection))
    goes = old & ~stays
    ids = [int(number) for number in numbers[goes]]
    exposed = (
        select(func.count()).select_from(tables.exposure).where(tables.exposure.c.day < before)
    )
    logged = select(func.count()).select_from(tables.ingest_log)
    logged = logged.where(tables.ingest_log.c.at < before * SECONDS_A_DAY)
    return ids, PruneSummary(
        before=before,
        crashes=len(ids),
        bytes=size_of_packed_records(connection, ids),
        signatures=int(np.unique(signatures[goes]).size),
        host_days=int(connection.execute(exposed).scalar_one()),
        log_lines=int(connection.execute(logged).scalar_one()),
        kept=int((old & stays).sum()),
        kept_of_hosts=int(of_hosts.sum()),
        hosts=names,
        tables={},
        tables_after={},
    )


def _integers_or_minus_one(column: Iterable[int | None]) -> Ints:
    return np.array([-1 if number is None else number for number in column], dtype=np.int64)


def _hosts_whose_crashes_are_evidence(
    connection: Connection, now: float
) -> tuple[tuple[str, ...], list[int]]:
    """Return the hosts whose crashes are evidence: their names, and the ids of all spellings."""
    held = read_current_states(sqlalchemy_executor(connection), MARKED_HOST, now)
    wanted = {s.name for s, current in held.items() if current.state in (SUSPECT, DRAINED)}
    f = tables.finding.c
    raised = select(f.value).where(f.attr.in_((HOST, LOOP_OF)), f.state.in_((OPEN, CONFIRMED)))
    wanted |= set(connection.execute(raised).scalars())
    names = read_machine_names(connection).of_id
    every = sorted(set(names.values()))
    meant = set(match_spellings(sorted(wanted), every)) | wanted
    return tuple(sorted(wanted)), [number for number, name in names.items() if name in meant]


def _cores_of_open_findings(connection: Connection) -> list[int]:
    """Return the ids of the cores that open findings name."""
    cores = (
        row.detail.get("cores", ()) for row in stored_findings_in_transaction(connection, OPEN)
    )
    keys = sorted({str(key) for core in cores for key in core})
    c = tables.crash.c
    chosen = (select(c.id).where(c.core_key.in_(part)) for part in parts_for_in_list(keys))
    return [number for ids in chosen for number in connection.execute(ids).scalars()]
