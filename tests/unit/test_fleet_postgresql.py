# SPDX-License-Identifier: Apache-2.0
"""The same database code on a real PostgreSQL server that this test starts and stops."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from math import isclose
from pathlib import Path

import pytest
from cli.test_fleet_lake import fill as fill_lake
from support.demo_fleet import make
from support.fleet_simulator import records, simulate, write_exposure
from support.lake_cells import read_cells
from unit.fleet_records import full, minimal
from unit.test_fleet_archive import fill
from unit.test_fleet_forget import check_forgotten, own_folders
from unit.test_fleet_ingest import EVIL, check_a_killed_writer, check_two_writers, count, put, rows
from unit.test_fleet_prune import check_pruned, wide_and_timeless

from gdb_epi.cli.main import main
from gdb_epi.errors import EpiError
from gdb_epi.fleet.population.cache import load_population, load_population_without_attributes
from gdb_epi.fleet.questions.signatures import (
    compare_windows,
    epidemic_curve,
    latest_crash_time,
    new_signatures,
    top_signatures,
)
from gdb_epi.fleet.screen.screening import screen_day_by_day
from gdb_epi.fleet.serve import answers
from gdb_epi.fleet.serve.app import database_fingerprint, metrics
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import read_host_days, store_exposure
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor

SERVER_USER = "nobody"  # the server refuses to run as root


def _binaries() -> Path | None:
    which = shutil.which("initdb")
    folders = [Path(which).parent] if which else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "pg_ctl").exists()), None)


def _as_user() -> list[str]:
    if os.getuid() != 0:
        return []
    if shutil.which("runuser") is None:
        pytest.skip("root without runuser cannot start a PostgreSQL server")
    return ["runuser", "-u", SERVER_USER, "--"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A running server; yields the folder of its socket."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server program (initdb, pg_ctl)")
    if find_spec("psycopg") is None:
        pytest.skip("no psycopg module")
    user = _as_user()
    # Not pytest's folder: that is closed to other users. Socket paths must be short.
    folder = Path(tempfile.mkdtemp(prefix="epi-pg-"))
    folder.chmod(0o777)
    data = folder / "data"
    control = [*user, str(binaries / "pg_ctl"), "-D", str(data), "-s", "-w"]
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c deadlock_timeout=100ms"
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PGCTLTIMEOUT": "180"}
    make = [str(binaries / "initdb"), "-D", str(data), "-A", "trust", "-U", "epi", "-E", "UTF8"]
    try:
        subprocess.run([*user, *make], check=True, capture_output=True, cwd=folder, env=env)
        start = [*control, "-l", str(folder / "log"), "-o", options, "start"]
        subprocess.run(start, check=True, cwd=folder, env=env, timeout=200)
        yield str(folder)
    finally:
        if data.exists():
            subprocess.run([*control, "-m", "immediate", "stop"], cwd=folder, env=env, timeout=200)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def url(server: str, request: pytest.FixtureRequest) -> str:
    """A new empty database in the server."""
    import psycopg

    name = f"t{abs(hash(request.node.name))}"
    with psycopg.connect(f"host={server} user=epi dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"postgresql://epi@/{name}?host={server}"


def test_ingest_is_idempotent(url: str) -> None:
    records = [minimal(i) for i in range(700)]
    assert put(url, *records).added == 700
    again = put(url, *records)
    assert (again.added, again.known, again.replaced) == (0, 700, 0)
    assert count(url, tables.crash) == count(url, tables.raw) == 700


def test_a_better_analysis_replaces_a_worse_one(url: str) -> None:
    put(url, full(1, quality=0.2))
    assert put(url, full(1, quality=0.9)).replaced == 1
    assert put(url, full(1, quality=0.5)).replaced == 0


def test_two_writers_at_once(url: str) -> None:
    check_two_writers(url)


def test_a_killed_writer_leaves_whole_batches(url: str) -> None:
    check_a_killed_writer(url)


def test_texts_that_postgresql_would_refuse(url: str) -> None:
    evil = f"{EVIL}\0\ud800"
    host = {"hostname": evil, "attributes": {evil: evil}}
    huge = {"signo": 1 << 80, "si_code": -(1 << 31)}
    put(url, full(1, host=host, signal=huge, verdict={"label": evil, "confidence": float("nan")}))
    ((name,),) = rows(url, tables.host.select().with_only_columns(tables.host.c.name))
    assert name == f"{EVIL}\\x00\\ud800"


def test_top(url: str) -> None:
    put(url, *[full(i) for i in range(21)])
    with open_database(url, write=False) as engine:
        top = top_signatures(engine, 3)
    assert [row.crashes for row in top] == [3, 3, 3]
    assert top[0].verdicts == {"software": 3}


def test_an_empty_database_and_a_missing_one_are_told(server: str, url: str) -> None:
    with pytest.raises(EpiError, match="holds no fleet yet"):
        with open_database(url, write=False):
            pass
    with pytest.raises(EpiError, match="does not exist") as caught:
        with open_database(f"postgresql://epi@/nowhere?host={server}", write=True):
            pass
    assert "createdb" in caught.value.one_line_text()
    with pytest.raises(EpiError, match="database postgresql"):
        with open_database("postgresql://epi:secret@/x?host=/nowhere", write=True):
            pass


def test_a_password_is_never_shown() -> None:
    if find_spec("psycopg") is None:
        pytest.skip("no psycopg module")
    with pytest.raises(EpiError) as caught:
        with open_database("postgresql://epi:hunter2@127.0.0.1:1/x", write=True):
            pass
    assert "hunter2" not in caught.value.one_line_text()
    assert "check host, port" in caught.value.one_line_text()


def same(first: object, other: object) -> bool:
    """Whether two answers are equal but for the last bits of what the databases added up.

    SQLite's sum() compensates for lost bits since 3.43, PostgreSQL's does not.
    """
    if isinstance(first, float) and isinstance(other, float):
        return isclose(first, other, rel_tol=1e-12)
    if isinstance(first, dict) and isinstance(other, dict):
        return first.keys() == other.keys() and all(same(first[key], other[key]) for key in first)
    if isinstance(first, list | tuple) and isinstance(other, list | tuple):
        return len(first) == len(other) and all(map(same, first, other))
    return first == other


def test_answers_are_the_same_but_for_their_last_bits() -> None:
    assert same([(1, {"a": 0.1 + 0.2})], [(1, {"a": 0.3})])
    assert not same([(1, {"a": 0.3})], [(1, {"a": 0.3000001})])
    assert not same([1], [1, 2]) and not same({"a": 1}, {"b": 1}) and not same("a", "b")


@pytest.mark.heavy
def test_the_questions_give_what_they_give_on_sqlite(url, tmp_path):
    fleet = simulate(7001, bad_host=1.5, hosts=60, days=14, per_day=20)
    write_exposure(fleet, tmp_path / "hours.csv")
    answers = []
    for db in (url, str(tmp_path / "fleet.sqlite3")):
        with open_database(db, write=True) as engine:
            ingest(engine, (("t", r) for r in records(fleet)))
            store_exposure(engine, read_host_days(tmp_path / "hours.csv"))
            stored = [
                (s.day, f.identity, f.n, f.p)
                for s in screen_day_by_day(load_population(engine))
                for f in s.findings
            ]
            until = latest_crash_time(load_population_without_attributes(engine))
            assert until is not None
            new = new_signatures(engine, load_population_without_attributes(engine), 3, until, 1000)
            windows = (until - 10 * 86400, until - 5 * 86400), (until - 5 * 86400, until)
            rows = sorted(
                compare_windows(
                    engine, load_population_without_attributes(engine), *windows, 1000
                ).rows,
                key=lambda row: row.key,
            )
            answers.append(
                (
                    stored,
                    sorted(new, key=lambda r: r.key),
                    epidemic_curve(load_population_without_attributes(engine), None),
                    rows,
                )
            )
    assert same(answers[0], answers[1])
    assert answers[0][0], "the bad host is raised"


@pytest.mark.heavy
def test_a_lake_of_postgresql(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One definition of cells, one lake: whichever database it was."""
    lakes, by_name = [], []
    for number, db in enumerate((url, str(tmp_path / "f.sqlite3"))):
        fill_lake(db, tmp_path)
        lakes.append(tmp_path / str(number))
        words = ["fleet", "export", "--format", "lake", "--output", str(lakes[-1]), "--db", db]
        assert main(words) == 0 and " 0 unchanged" in capsys.readouterr().out
        assert main(words) == 0 and " 0 files written" in capsys.readouterr().out
        with open_database(db, write=False) as engine, engine.connect() as connection:
            execute = sqlalchemy_executor(connection)
            hosts = dict(map(tuple, execute("SELECT id, name FROM host", {})))
            texts = dict(map(tuple, execute("SELECT id, text FROM sig", {})))
            # Ids differ, and so do those of the sets of attributes.
            named = [(c.day, hosts.get(c.host_id), texts.get(c.sig_id), c.crashes)
                     for c in read_cells(execute)]  # fmt: skip
            by_name.append(sorted(named, key=str))
    assert by_name[0] == by_name[1] and len(by_name[0]) > 300
    for question in ("top", "suspects", "trend"):
        texts_of = []
        for db in (url, *(f"lake:{lake}" for lake in lakes)):
            assert main(["fleet", question, "--db", db]) == 0
            # The commands to paste name the database.
            texts_of.append(re.sub(" --db .*", "", capsys.readouterr().out))
        assert texts_of[0] == texts_of[1] == texts_of[2]


