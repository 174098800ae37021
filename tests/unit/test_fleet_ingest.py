# SPDX-License-Identifier: Apache-2.0
"""The fleet database on real SQLite files; test_fleet_postgresql reuses some of it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select, text
from support.waiting import wait_until
from unit.fleet_records import full, minimal

from gdb_epi.cli.support.record_keeper import RecordKeeper
from gdb_epi.fleet.questions.signatures import top_signatures
from gdb_epi.fleet.records.crash_times import EARLIEST
from gdb_epi.fleet.records.packing import unpack_record_or_empty
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import NewerSchema, open_database
from gdb_epi.fleet.store.ingest import crash_count, ingest
from gdb_epi.fleet.store.reproject import reproject_raw_records
from gdb_epi.fleet.store.transactions import begin_write

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database that does not exist yet."""
    return str(tmp_path / "fleet.sqlite3")


def put(url: str, *records):
    """Ingest records and return the outcome."""
    with open_database(url, write=True) as engine:
        return ingest(engine, [("test", record) for record in records])


def rows(url: str, statement):
    """Return all rows of a SELECT."""
    with open_database(url, write=False) as engine, engine.connect() as connection:
        return [tuple(row) for row in connection.execute(statement)]


def count(url: str, table) -> int:
    """Return the number of rows of a table."""
    return len(rows(url, select(table)))


def leads_nowhere(url: str) -> dict[str, int]:
    """Return how many crashes name a row that is not there, by column; only those with any.

    No foreign key sees to that (tables.crash says what does).
    """
    rows_of = {
        tables.crash.c.sig_id: tables.sig.c.id,
        tables.crash.c.trace_id: tables.trace.c.id,
        tables.crash.c.host_id: tables.host.c.id,
        tables.crash.c.libset_id: tables.libset.c.id,
        tables.crash.c.attrset_id: tables.attrset.c.id,
        tables.crash.c.factset_id: tables.attrset.c.id,
        tables.raw.c.crash_id: tables.crash.c.id,
        tables.crash.c.id: tables.raw.c.crash_id,
    }
    counts = {}
    for column, row in rows_of.items():
        wanted = select(column).where(column.is_not(None), column.not_in(select(row)))
        counts[str(column)] = len(rows(url, wanted))
    return {column: number for column, number in counts.items() if number}


def test_ids_that_lead_nowhere_are_seen_and_reprojected_ones_lead_somewhere(url: str) -> None:
    put(url, *[full(i) for i in range(7)])
    assert leads_nowhere(url) == {}
    with sqlite3.connect(url) as database:
        database.execute("UPDATE crash SET sig_id = 99, host_id = 98 WHERE id < 3")
    assert leads_nowhere(url) == {"crash.sig_id": 2, "crash.host_id": 2}
    with open_database(url, write=True) as engine:
        reproject_raw_records(engine, [])
    assert leads_nowhere(url) == {}


def test_ingest_is_idempotent(url: str) -> None:
    records = [minimal(i) for i in range(1200)]
    first, again = put(url, *records), put(url, *records)
    assert (first.added, first.known, first.replaced) == (1200, 0, 0)
    assert (again.added, again.known, again.replaced) == (0, 1200, 0)
    assert count(url, tables.crash) == count(url, tables.raw) == 1200
    assert (count(url, tables.sig), count(url, tables.host)) == (7, 5)


def test_the_same_core_twice_in_one_batch(url: str) -> None:
    outcome = put(url, full(1, quality=0.5), full(1, quality=0.9), full(1, quality=0.1))
    assert (outcome.added, outcome.known) == (1, 2)
    assert rows(url, select(tables.crash.c.quality)) == [(1.8,)]


def test_a_better_analysis_replaces_a_worse_one_and_not_the_reverse(url: str) -> None:
    put(url, full(1, quality=0.2, signature={"version": "gsig/2", "keys": {"stable": "aa"}}))
    good = full(1, quality=0.9, signature={"version": "gsig/2", "keys": {"stable": "bb"}})
    assert put(url, good).replaced == 1
    assert put(url, full(1, quality=0.5)).replaced == 0
    key = select(tables.sig.c.key).join(tables.crash, tables.crash.c.sig_id == tables.sig.c.id)
    assert rows(url, key) == [("bb",)]
    assert count(url, tables.crash) == 1


def test_a_reanalysis_without_a_host_keeps_the_host(url: str) -> None:
    put(url, minimal(1))
    assert put(url, full(1, host={}, time={"crash_ts": 1.0, "ts_source": "mtime"})).replaced == 1
    joined = select(tables.host.c.name, tables.crash.c.ts, tables.crash.c.verdict).join(
        tables.crash, tables.crash.c.host_id == tables.host.c.id
    )
    assert rows(url, joined) == [("node-1", 1_764_000_001.0, "software")]


