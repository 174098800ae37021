# SPDX-License-Identifier: Apache-2.0
"""Make a database of 1 M crashes by the simulator, and measure every question of `fleet` on it.

python tests/bench/fleet_million.py make  [--db FILE] [--crashes 1000000] [--kind full]
python tests/bench/fleet_million.py ask   [--db FILE] [--repeat 3] [--only suspects]

`make` goes through `gdb_epi.fleet.store.ingest` like any record (some minutes); `ask` runs the
shell command in processes of its own and prints wall and CPU seconds of the best of the repeats:
the first row fills the cache of the population, the others find it.

Kinds: `simulated` (minimal records, host-hours, planted causes), `full` (records as an analysis
makes them, no host-hours, in which host and signature depend on each other), `full-hours` (the same
with host-hours), `values` (attributes with up to 50,000 values, of a host or of nothing),
`signatures` (every third crash has one of its own).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.fleet_records import fleet_record
from support.fleet_simulator import COMMON, Fleet, records, simulate, write_exposure

from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import HostDay, read_host_days, store_exposure
from gdb_epi.fleet.store.ingest import ingest

DEFAULT = Path(tempfile.gettempdir()) / "gdb-epi-million.sqlite3"
HOSTS, DAYS = 2_000, 60


def fleet_of(crashes: int) -> Fleet:
    """Return a fleet of 2,000 hosts and about 400 signatures over 60 days, causes planted."""
    return simulate(
        1,
        hosts=HOSTS,
        days=DAYS,
        per_day=crashes / DAYS,
        bad_host=40.0,
        race=60.0,
        split=40.0,
        new_share=280 / crashes,
        common=COMMON,
    )


def make(db: Path, crashes: int, kind: str) -> None:
    """Write the database anew."""
    for path in (db, Path(f"{db}-wal"), Path(f"{db}-shm")):
        path.unlink(missing_ok=True)
    with open_database(str(db), write=True) as engine:
        if kind == "simulated":
            fleet = fleet_of(crashes)
            with tempfile.TemporaryDirectory() as folder:
                write_exposure(fleet, Path(folder) / "hours.csv")
                hours = read_host_days(Path(folder) / "hours.csv")
                print(f"{store_exposure(engine, hours).rows} host-days")
            rows = sources(fleet)
        else:
            if kind == "full-hours":
                print(f"{store_exposure(engine, full_hours(crashes)).rows} host-days")
            rows = (("bench", KINDS[kind](number)) for number in range(crashes))
        start = time.perf_counter()
        done = ingest(engine, rows)
        took = time.perf_counter() - start
        print(f"{done.summary_line()} in {took:.0f} s, {os.stat(db).st_size >> 20} MB")


def full_hours(crashes: int) -> Iterator[tuple[str, HostDay]]:
    """Yield host-hours of the hosts of `support.fleet_records`, of all their days."""
    stamps = [fleet_record(n, full=False)["time"]["crash_ts"] for n in (0, crashes - 1)]
    hosts = {n: fleet_record(n, full=False)["host"] for n in range(20_000)}
    attributes = {host["hostname"]: host["attributes"] for host in hosts.values()}
    for day in range(int(stamps[0] // 86_400), int(stamps[1] // 86_400) + 1):
        for name, values in attributes.items():
            yield "bench", HostDay(day, name, 24.0, values)


def many_values(number: int) -> dict[str, Any]:
    """Return a record whose attributes have many values: of its host, of its time, of nothing."""
    record = fleet_record(number, full=False)
    mixed = number * 2_654_435_761 % (1 << 32)
    more = {"serial": record["host"]["hostname"], "boot": f"b{mixed % 2_000}.{number // 200_000}"}
    more |= {"job": f"j{mixed * 40_503 % 50_000}", "user": f"u{(mixed >> 3) % 3_000}"}
    more |= {f"label{i}": f"v{(mixed >> i) % (10 ** (1 + i % 4))}" for i in range(10)}
    record["host"]["attributes"] |= more
    return record


def many_signatures(number: int) -> dict[str, Any]:
    """Return a record; every third one has a signature that no other has."""
    record = fleet_record(number, full=False)
    if number % 3 == 0:
        text = f"gsig/2 stable segv-wild f{number} <- main"
        record["signature"] |= {"keys": {"stable": f"{number:016x}"}, "text": {"stable": text}}
    return record


KINDS: dict[str, Callable[[int], dict[str, Any]]] = {
    "full": lambda number: fleet_record(number, full=True),
    "full-hours": lambda number: fleet_record(number, full=True),
    "values": many_values,
    "signatures": many_signatures,
}


def sources(fleet: Fleet) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the records with a verdict each, as full records have one."""
    for record in records(fleet):
        flags = record["flags"]
        record["verdict"] = {"label": "hardware-suspect" if flags["bitflip"] else "software"}
        yield "bench", record


QUESTIONS = (
    ("suspects", "suspects (fills the cache)"),
    ("suspects", "suspects"),
    ("top", "top"),
    ("show two-faces", "show SIGNATURE"),
    ("show s000", "show, of the largest signature"),
    ("show node-7", "show HOST"),
    ("show 00000000000000000000000000001234", "show CORE_KEY"),
    ("seen two-faces", "seen"),
    ("new --days 7", "new"),
    ("check", "check"),
    ("trend", "trend"),
    ("trend two-faces", "trend SIGNATURE"),
    ("compare 2026-02-01..2026-02-07 2026-02-08..2026-02-14", "compare"),
    ("split two-faces", "split"),
    ("split s000", "split, of the largest signature"),
    ("onset two-faces", "onset"),
    ("correlate", "correlate"),
    ("correlate s000", "correlate, of the largest signature"),
    ("findings", "findings"),
    ("screen", "screen (the daily screening)"),
)


def ask(db: Path, repeat: int, only: str) -> None:
    """Print a row a question."""
    cache = tempfile.mkdtemp(prefix="fleet-cache-")
    env = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPATH": str(ROOT)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling all modules takes half a second
    print("| question | wall s | CPU s | lines |\n|---|---|---|---|")
    for words, name in QUESTIONS:
        if only not in name:
            continue
        best: tuple[float, float, int] | None = None
        for _ in range(1 if "fills" in name or words == "screen" else repeat):
            took = run([*words.split(), "--db", str(db)], env)
            best = took if best is None else min(best, took)
        assert best is not None
        print(f"| {name} | {best[0]:.2f} | {best[1]:.2f} | {best[2]} |", flush=True)
    subprocess.run(["rm", "-r", cache], check=True)


def run(words: list[str], env: dict[str, str]) -> tuple[float, float, int]:
    """Run a question; return wall seconds, CPU seconds of the process, lines of output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    command = [sys.executable, "-m", "gdb_epi.cli.main", "fleet", *words]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(done.stderr.strip(), file=sys.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, done.stdout.count("\n")


def main() -> None:
    """Parse and do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("make", "ask"))
    parser.add_argument("--db", type=Path, default=DEFAULT)
    parser.add_argument("--crashes", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kind", choices=("simulated", *KINDS), default="simulated")
    parser.add_argument("--only", default="", help="questions that have this in their name")
    args = parser.parse_args()
    if args.what == "make":
        make(args.db, args.crashes, args.kind)
    else:
        ask(args.db, args.repeat, args.only)


if __name__ == "__main__":
    main()
