# SPDX-License-Identifier: Apache-2.0
"""Make a lake of 10 M crashes (or as many as asked for), and measure the questions of `fleet`.

python tests/bench/fleet_lake.py make --lake FOLDER [--crashes 10000000]
python tests/bench/fleet_lake.py ask  --lake FOLDER [--repeat 2]

`make` writes the Parquet files themselves, a day at a time: going through records would take an
hour. The tables beside the crashes go through a database and `fleet export`. `ask` runs the shell
command in processes of its own: wall and CPU seconds, and the most memory that the process had.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from gdb_epi.fleet.lake.export import export_lake
from gdb_epi.fleet.lake.manifest import ParquetFile, partition_name, read_manifest, write_manifest
from gdb_epi.fleet.lake.precompute_answers import precompute_answers_of_lake
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.transactions import begin_write, note_change

FIRST_DAY, DAYS = 20_000, 365
HOSTS, HOSTS_A_RACK, SKUS = 5_000, 20, 4
COMMON, NEW, CPUS = 400, 2_000, 64
FORMS = 8  # kernel, image and load: two values each
BAD_HOST, SPLIT_HOST = 1_234, 77
LABELS = np.array(["software", "hardware-suspect"])


def attrset_of(rack: int, form: int) -> int:
    """Return the id of a set of attributes."""
    return rack * FORMS + form + 1


def make(lake: Path, crashes: int) -> None:
    """Write a lake anew."""
    rng = np.random.default_rng(7)
    start = time.perf_counter()
    turns = {name: first + rng.integers(0, 6, HOSTS) for name, first in (("k", 90), ("i", 120))}
    with tempfile.TemporaryDirectory() as folder:
        with open_database(str(Path(folder) / "small.sqlite3"), write=True) as engine:
            with begin_write(engine) as connection:
                _dimensions(connection, rng, turns)
            export_lake(engine, lake)
    print(f"tables beside the crashes in {time.perf_counter() - start:.0f} s", flush=True)
    start = time.perf_counter()
    manifest = read_manifest(lake)
    weights = np.append(1 / np.arange(1, COMMON + 1), np.full(NEW, 1e-4))
    rates = rng.gamma(3.0, 1.0, HOSTS)
    files, first = {}, 0
    for day in range(DAYS):
        count = int(rng.poisson(crashes / DAYS))
        part = partition_name(FIRST_DAY + day)
        name = Path("crash", part, f"{day:06}.parquet")
        (lake / name).parent.mkdir(parents=True)
        table = _day(rng, day, first, count, rates / rates.sum(), weights / weights.sum(), turns)
        pq.write_table(table, lake / name, compression="zstd")
        files[part] = ParquetFile(str(name), str(day), count)
        first += count
    write_manifest(lake, manifest._replace(tables={**manifest.tables, "crash": files}))
    size = sum(path.stat().st_size for path in lake.rglob("*.parquet"))
    print(
        f"{first} crashes in {time.perf_counter() - start:.0f} s, {size / 1e6:.0f} MB", flush=True
    )
    cpu = time.process_time()
    precompute_answers_of_lake(lake)  # as the export does
    print(f"prepared in {time.process_time() - cpu:.1f} s of CPU")


def _dimensions(connection, rng, turns) -> None:
    put = connection.execute
    put(tables.host.insert(), [{"id": h + 1, "name": f"node-{h}"} for h in range(HOSTS)])
    names = ["race", "two-faces", *(f"s{n:03}" for n in range(COMMON + NEW - 2))]
    put(
        tables.sig.insert(),
        [
            {"id": n + 1, "version": "gsig/2", "kind": "stable", "key": f"{n:016x}",
             "category": "segv-wild", "text": f"gsig/2 stable segv-wild {name} <- main"}
            for n, name in enumerate(names)
        ],
    )  # fmt: skip
    racks = HOSTS // HOSTS_A_RACK
    sets, values = [], []
    for rack in range(racks):
        for form in range(FORMS):
            number = attrset_of(rack, form)
            sets.append({"id": number, "hash": f"{number:x}"})
            attributes = {
                "rack": f"r{rack:03}", "sku": f"sku{rack % SKUS}", "model": f"m{rack % SKUS // 2}",
                "kernel": f"kernel{form & 1}", "image": f"image{form >> 1 & 1}",
                "load": "high" if form & 4 else "low",
            }  # fmt: skip
            values += [{"attrset_id": number, "attr": a, "value": v} for a, v in attributes.items()]
    put(tables.attrset.insert(), sets)
    put(tables.attrset_value.insert(), values)
    host = np.arange(HOSTS)
    for day in range(DAYS):
        sets_of_day = _sets(host, day, turns, rng.random(HOSTS) < 0.3)
        hours = np.where(rng.random(HOSTS) < 0.05, rng.uniform(0, 24, HOSTS), 24.0).round(3)
        rows = zip((host + 1).tolist(), sets_of_day.tolist(), hours.tolist(), strict=True)
        put(
            tables.exposure.insert(),
            [
                {"host_id": h, "day": FIRST_DAY + day, "attrset_id": s, "hours": n}
                for h, s, n in rows
            ],
        )
    note_change(connection)


def _sets(host, day, turns, high):
    form = (day >= turns["k"][host]) + 2 * (day >= turns["i"][host]) + 4 * high
    return attrset_of(host // HOSTS_A_RACK, form)


def _day(rng, day, first, count, rates, weights, turns) -> pa.Table:
    """Return the crashes of a day: most by chance, a bad host, a race, one signature of two."""
    host = rng.choice(HOSTS, count, p=rates)
    sig = rng.choice(COMMON + NEW, count, p=weights)
    sig = np.where(sig < 2, 2, sig)
    high = rng.random(count) < 0.3
    flip = rng.random(count) < 0.01
    cpu = rng.integers(0, CPUS, count)
    draw = rng.random(count)
    if day >= 30:
        bad = draw < 0.004
        host[bad] = BAD_HOST
        flip |= bad & (rng.random(count) < 0.35)
        cpu[bad & (rng.random(count) < 0.7)] = 9
    race = (draw > 0.99) & (day >= turns["i"][host])
    sig[race], high[race] = 0, True
    half = (draw > 0.98) & (draw <= 0.985)
    host[half] = SPLIT_HOST
    sig[half | ((draw > 0.985) & (draw <= 0.99) & (day >= turns["k"][host]))] = 1
    ts = np.sort(rng.uniform(0, 86_400, count)).round(1) + (FIRST_DAY + day) * 86_400.0
    keys = np.frombuffer(rng.bytes(16 * count).hex().encode(), dtype="S32").astype(str)
    known_files = {
        "id": np.arange(first + 1, first + count + 1), "core_key": keys, "ts": ts,
        "ts_source": np.full(count, "journal"), "host_id": host + 1, "sig_id": sig + 1,
        "attrset_id": _sets(host, day, turns, high), "cpu_no": cpu,
        "verdict": LABELS[flip.astype(int)], "bitflip": flip,
        "lock_inherited": np.zeros(count, dtype=bool), "quality": np.ones(count),
        "received": ts + 60.0,
    }  # fmt: skip
    empty = {"BOOLEAN": pa.bool_(), "FLOAT": pa.float64(), "TEXT": pa.string()}
    columns = {
        c.name: known_files[c.name] if c.name in known_files
        else pa.nulls(count, empty.get(str(c.type), pa.int64()))
        for c in tables.crash.columns
    }  # fmt: skip
    return pa.table(columns)


QUESTIONS = (
    "suspects", "suspects", "top", "show two-faces", "show s000", "show node-7", "seen two-faces",
    "new --days 7", "trend", "trend two-faces",
    "compare 2025-01-01..2025-02-01 2025-02-01..2025-03-01", "split two-faces", "onset two-faces",
    "correlate", "check", "exclude",
)  # fmt: skip


def ask(lake: Path, repeat: int, only: str) -> None:
    """Print a row a question; the cache is empty, the lake prepared unless that was deleted."""
    cache = tempfile.mkdtemp(prefix="lake-cache-")
    env = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPATH": os.pathsep.join(sys.path[:2])}
    env["PYTHONPATH"] += os.pathsep + os.environ.get("PYTHONPATH", "")
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling all modules takes half a second
    print("| question | wall s | CPU s | MB | lines |\n|---|---|---|---|---|")
    for number, words in enumerate(QUESTIONS):
        if only and only not in words:
            continue
        command = [*words.split(), "--db", f"lake:{lake}"]
        wall, cpu, size, lines = min(run(command, env) for _ in range(repeat if number else 1))
        first = " (first)" if not number else ""
        print(f"| {words}{first} | {wall:.2f} | {cpu:.2f} | {size} | {lines} |", flush=True)
    shutil.rmtree(cache)


def run(words: list[str], env: dict[str, str]) -> tuple[float, float, int, int]:
    """Run a question; return wall and CPU seconds, the most MB it had, and lines of output."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        command = [sys.executable, "-m", "gdb_epi.cli.main", "fleet", *words]
        pid = os.posix_spawn(
            sys.executable, command, env,
            file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), fd) for fd in (1, 2)],
        )  # fmt: skip
        _, status, usage = os.wait4(pid, 0)
        wall = time.perf_counter() - start
        out.seek(0)
        text = out.read().decode()
    if status:
        print(text.strip()[-300:], file=sys.stderr)
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10, text.count("\n")


def main() -> None:
    """Parse and do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("make", "ask"))
    parser.add_argument("--lake", type=Path, required=True)
    parser.add_argument("--crashes", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--only", default="", help="questions with this word")
    args = parser.parse_args()
    if args.what == "make":
        make(args.lake.absolute(), args.crashes)
    else:
        ask(args.lake.absolute(), args.repeat, args.only)


if __name__ == "__main__":
    main()