def test_unknown_keys_are_kept_whole(url: str) -> None:
    record = full(1, future={"a": [1, {"b": None}]}, note="\u202e\ud800\0")
    put(url, record)
    ((blob,),) = rows(url, select(tables.raw.c.record))
    assert unpack_record_or_empty(blob) == json.loads(json.dumps(record))


def test_libraries_are_shared_between_crashes(url: str) -> None:
    put(url, *[full(i) for i in range(50)])
    assert (count(url, tables.lib), count(url, tables.libset), count(url, tables.libset_lib)) == (
        2,
        1,
        2,
    )


@pytest.mark.parametrize("order", [(1, 5, 3), (5, 3, 1), (3, 1, 5)])
def test_host_attributes_span_the_time_seen_in_any_order(url: str, order) -> None:
    host = {"hostname": "n", "attributes": {"microcode": "0x1"}}
    for ts in order:
        put(url, minimal(ts, host=host, time={"crash_ts": EARLIEST + ts}))
    chosen = select(tables.host_attr.c.value, tables.host_attr.c.from_ts, tables.host_attr.c.to_ts)
    assert rows(url, chosen) == [("0x1", EARLIEST + 1, EARLIEST + 5)]


def test_a_record_without_time_does_not_narrow_the_span(url: str) -> None:
    host = {"hostname": "n", "attributes": {"microcode": "0x1"}}
    for number, when in enumerate(({}, {"crash_ts": EARLIEST + 4}, {})):
        put(url, minimal(number, host=host, time=when))
    chosen = select(tables.host_attr.c.from_ts, tables.host_attr.c.to_ts)
    assert rows(url, chosen) == [(EARLIEST + 4, EARLIEST + 4)]


EVIL = "'); DROP TABLE crash; -- \"<script>alert(1)</script>%s\\ \x1b[31m"


def test_sql_and_html_are_text_like_any_other(url: str) -> None:
    signature = {"version": EVIL, "keys": {"stable": EVIL}, "text": {"stable": EVIL}}
    host = {"hostname": EVIL, "attributes": {EVIL: EVIL}}
    put(url, full(1, signature=signature, host=host, verdict={"model": 2, "label": EVIL}), full(2))
    assert count(url, tables.crash) == 2
    assert rows(url, select(tables.host.c.name).where(tables.host.c.name == EVIL)) == [(EVIL,)]
    with open_database(url, write=False) as engine:
        rows_by_signature = {row.signature: row for row in top_signatures(engine, 10)}
    assert rows_by_signature[EVIL].verdicts == {EVIL: 1}


def test_bad_records_do_not_stop_the_good_ones(url: str) -> None:
    outcome = put(url, minimal(1), {"no": "record"}, {**minimal(2), "core_key": None}, minimal(3))
    assert (outcome.added, len(outcome.rejected)) == (2, 2)
    assert rows(url, select(tables.ingest_log.c.status)) == [("rejected",), ("rejected",)]


def test_a_failure_in_the_middle_leaves_nothing_of_the_batch(url: str) -> None:
    put(url, minimal(0))
    with pytest.raises(ZeroDivisionError), open_database(url, write=True) as engine:
        with begin_write(engine) as connection:
            connection.execute(tables.crash.insert().values(core_key="x"))
            raise ZeroDivisionError
    assert count(url, tables.crash) == 1


def test_top_counts_hosts_times_and_verdicts(url: str) -> None:
    put(
        url,
        *[minimal(i) for i in range(21)],
        full(21, verdict={"model": 2, "label": "hardware-suspect"}),
    )
    with open_database(url, write=False) as engine:
        top = top_signatures(engine, 3)
    assert [row.crashes for row in top] == [4, 3, 3]
    first = top[0]
    assert (first.category, first.hosts) == ("segv-null", 4)
    assert (first.first_seen, first.last_seen) == (1_764_000_000.0, 1_764_000_021.0)
    assert first.verdicts == {"hardware-suspect": 1}


def test_a_core_without_signature_is_counted_too(url: str) -> None:
    put(url, minimal(1, signature={}))
    with open_database(url, write=False) as engine:
        (row,) = top_signatures(engine, 10)
    assert (row.signature, row.crashes) == (None, 1)


def test_a_newer_schema_is_refused_by_readers_and_writers(url: str) -> None:
    put(url, minimal(1))
    with sqlite3.connect(url) as database:
        database.execute("UPDATE meta SET value = '999'")
    for write in (True, False):
        with pytest.raises(NewerSchema, match="schema 999") as caught:
            with open_database(url, write=write):
                pass
        assert "upgrade gdb-epi" in caught.value.one_line_text()


