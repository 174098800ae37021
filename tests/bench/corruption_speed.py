# SPDX-License-Identifier: Apache-2.0
"""Measure the checks of corruption on a core of a given size: default run and sweep, CPU seconds.

    python tests/bench/corruption_speed.py [--megabytes 1024] [--python PATH] [--small]
    python tests/bench/corruption_speed.py --cores FOLDER [--every 3]

The process holds records as a server does (dicts of strings, ints, lists) in half of its memory,
and buffers in the other half; with --small nothing but dicts of short strings. Then it aborts.
Needs core dumps as plain files (core_pattern). With --cores the default run is measured on each
core of 10 to 30 MB under a folder, as those are that the tests have made.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from support.cores import find_core, require_core_dumps

ORDINARY = """
share = 2  # of the memory, for records
def record(number):
    one = {"id": number, "name": f"customer {number}", "tags": [f"t{number % 97}", "x"]}
    one[f"key-{number}"] = f"value {number}" * 3
    hash(one["name"])
    return one
"""
SMALL = """
share = 1
def record(number):
    one = {f"key-{number}": f"value {number}", f"k{number}": f"v{number}"}
    one[f"name of {number}"] = number
    return one
"""
PROGRAM = """
import os, sys
size = int(sys.argv[1]) << 20
kept = []
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
def fill():
    number = 0
    while resident() < size // share:
        for number in range(number, number + 1000):
            kept.append(record(number))
        number += 1
    while resident() < size:
        kept.append(bytearray(os.urandom(1 << 16) * 16))
    os.abort()
fill()
"""
ROOT = Path(__file__).resolve().parents[2]
TOOL = [sys.executable, "-m", "gdb_epi.cli.main", "corruption"]
FROM, TO = 10_000_000, 30_000_000


def run(arguments: list[str]) -> tuple[float, float, str]:
    """Run `gdb-epi corruption`; return its user and system CPU seconds, and its output."""
    before = os.times()
    done = subprocess.run([*TOOL, *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    after = os.times()
    user = after.children_user - before.children_user
    return user, after.children_system - before.children_system, done.stdout


def default_runs(folder: Path, every: int) -> None:
    """Print median, 95th percentile and most of the default runs on cores of about 20 MB."""
    cores = [path for path in sorted(folder.glob("**/core")) if FROM <= path.stat().st_size <= TO]
    spent = []
    for core in cores[::every]:
        user, system, _ = run([str(core)])
        spent.append((user + system, str(core)))
    spent.sort()
    seconds = [cost for cost, _ in spent]
    print(
        f"{len(spent)} cores: median {seconds[len(spent) // 2]:.2f} s CPU, 95 % "
        f"{seconds[len(spent) * 95 // 100]:.2f}, most {seconds[-1]:.2f} ({spent[-1][1]}); "
        f"load {os.getloadavg()[0]:.1f}"
    )


def main() -> int:
    """Make the core, run the command, print what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", default=None, help="where the core goes")
    parser.add_argument("--small", action="store_true", help="nothing but small objects")
    parser.add_argument("--cores", type=Path, default=None, metavar="FOLDER")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth core")
    args = parser.parse_args()
    if args.cores is not None:
        default_runs(args.cores, args.every)
        return 0
    require_core_dumps()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        start = 'ulimit -c unlimited; exec "$@"'
        program = (SMALL if args.small else ORDINARY) + PROGRAM
        command = ["/bin/sh", "-c", start, "sh", args.python, "-c", program, str(args.megabytes)]
        subprocess.run(command, cwd=folder, check=False)
        (core,) = find_core(Path(folder))
        print(f"core of {core.stat().st_size >> 20} MiB, load {os.getloadavg()[0]:.1f}")
        for words in ((), ("--sweep",), ("--sweep", "--seconds", "600")):
            started = time.monotonic()
            spent, system, text = run([*words, str(core)])
            took = time.monotonic() - started
            print(f"{' '.join(words) or 'default'}: {spent:.2f} + {system:.2f} s CPU, {took:.1f} s")
            for line in text.splitlines():
                if line.startswith(("looked at", "not checked: R1:", "note: corruption")):
                    print(f"    {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
