# SPDX-License-Identifier: Apache-2.0
"""Writers that are killed, servers that go away, disks that are full: nothing lost, nothing twice.

An ordinary run kills once; GDB_EPI_KILLS=50 (and `--heavy`) fifty times on each database.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.fleet_records import fleet_record
from support.shell import without_rights
from unit.test_fleet_ingest import count, leads_nowhere, rows, until_alone
from unit.test_fleet_postgresql import server, url  # noqa: F401 - fixtures

from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest

ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("GDB_EPI_KILLS", "1"))
RECORDS = 3_000
STARTED = 0.45  # seconds until a writer has imported what it needs, at the least


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lines") / "records.jsonl"
    made = (json.dumps(fleet_record(n, full=n % 3 == 0)) for n in range(RECORDS))
    path.write_text("\n".join(made) + "\n")
    return path


def start(db: str, lines: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "gdb_epi.cli.main", "fleet", "ingest", "--db", db, str(lines)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, start_new_session=True
    )


def kill_again_and_again(db: str, lines: Path, kills: int) -> list[int]:
    """Kill writers at random moments; return how many crashes there were after each kill."""
    whole = time.monotonic()
    writer = start(db, lines)  # how long does one take?
    assert writer.wait(120) == 0, writer.stderr and writer.stderr.read()
    whole = time.monotonic() - whole
    with open_database(db, write=True) as engine, engine.connect() as connection:
        for name in ("raw", "crash"):
            connection.exec_driver_sql(f"DELETE FROM {name}")
        connection.commit()
    moments = random.Random(7)
    seen = []
    for _ in range(kills):
        writer = start(db, lines)
        # Whichever moment that is: what is asked afterwards holds after each.
        time.sleep(moments.uniform(min(STARTED, whole / 2), whole))
        writer.send_signal(signal.SIGKILL)
        writer.communicate(timeout=120)
        until_alone(db)
        seen.append(count_now(db))
        assert seen[-1] == count(db, tables.raw), "a crash without its record"
    return seen


def count_now(db: str) -> int:
    with open_database(db, write=False) as engine, engine.connect() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM crash").scalar_one())


def check_after_kills(db: str, lines: Path) -> None:
    seen = kill_again_and_again(db, lines, KILLS)
    assert seen == sorted(seen), "what was committed stays"
    writer = start(db, lines)
    out, err = writer.communicate(timeout=120)
    assert writer.returncode == 0, err.decode()
    assert f"{RECORDS - seen[-1]} added, 0 replaced" in out.decode()
    assert count_now(db) == count(db, tables.raw) == RECORDS, "none lost, none doubled"
    keys = {
        key for (key,) in rows(db, tables.crash.select().with_only_columns(tables.crash.c.core_key))
    }
    assert len(keys) == RECORDS
    # Dimensions of killed transactions left nothing that does not lead anywhere.
    assert leads_nowhere(db) == {}
    dangling = "SELECT count(*) FROM crash WHERE sig_id IS NULL OR host_id IS NULL"
    with open_database(db, write=False) as engine, engine.connect() as connection:
        assert connection.exec_driver_sql(dangling).scalar_one() == 0


def test_kills_on_sqlite(tmp_path: Path, lines: Path) -> None:
    db = str(tmp_path / "fleet.sqlite3")
    check_after_kills(db, lines)
    with sqlite3.connect(db) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.heavy
def test_kills_on_postgresql(url: str, lines: Path) -> None:  # noqa: F811
    check_after_kills(url, lines)


def test_a_lost_connection_is_tried_again(url: str, server: str) -> None:  # noqa: F811
    """The server ends our connection again and again while we write."""
    import psycopg

    lost = []
    done, cut_once = threading.Event(), threading.Event()

    def records() -> Iterator[tuple[str, dict[str, Any]]]:
        for n in range(4_000):
            if n == 2_000:  # however fast this machine is, one connection ends while we write
                cut_once.wait(60)
            yield "t", fleet_record(n, full=False)

    def cut() -> None:
        name = url.split("@/")[1].split("?")[0]
        query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        with psycopg.connect(f"host={server} user=epi dbname=postgres", autocommit=True) as other:
            while not done.is_set() and len(lost) < 4:
                lost.extend(other.execute(query, (name,)).fetchall())
                if lost:
                    cut_once.set()
                time.sleep(0.15)

    with open_database(url, write=True) as engine:
        cutter = threading.Thread(target=cut)
        cutter.start()
        try:
            ingest(engine, records())
        finally:
            done.set()
            cutter.join()
    assert lost, "no connection was cut"
    assert count(url, tables.crash) == count(url, tables.raw) == 4_000


def ingest_fails(
    db: str,
    lines: Path,
    prefix: Sequence[str] = (),
    limit: Callable[[], None] | None = None,
) -> str:
    """Run an ingest that must fail, and return what it says."""
    words = [sys.executable, "-m", "gdb_epi.cli.main", "fleet", "ingest", "--db", db, str(lines)]
    done = subprocess.run(
        [*prefix, *words],
        capture_output=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=limit,
    )
    assert done.returncode not in (0, 2), done.stdout
    errors = done.stderr.decode()
    assert "Traceback" not in errors and "internal error" not in errors
    return errors


def test_a_limit_on_the_size_of_files_is_told(tmp_path: Path, lines: Path) -> None:
    import resource

    db = str(tmp_path / "fleet.sqlite3")
    with open_database(db, write=True) as engine:
        ingest(engine, [("t", fleet_record(1, full=False))])

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    message = ingest_fails(db, lines, limit=limit)
    assert "check space and quota" in message or "free some space" in message
    assert count(db, tables.crash) == count(db, tables.raw) >= 1


def test_a_full_disk_is_told(tmp_path: Path, lines: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=600k", "none", str(folder)]
    if os.getuid() != 0 or subprocess.run(words, capture_output=True).returncode != 0:
        pytest.skip("this user cannot mount a small tmpfs")
    try:
        message = ingest_fails(str(folder / "fleet.sqlite3"), lines)
        assert "full" in message and "free some space" in message
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_database_is_told(tmp_path: Path, lines: Path) -> None:
    db = tmp_path / "folder" / "fleet.sqlite3"
    db.parent.mkdir()
    with open_database(str(db), write=True) as engine:
        ingest(engine, [("t", fleet_record(1, full=False))])
    db.chmod(0o444)
    db.parent.chmod(0o555)
    try:
        message = ingest_fails(str(db), lines, without_rights())
        assert "make the file and its folder writable" in message
    finally:
        db.parent.chmod(0o755)