WRITER = """
import sys
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest
from unit.fleet_records import full
url, first, last, step = sys.argv[1], *map(int, sys.argv[2:])
with open_database(url, write=True) as engine:
    for start in range(first, last, step):
        got = ingest(engine, [("t", full(i)) for i in range(start, min(start + step, last))])
        print(got.added, flush=True)
"""


def start_writer(url: str, first: int, last: int, step: int) -> subprocess.Popen[bytes]:
    """Start a process that ingests the records first..last-1, `step` in one transaction."""
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    words = [sys.executable, "-c", WRITER, url, str(first), str(last), str(step)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)


def until_alone(url: str) -> None:
    """Wait until a server has ended what it did for clients that are gone: it may yet commit."""
    if not url.startswith("postgresql:"):
        return
    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    with open_database(url, write=False) as engine:

        def is_alone() -> bool:
            with engine.connect() as connection:  # a transaction sees what it saw first
                return connection.exec_driver_sql(others).scalar_one() == 0

        wait_until(is_alone, what="the end of what a server does for others")


def check_two_writers(url: str) -> None:
    """Two processes make the database and write overlapping records: all are there, once."""
    # SQLite's writers do not queue up: on a slow machine one may wait for many turns of the other.
    patient = url if "://" in url else f"sqlite:///{url}?timeout=60"
    writers = [start_writer(patient, 0, 600, 20), start_writer(patient, 300, 900, 20)]
    added = 0
    for writer in writers:
        out, err = writer.communicate(timeout=120)
        assert writer.returncode == 0, err.decode()
        added += sum(map(int, out.split()))
    with open_database(url, write=False) as engine:
        assert crash_count(engine) == added == 900
    assert (count(url, tables.sig), count(url, tables.host), count(url, tables.libset)) == (7, 5, 1)
    assert count(url, tables.raw) == 900
    assert leads_nowhere(url) == {}


@pytest.mark.heavy
def test_two_writers_at_once(url: str) -> None:
    check_two_writers(url)


def check_a_killed_writer(url: str) -> None:
    """What a killed writer committed is whole; the next one carries on."""
    writer = start_writer(url, 0, 100_000, 100)
    assert writer.stdout is not None
    for _ in range(3):
        assert writer.stdout.readline() == b"100\n"
    writer.send_signal(signal.SIGKILL)  # in the midst of the next batches
    writer.wait(60)
    writer.stdout.close()
    until_alone(url)
    with open_database(url, write=False) as engine:
        crashes = crash_count(engine)
    assert crashes >= 300 and crashes % 100 == 0
    assert count(url, tables.raw) == crashes
    again = put(url, *[full(i) for i in range(crashes + 100)])
    assert (again.added, again.known) == (100, crashes)
    assert leads_nowhere(url) == {}


def test_a_killed_writer_leaves_whole_batches(url: str) -> None:
    check_a_killed_writer(url)
    with sqlite3.connect(url) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_the_tables_are_plain_sql_for_others(url: str) -> None:
    put(url, full(1))
    query = text(
        "SELECT s.category, h.name FROM crash c JOIN sig s ON s.id = c.sig_id"
        " JOIN host h ON h.id = c.host_id"
    )
    assert rows(url, query) == [("segv-null", "node-1")]


def test_what_went_into_the_spool_does_not_say_that_no_stored_crash_has_a_host(
    url, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    keeper = RecordKeeper(url)
    for number, host in ((1, {"hostname": "node-1"}), (2, {})):
        keeper.add(f"core.{number}", full(number, host=host))
    keeper.store_waiting_records()
    Path(url).rename(tmp_path / "moved.sqlite3")
    Path(url).mkdir()
    for number in (3, 4):
        keeper.add(f"core.{number}", full(number, host={}))
    keeper.store_waiting_records()
    keeper.print_summary()
    err = capsys.readouterr().err
    assert "2 records kept in" in err and "2 records stored in" in err
    assert "host not known" not in err


def test_a_rejected_file_is_no_other_one_of_its_name(url, capsys) -> None:
    keeper = RecordKeeper(url)
    keeper.add("a/core", {"schema": "something else"})
    for number, folder in enumerate("bcd"):
        keeper.add(f"{folder}/core", full(number, host={}))
    keeper.store_waiting_records()
    keeper.print_summary()
    err = capsys.readouterr().err
    assert "core: not stored" in err and "3 records stored in" in err
    assert "host not known" in err
