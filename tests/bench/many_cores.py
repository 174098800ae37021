# SPDX-License-Identifier: Apache-2.0
"""Run `gdb-epi triage` over thousands of cores; print memory, what was left behind, and the sums.

    python tests/bench/many_cores.py --count 10000 [--native auto] [--folder DIR]

The cores are written from recordings (tests/support/small_cores.py), each with pids of its own, so
that they are different processes. One in five has memory (0.5 MB), the others headers and notes
only; one input in 100 is no core. They are removed at the end. 1 when anything is not accounted
for.
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.small_cores import SNAPSHOTS, core_of
from support.snapshot import SnapshotTarget

NO_CORE_EVERY = 100
WHOLE_EVERY = 5  # the others have headers and notes, and no memory: they cost a fifth
EVERY = 0.5  # seconds between two looks at the memory
PAGE_KB = resource.getpagesize() // 1024


class Run(NamedTuple):
    """What one run came to. Memory in MB: of the process that hands out cores, and of a worker."""

    code: int
    seconds: float
    cpu: float
    parent_mb: list[float]  # over time
    worker_mb: float
    summary: str
    complaints: str


def make_inputs(folder: Path, count: int) -> int:
    """Write so many inputs; return how many of them are cores."""
    paths = sorted(SNAPSHOTS.glob("*-generators.json.xz"))
    snapshots = [SnapshotTarget.load(path) for path in paths]
    cores = 0
    for number in range(count):
        path = folder / f"core.{number:06}"
        if number % NO_CORE_EVERY == NO_CORE_EVERY - 1:
            path.write_bytes(b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + b"\x04\x00")  # cut
            continue
        snapshot = snapshots[number % len(snapshots)]
        whole = number % WHOLE_EVERY == 0
        path.write_bytes(core_of(snapshot, pid_shift=1_000_000 + number, memory=whole))
        cores += 1
    return cores


def run(folder: Path, *words: str) -> Run:
    """Run `gdb-epi triage cores WORDS` in a folder and watch its memory."""
    env = os.environ | {
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(folder / "tmp"),
        "XDG_DATA_HOME": str(folder / "data"),
    }
    (folder / "tmp").mkdir(exist_ok=True)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "gdb_epi.cli.main", "triage", "cores", *words],
            stdout=out,
            stderr=err,
            cwd=folder,
            env=env,
        )
        parent_mb, worker_mb = [], 0.0
        while process.poll() is None:
            time.sleep(EVERY)
            for reader in _children(process.pid):  # the process itself only waits for this one
                if size := _rss_mb(reader):  # 0: it has just ended
                    parent_mb.append(size)
                worker_mb = max([worker_mb, *map(_rss_mb, _children(reader))])
    seconds, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = (folder / "out").read_text().splitlines()
    summary = next((line for line in lines if " inputs: " in line), "")
    complaints = (folder / "err").read_text()
    return Run(process.returncode, seconds, cpu, parent_mb, worker_mb, summary, complaints)


def _children(pid: int) -> list[int]:
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _rss_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_KB / 1024
    except (OSError, IndexError):
        return 0.0


def stored(folder: Path) -> tuple[int, int, int]:
    """Return how many crashes, different cores, and records the database has."""
    connection = sqlite3.connect(folder / "data" / "gdb-epi" / "fleet.sqlite3")
    crashes = "select count(*), count(distinct core_key) from crash"
    try:
        rows, different = connection.execute(crashes).fetchone()
        (records,) = connection.execute("select count(*) from raw").fetchone()
    finally:
        connection.close()
    return rows, different, records


def main() -> int:
    """Run twice, the second time with all that the first one stored."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--native", default="never")
    parser.add_argument("--folder", type=Path, help="for the cores: 0.5 MB each")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        (folder / "cores").mkdir()
        cores = make_inputs(folder / "cores", options.count)
        right = True
        for title in ("first run", "second run"):
            done = run(folder, "--native", options.native)
            print(f"{title}: exit code {done.code}, {done.seconds:.0f} s, {done.cpu:.0f} s of CPU")
            print(f"  {done.summary}")
            lines = [line for line in done.complaints.splitlines() if "done before" in line]
            print("  " + "; ".join(lines or ["nothing was done before"]))
            tenths = [round(part * (len(done.parent_mb) - 1) / 10) for part in range(1, 11)]
            sizes = ", ".join(f"{done.parent_mb[n]:.0f}" for n in tenths if done.parent_mb)
            print(f"  MB of the parent after each tenth of the time: {sizes}")
            print(f"  MB of a worker at most: {done.worker_mb:.0f}")
            left = list((folder / "tmp").iterdir())
            print(f"  stored: {stored(folder)}; left behind: {len(left)} files")
            expected = f"{options.count} inputs: {cores} read, {options.count - cores} unusable, 0"
            right &= done.summary.startswith(expected) and stored(folder) == (cores,) * 3
            right &= done.code == (3 if cores < options.count else 0) and not left
    print("all accounted for" if right else "WRONG")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
