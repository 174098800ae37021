# SPDX-License-Identifier: Apache-2.0
"""What is forgotten is nowhere: tables, records, the file itself, the spool, the caches."""

from __future__ import annotations

import json
import re
import sqlite3

import numpy as np
import pytest
from sqlalchemy import Engine, event, select
from unit.fleet_records import full, minimal
from unit.test_fleet_archive import fill, rows_of_tables
from unit.test_fleet_ingest import rows

from gdb_epi.cli.main import main
from gdb_epi.fleet.population import cache
from gdb_epi.fleet.records import spool as spool_module
from gdb_epi.fleet.records.spool import waiting_spool_files, write_to_spool
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.examined_files import note_examined
from gdb_epi.fleet.store.ingest import ingest

UID = 4711
ODD = "nöde 7"
MOST_VARIABLES = 32_766  # of a statement of SQLite; Debian builds it with more


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """The user's folders are those of the test."""
    own_folders(tmp_path, monkeypatch)


def own_folders(tmp_path, monkeypatch):
    """Let spool, caches and exports be in a test's folder; lines are not folded."""
    for name in ("DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setattr(spool_module, "_fallback_folder", lambda: tmp_path / "fallback")
    monkeypatch.setenv("COLUMNS", "1000")


def forget(db, *words):
    return main(["fleet", "forget", *words, "--db", db])


def cores(db):
    return {row[0] for row in rows(db, select(tables.crash.c.core_key))}


def mentions(db, name):
    """The tables that have a name somewhere, as a word of its own."""
    word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
    return {table for table, some in rows_of_tables(db).items() if any(map(word.search, some))}


def check_forgotten(db, tmp_path, capsys):
    """Forget a host, a core and a user of a database with something in every table."""
    mine = {"hostname": "NODE-7.example", "machine_id": "m7"}
    with open_database(db, write=True) as engine:
        ingest(engine, [("t", full(5000, host=mine, process={"uid": UID}))])
        ingest(engine, [("t", full(n, process={"uid": UID})) for n in (5001, 5002)])
        note_examined(engine, {f"file {n}": f"{n:032x}" for n in (5001, 5002)})
    kept = cores(db)
    assert main(["fleet", "export", "--output", str(tmp_path / "out.jsonl"), "--db", db]) == 0
    write_to_spool([minimal(6000, host=mine), minimal(6001)])
    write_to_spool([minimal(6002, host={"hostname": "node-7"})])
    (cache.cache_folder() / "population-a-b").mkdir(parents=True)
    before = rows_of_tables(db)
    capsys.readouterr()
    assert forget(db, "--host", "node-7") == 0
    out = capsys.readouterr().out
    assert "would go: 41 crashes" in out and "host: NODE-7.example, node-7" in out
    assert "2 spooled records" in out and "dry run" in out
    assert f"to {tmp_path / 'out.jsonl'}" in out, "exports are named"
    assert rows_of_tables(db) == before and len(waiting_spool_files()) == 2
    assert mentions(db, "node-7") >= {"host", "finding", "mark", "raw"}
    assert forget(db, "--host", "Node-7.EXAMPLE", "--apply") == 0
    assert mentions(db, "node-7") == mentions(db, "NODE-7.example") == set()
    (left,) = waiting_spool_files()
    assert left.read_text().count("\n") == 1 and "node-7" not in left.read_text().casefold()
    assert not list(cache.cache_folder().glob("population-*"))
    assert cores(db) < kept
    assert len(cores(db)) == len(kept) - 41
    # Everybody else is there, and no id leads nowhere.
    after = rows_of_tables(db)
    assert set(after["exposure"]) < set(before["exposure"])
    assert len(after["exposure"]) == len(before["exposure"]) - 5
    assert set(after["crash"]) < set(before["crash"])
    assert main(["fleet", "reproject", "--db", db]) == 0
    assert rows_of_tables(db) == after
    assert forget(db, "--core", f"{5001:032x}", "--apply") == 0
    assert mentions(db, f"{5001:032x}") == set()
    assert forget(db, "--user", str(UID), "--apply") == 0
    assert f"{5002:032x}" not in cores(db)
    assert not any("file 500" in row for row in rows_of_tables(db)["examined"])
    for words in (("--host", "node-7"), ("--core", f"{5001:032x}"), ("--user", str(UID))):
        capsys.readouterr()
        assert forget(db, *words) == 3, "nothing is left of it"
        assert "nothing here is of" in capsys.readouterr().err


def test_what_is_forgotten_is_nowhere(tmp_path, capsys):
    db = fill(str(tmp_path / "f.sqlite3"), tmp_path)
    check_forgotten(db, tmp_path, capsys)
    for file in tmp_path.glob("f.sqlite3*"):
        assert b"node-7" not in file.read_bytes().lower(), file


def test_a_writer_learns_that_ids_are_gone(tmp_path, capsys):
    """One that keeps ids from batch to batch makes the rows again that forget deleted."""
    from gdb_epi.fleet.records.prepare import RecordPreparer
    from gdb_epi.fleet.store.ingest import BatchWriter

    db = str(tmp_path / "f.sqlite3")
    with open_database(db, write=True) as engine:
        writer = BatchWriter(engine)
        writer.store(RecordPreparer().prepare_batch([("t", full(2)), ("t", full(1))]))
        assert forget(db, "--host", "node-2", "--apply") == 0
        writer.store(RecordPreparer().prepare_batch([("t", full(7))]))  # of node-2 again
        population = cache.load_population(engine)
    assert population.hosts == ["node-1", "node-2"]
    assert np.all(population.host >= 0)


def test_names_that_can_be_none_are_refused(tmp_path, capsys):
    db = fill(str(tmp_path / "f.sqlite3"), tmp_path)
    before = rows_of_tables(db)
    for words, code in (
        (("--core", "00"), 2), (("--core", "0" * 20), 3), (("--user", "no such user"), 2),
        (("--host", "node"), 3), ((), 2),
    ):  # fmt: skip
        assert forget(db, *words, "--apply") == code, words
    assert rows_of_tables(db) == before


@pytest.mark.parametrize("column", [json.dumps({"verdict": f"host {ODD} fails"}), f'{{"cut: {ODD}'])
def test_a_name_that_json_escapes_and_a_damaged_finding_are_forgotten(tmp_path, column):
    db = str(tmp_path / "f.sqlite3")
    with open_database(db, write=True) as engine:
        ingest(engine, [("t", full(1, host={"hostname": ODD}))])
        with engine.begin() as connection:
            values = {"day": 20_417, "attr": "rack", "value": "r1", "signature": "*", "n": 3}
            connection.execute(tables.finding.insert().values(**values, detail=column))
    assert forget(db, "--host", ODD, "--apply") == 0
    (detail,) = (row[0] for row in rows(db, select(tables.finding.c.detail)))
    assert ODD not in detail and ODD not in json.dumps(json.loads(detail), ensure_ascii=False)


@pytest.mark.heavy
def test_more_lines_of_the_log_than_one_statement_takes(tmp_path):
    def limit(connection, _):
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, MOST_VARIABLES)

    db = str(tmp_path / "f.sqlite3")
    line = {"at": 1.0, "source": "feed", "status": "rejected", "error": "node-1: no such day"}
    with open_database(db, write=True) as engine:
        ingest(engine, [("t", full(1))])
        with engine.begin() as connection:
            connection.execute(tables.ingest_log.insert(), [line] * (MOST_VARIABLES + 1))
    event.listen(Engine, "connect", limit)
    try:
        assert forget(db, "--host", "node-1", "--apply") == 0
    finally:
        event.remove(Engine, "connect", limit)
    assert rows(db, select(tables.ingest_log)) == []