def test_what_is_forgotten_is_nowhere(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own_folders(tmp_path, monkeypatch)
    check_forgotten(fill(url, tmp_path), tmp_path, capsys)


@pytest.mark.heavy
def test_what_a_prune_leaves(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wide_and_timeless(monkeypatch)
    assert "kB" in check_pruned(url, tmp_path, capsys), "sizes of the tables"


def test_an_old_postgresql_database_is_migrated(url):
    with open_database(url, write=True) as engine:
        with engine.connect() as connection:
            for words in (
                "DROP VIEW host_attr",
                "CREATE TABLE host_attr (host_id BIGINT)",
                "ALTER TABLE crash DROP COLUMN attrset_id, DROP COLUMN factset_id,"
                " DROP COLUMN flip_bit, DROP COLUMN ts_claimed, DROP COLUMN received,"
                " DROP COLUMN death",
                "DROP TABLE exposure, finding, attrset_value, attrset, change, alembic_version,"
                " mark, notice, examined",
                "DELETE FROM meta WHERE key <> 'schema_version'",
                "UPDATE meta SET value = '1'",
            ):
                connection.exec_driver_sql(words)
            connection.commit()
    with open_database(url, write=True) as engine:
        from alembic.autogenerate import compare_metadata
        from alembic.runtime.migration import MigrationContext

        with engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), tables.metadata) == []
    put(url, full(1))
    assert count(url, tables.attrset) == 2  # of the host, and facts of the core


@pytest.mark.heavy
def test_report_metrics_and_api_are_those_of_sqlite(url: str, tmp_path: Path) -> None:
    fleet = simulate(7003, hosts=80, days=14, per_day=20, bad_host=2.0)
    there, here = url, str(tmp_path / "f.sqlite3")
    pages = []
    for number, db in enumerate((there, here)):
        make(db, fleet)
        page = tmp_path / f"{number}.html"
        assert main(["report", "--db", db, "-o", str(page)]) == 0
        pages.append(page.read_bytes())
    assert pages[0] == pages[1] and b"Flipped bits" in pages[0]
    with open_database(there, write=False) as source, open_database(here, write=False) as other:
        assert metrics(source) == metrics(other)
        assert same(answers.trend_answer(source, None), answers.trend_answer(other, None))
        assert database_fingerprint(source) == database_fingerprint(source)
