# SPDX-License-Identifier: Apache-2.0
"""Measure the checks of corruption on a core of a given size: default run and sweep, CPU seconds.

    python tests/bench/corruption_speed.py [--megabytes 1024] [--python PATH]

The process holds records as a server does (dicts of strings, ints, lists) in half of its memory,
and buffers in the other half; then it aborts. Needs core dumps as plain files (core_pattern).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from support.cores import find_core, require_core_dumps

PROGRAM = """
import os, sys
size = int(sys.argv[1]) << 20
kept = []
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
def fill():
    number = 0
    while resident() < size // 2:
        for number in range(number, number + 1000):
            one = {"id": number, "name": f"customer {number}", "tags": [f"t{number % 97}", "x"]}
            one[f"key-{number}"] = f"value {number}" * 3
            hash(one["name"])
            kept.append(one)
        number += 1
    while resident() < size:
        kept.append(bytearray(os.urandom(1 << 16) * 16))
    os.abort()
fill()
"""
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Make the core, run the command, print what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", default=None, help="where the core goes")
    args = parser.parse_args()
    require_core_dumps()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        start = 'ulimit -c unlimited; exec "$@"'
        command = ["/bin/sh", "-c", start, "sh", args.python, "-c", PROGRAM, str(args.megabytes)]
        subprocess.run(command, cwd=folder, check=False)
        (core,) = find_core(Path(folder))
        print(f"core of {core.stat().st_size >> 20} MiB, load {os.getloadavg()[0]:.1f}")
        for words in ((), ("--sweep",), ("--sweep", "--seconds", "600")):
            before = os.times()
            tool = [sys.executable, "-m", "gdb_epi.cli.main", "corruption", *words, str(core)]
            done = subprocess.run(tool, cwd=ROOT, capture_output=True, text=True, check=True)
            after = os.times()
            spent = after.children_user - before.children_user
            system = after.children_system - before.children_system
            took = after.elapsed - before.elapsed
            print(f"{' '.join(words) or 'default'}: {spent:.2f} + {system:.2f} s CPU, {took:.1f} s")
            for line in done.stdout.splitlines():
                if line.startswith(("looked at", "not checked: R1:", "note: corruption")):
                    print(f"    {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
