# SPDX-License-Identifier: Apache-2.0
"""Put records into the database: idempotent by core_key, one transaction per batch.

A core that is known already is replaced only by a better record (projection.rank), and then the
two are merged, so nothing that only one of them knew is lost.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import DBAPIError, OperationalError

from gdb_epi.fleet.records.crash_times import NO_ZONE, UNREADABLE, why_time_is_missing
from gdb_epi.fleet.records.packing import RecordPacker, unpack_record, unpack_record_or_empty
from gdb_epi.fleet.records.prepare import PreparedBatch, PreparedRecord, RecordPreparer, Source
from gdb_epi.fleet.records.projection import CRASH, merge_records, project_record
from gdb_epi.fleet.records.reader import LINES_OF_PART
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.archive import restore_archive_line
from gdb_epi.fleet.store.dimensions import COLUMNS, DimensionIds, parts_for_in_list
from gdb_epi.fleet.store.transactions import begin_write, dimension_generation, note_change

# -- Insert many crashes at once, in plain SQL of each database ------------------------------------
#
# SQLAlchemy binds every parameter by name, which costs more than SQLite's own work. Column names
# come from `dimensions`, values are always parameters.

_NAMES = ", ".join(COLUMNS)
CHUNK = 500  # keys per IN list: older SQLite allows 999 variables

Crash = tuple[Any, ...]  # the values of COLUMNS, core_key first, and the raw record


def insert_crashes(connection: Connection, crashes: Sequence[Crash]) -> set[str]:
    """Insert the crashes that are not there yet, with their raw records; return their core_keys.

    The transaction must be one of `begin`: on SQLite nobody else may write now.
    """
    if connection.dialect.name == "postgresql":
        return _insert_crashes_by_copy(connection, crashes)
    there = _existing_core_keys(connection, [crash[0] for crash in crashes])
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
            group = sorts[kinds] = itemgetter(*_columns_with_values(kinds)), []
        pick, rows = group
        rows.append((*pick(crash), number))
    for kinds, (_, rows) in sorts.items():
        yield [*(COLUMNS[i] for i in _columns_with_values(kinds)), "id"], rows


def _columns_with_values(kinds: Sequence[type]) -> list[int]:
    return [i for i in range(len(COLUMNS)) if kinds[i] is not type(None)]


def _existing_core_keys(connection: Connection, keys: Sequence[str]) -> set[str]:
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


def _insert_crashes_by_copy(connection: Connection, crashes: Sequence[Crash]) -> set[str]:
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


# -- Put records into the database: idempotent by core_key, one transaction per batch --------------

VICTIM = ("40001", "40P01")  # the server broke a deadlock at our expense: again at once
# Seconds before a lost connection is tried again; a server needs some to restart.
PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)


class IngestOutcome(NamedTuple):
    """Counts of one ingest; `rejected` holds (source, why)."""

    added: int = 0
    replaced: int = 0
    known: int = 0
    rejected: tuple[tuple[str, str], ...] = ()
    # Of those added: why their times are not believed, and of how many.
    set_aside: Mapping[str, int] = MappingProxyType({})
    others: int = 0  # rows of an export that are no records: host-hours, findings, decisions ...

    def __add__(self, other: IngestOutcome) -> IngestOutcome:  # type: ignore[override]
        """Return the sum of two outcomes."""
        return IngestOutcome(
            self.added + other.added,
            self.replaced + other.replaced,
            self.known + other.known,
            self.rejected + other.rejected,
            Counter(self.set_aside) + Counter(other.set_aside),
            self.others + other.others,
        )

    def summary_line(self) -> str:
        """Return the outcome as words."""
        words = f"{self.added} added, {self.replaced} replaced by a better analysis"
        words += f", {self.known} known already, {len(self.rejected)} rejected"
        return words + (f"; {self.others} other rows of an export" if self.others else "")

    def times_line(self) -> str:
        """Say whose times are not believed, and where that is explained; nothing where all are."""
        parts = [f"{count} {ASIDE[why]}" for why, count in sorted(self.set_aside.items())]
        return f"times not believed: {', '.join(parts)}; see gdb-epi fleet check" if parts else ""


ASIDE = {
    "file date": "that are dates of files",
    NO_ZONE: "without a time zone",
    UNREADABLE: "that cannot be read",
    "ahead": "ahead of now",
    "before 2000": "before 2000",
}
_CLAIMED, _SOURCE = CRASH.index("ts_claimed"), CRASH.index("ts_source")


def _why_time_was_set_aside(values: Sequence[Any]) -> str:
    """Return why the time of a crash was set aside, a word of ASIDE; nothing where it was not."""
    claimed, source = values[_CLAIMED], values[_SOURCE]
    return "" if claimed is None and source != UNREADABLE else why_time_is_missing(claimed, source)


def ingest(engine: Engine, sources: Iterable[Source]) -> IngestOutcome:
    """Store the records and return what became of them."""
    preparer = RecordPreparer()
    stream = iter(sources)
    parts = iter(lambda: list(islice(stream, LINES_OF_PART)), [])
    return store_batches(engine, (preparer.prepare_batch(part) for part in parts))


def store_batches(
    engine: Engine,
    batches: Iterable[PreparedBatch],
    progress: Callable[[IngestOutcome], None] | None = None,
    *,
    everything: bool = False,
) -> IngestOutcome:
    """Store prepared batches, each in a transaction of its own; return what became of them.

    With `everything` host-hours, findings and decisions of an export are taken too: from a file
    that a person named, never from afar.
    """
    total, writer = IngestOutcome(), BatchWriter(engine, everything=everything)
    for batch in batches:
        total += writer.store(batch)
        if progress is not None:
            progress(total)
    return total


class BatchWriter:
    """Stores batches; keeps the ids of dimensions from one to the next."""

    def __init__(self, engine: Engine, *, everything: bool = False) -> None:
        self._engine = engine
        self._ids = DimensionIds()
        self._everything = everything
        self._generation = ""

    def store(self, batch: PreparedBatch) -> IngestOutcome:
        """Store a batch in one transaction, again when the server went away or broke a deadlock.

        A batch that was committed although its connection was lost is found again: by core_key.
        """
        for pause in (*PAUSES, None):
            ids, self._ids = self._ids, DimensionIds()
            try:
                done = self._store_in_transaction(batch, ids)
            except DBAPIError as error:
                is_lost = error.connection_invalidated or _is_server_away(error)
                is_victim = getattr(error.orig, "sqlstate", None) in VICTIM
                if pause is None or not (is_lost or is_victim):
                    raise
                if is_lost:
                    time.sleep(pause)
            else:
                # Only now: ids that a rolled-back transaction made are nobody's.
                self._ids = ids
                return done
        raise AssertionError("the last pause is None")

    def _store_in_transaction(self, batch: PreparedBatch, ids: DimensionIds) -> IngestOutcome:
        best = batch.best
        ids.forget_when_many()
        with begin_write(self._engine) as connection:
            generation = dimension_generation(connection)
            if generation != self._generation:
                ids.forget()
            rejected = batch.rejected
            if batch.others and not self._everything:
                rejected += (("", f"{len(batch.others)} lines of an export that are no records"),)
            for source, why in rejected:
                row = {"at": time.time(), "source": source, "status": "rejected"}
                connection.execute(tables.ingest_log.insert().values(**row, error=why[:1000]))
            ids.ensure_ids(connection, [stored.rows for stored in best.values()])
            crashes = [ids.crash_values(rows, blob) for rows, blob in best.values()]
            added = insert_crashes(connection, crashes) if best else set()
            known_keys = [key for key in best if key not in added]
            replaced = _replace_worse(connection, known_keys, best, ids)
            others = 0
            for line in batch.others if self._everything else ():
                others += restore_archive_line(connection, line)
            if added or replaced or others:
                note_change(connection)
        self._generation = generation
        kept = len(known_keys) - replaced + batch.repeats
        aside = Counter(_why_time_was_set_aside(best[key].rows.values) for key in added)
        del aside[""]
        return IngestOutcome(len(added), replaced, kept, rejected, aside, others)


def _is_server_away(error: DBAPIError) -> bool:
    """Whether the server could not be reached, or ends connections because it restarts."""
    state = getattr(error.orig, "sqlstate", None) or ""
    if state.startswith(("08", "57P")):
        return True
    words = ("connection", "server closed", "terminating")
    is_operational = type(error.orig).__name__ == "OperationalError"
    is_server = type(error.orig).__module__.startswith("psycopg")
    return is_operational and is_server and any(word in str(error.orig).lower() for word in words)


def _replace_worse(
    connection: Connection,
    known_keys: Sequence[str],
    best: Mapping[str, PreparedRecord],
    ids: DimensionIds,
) -> int:
    replaced = 0
    for keys in parts_for_in_list(sorted(known_keys)):
        chosen = (
            select(
                tables.crash.c.core_key,
                tables.crash.c.id,
                tables.crash.c.received,
                tables.raw.c.record,
            )
            .join(tables.raw, tables.raw.c.crash_id == tables.crash.c.id)
            .where(tables.crash.c.core_key.in_(keys))
            .order_by(tables.crash.c.core_key)
            # Two re-analyses of one core must not overwrite each other (PostgreSQL).
            .with_for_update(of=tables.crash)
        )
        for key, crash_id, received, blob in connection.execute(chosen).all():
            new = best[key]
            if blob != new.blob:
                old = unpack_record_or_empty(blob)
                merged = merge_records(old, unpack_record(new.blob))
                if merged != old:
                    rows = project_record(merged, received)
                    ids.ensure_ids(connection, [rows])
                    where = tables.crash.c.id == crash_id
                    connection.execute(
                        tables.crash.update().where(where).values(ids.crash_row(rows))
                    )
                    packed = RecordPacker().pack_record(merged)
                    raw_where = tables.raw.c.crash_id == crash_id
                    connection.execute(tables.raw.update().where(raw_where).values(record=packed))
                    replaced += 1
    return replaced


def crash_count(engine: Engine) -> int:
    """Return the number of cores in the database."""
    with engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(tables.crash)).scalar_one())
