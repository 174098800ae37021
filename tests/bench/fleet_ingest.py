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
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.fleet_records import fleet_record

from gdb_epi.fleet.db import open_database
from gdb_epi.fleet.ingest import store
from gdb_epi.fleet.prepare import Preparer
from gdb_epi.fleet.reader import parts_in


def lines(count: int, kind: str, first: int = 0) -> bytes:
    """Return JSON lines of `count` records; see support.fleet_records."""
    made = (fleet_record(number, full=kind == "full") for number in range(first, first + count))
    return b"".join(json.dumps(record).encode() + b"\n" for record in made)


def put(url: str, data: bytes) -> tuple[float, float, int]:
    """Ingest JSON lines; return wall and CPU seconds and how many were added."""
    with open_database(url, write=True) as engine:
        start, cpu = time.perf_counter(), time.process_time()
        parts = parts_in("bench", io.BytesIO(data))
        done = store(engine, map(Preparer().part, parts))
        return time.perf_counter() - start, time.process_time() - cpu, done.added


def writers(url: str, count: int, kind: str, number: int) -> float:
    """Let several processes write disjoint records at once; return seconds."""
    with open_database(url, write=True):
        pass
    folder = Path(tempfile.mkdtemp(prefix="fleet-bench-"))
    share = count // number
    for i in range(number):
        (folder / f"{i}.jsonl").write_bytes(lines(share, kind, i * share))
    words = [sys.executable, "-m", "gdb_epi.cli.main", "fleet", "ingest", "--db", url]
    start = time.perf_counter()
    files = [str(folder / f"{i}.jsonl") for i in range(number)]
    running = [subprocess.Popen([*words, f], stdout=subprocess.DEVNULL) for f in files]
    for process in running:
        if process.wait() != 0:
            raise SystemExit("a writer failed")
    seconds = time.perf_counter() - start
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    return seconds


def main() -> None:
    """Print one row a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=60_000)
    parser.add_argument("--db", help="an empty database; none: SQLite files of our own")
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--kinds", nargs="+", default=["minimal", "full"])
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    gc.set_threshold(200_000)  # as gdb-epi has it
    for kind in args.kinds:
        data = lines(args.records, kind)
        with tempfile.TemporaryDirectory(prefix="fleet-bench-") as folder:
            url = args.db or f"{folder}/bench.sqlite3"
            if args.profile:
                profiled(url, data)
                continue
            seconds, cpu, added = put(url, data)
            size = len(data) / args.records
            told(f"{kind}, one process, {size:.0f} bytes a line", added, seconds, cpu)
            again, cpu, _ = put(url, data)
            told(f"{kind}, the same again", args.records, again, cpu)
            if not args.db:
                told(
                    f"{kind}, with helper processes",
                    args.records,
                    writers(f"{folder}/h.sqlite3", args.records, kind, 1),
                )
            if args.writers > 1 and not args.db:
                each = f"{kind}, {args.writers} processes (their start included)"
                told(
                    each,
                    args.records,
                    writers(f"{folder}/w.sqlite3", args.records, kind, args.writers),
                )


def told(what: str, count: int, seconds: float, cpu: float | None = None) -> None:
    """Print a row: records, wall seconds, records a second, and a CPU second of this process."""
    each = "" if cpu is None else f"{count / cpu:,.0f}"
    print(f"| {what} | {count} | {seconds:.2f} | {count / seconds:,.0f} | {each} |", flush=True)


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
