# SPDX-License-Identifier: Apache-2.0
"""Measure how fast records go into the database: minimal and full ones, SQLite and PostgreSQL.

python tests/bench/fleet_ingest.py [--records 60000] [--db URL] [--writers 4] [--profile]

The lines are made beforehand and parsed in the measured time, as `fleet ingest FILE` does.
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.fleet_records import fleet_record

from gdb_epi.fleet.records.prepare import RecordPreparer
from gdb_epi.fleet.records.reader import read_record_stream
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import store_batches

if TYPE_CHECKING:
    from sqlalchemy import Engine


def lines(count: int, kind: str, first: int = 0) -> bytes:
    """Return JSON lines of `count` records; see support.fleet_records."""
    made = (fleet_record(number, full=kind == "full") for number in range(first, first + count))
    return b"".join(json.dumps(record).encode() + b"\n" for record in made)


class Took(NamedTuple):
    """Seconds that an ingest took: on the wall, of this side's CPU, of the local server's."""

    wall: float
    cpu: float
    server: float | None = None


def put(url: str, data: bytes) -> tuple[Took, int]:
    """Ingest JSON lines; return what it took and how many were added."""
    with open_database(url, write=True) as engine:
        server = server_cpu(engine)
        start, cpu = time.perf_counter(), time.process_time()
        parts = read_record_stream("bench", io.BytesIO(data))
        done = store_batches(engine, map(RecordPreparer().prepare_part, parts))
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        if server is not None:
            server = (server_cpu(engine) or 0.0) - server
        return Took(wall, cpu, server), done.added


def server_cpu(engine: Engine) -> float | None:
    """Return the CPU seconds of the PostgreSQL process that serves us, if it is on this machine."""
    if engine.dialect.name != "postgresql":
        return None
    with engine.connect() as connection:
        pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def writers(url: str, count: int, kind: str, number: int) -> Took:
    """Let several processes write disjoint records at once; return what all of them took."""
    with open_database(url, write=True):
        pass
    folder = Path(tempfile.mkdtemp(prefix="fleet-bench-"))
    share = count // number
    for i in range(number):
        (folder / f"{i}.jsonl").write_bytes(lines(share, kind, i * share))
    words = [sys.executable, "-m", "gdb_epi.cli.main", "fleet", "ingest", "--db", url]
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    files = [str(folder / f"{i}.jsonl") for i in range(number)]
    running = [subprocess.Popen([*words, f], stdout=subprocess.DEVNULL) for f in files]
    for process in running:
        if process.wait() != 0:
            raise SystemExit("a writer failed")
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    return Took(seconds, cpu)


def main() -> None:
    """Print one row a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=60_000)
    parser.add_argument("--db", help="an empty database; none: SQLite files of our own")
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--kinds", nargs="+")
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    gc.set_threshold(200_000)  # as gdb-epi has it
    # One database takes a core once, be its record full or minimal.
    for kind in args.kinds or (["minimal"] if args.db else ["minimal", "full"]):
        data = lines(args.records, kind)
        with tempfile.TemporaryDirectory(prefix="fleet-bench-") as folder:
            url = args.db or f"{folder}/bench.sqlite3"
            if args.profile:
                profiled(url, data)
                continue
            took, added = put(url, data)
            size = len(data) / args.records
            told(f"{kind}, one process, {size:.0f} bytes a line", added, took)
            told(f"{kind}, the same again", args.records, put(url, data)[0])
            if args.db:
                continue
            for number in sorted({1, args.writers}):
                name = f"{kind}, {number} x fleet ingest (start and idle CPUs' helpers included)"
                took = writers(f"{folder}/{number}.sqlite3", args.records, kind, number)
                told(name, args.records, took)


def told(what: str, count: int, took: Took) -> None:
    """Print a row: records, records a second on the wall, microseconds of CPU a record."""
    server = "" if took.server is None else f"{took.server / count * 1e6:.0f}"
    each = f"{count / took.wall:,.0f} | {took.cpu / count * 1e6:.0f} | {server}"
    print(f"| {what} | {count} | {each} |", flush=True)


def profiled(url: str, data: bytes) -> None:
    """Print where the time goes."""
    import cProfile
    import pstats

    profile = cProfile.Profile()
    profile.enable()
    put(url, data)
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(35)


if __name__ == "__main__":
    main()
