# SPDX-License-Identifier: Apache-2.0
"""CPU time of all arguments and locals of 1,001 threads, without GDB, each time in a new process.

python tests/bench/locals_speed.py [INTERPRETER...] [--runs 5]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.cores import make_core
from support.interpreters import discover
from support.opening import sysroot_of

PROGRAM = "threads-1001"
DEFAULT = ("pyenv-3.9.18", "pyenv-3.11.7", "pyenv-3.13.0", "ft-3.13.5")
GOAL = 1.0  # seconds
# What one process does: open the core, decode all stacks with their variables, write JSON.
CODE = """
import json, sys
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import stacks_json
from gdb_epi.target.corefile import CoreFileTarget
state = ProcessState(CoreFileTarget.open(sys.argv[1], sysroot=sys.argv[2] or None))
print(json.dumps(stacks_json(state, locals=True)))
"""


def run(core: Path, sysroot: str) -> tuple[float, dict[str, int]]:
    """Return the CPU seconds of one process, and how much it decoded."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(core), sysroot], cwd=ROOT, capture_output=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    frames = [frame for thread in json.loads(done.stdout)["threads"] for frame in thread["frames"]]
    count = {"frames": len(frames), "variables": sum(len(f["variables"]) for f in frames)}
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, count


def main() -> int:
    """Print a line per interpreter; 1 when a median is above the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interpreters", nargs="*", default=DEFAULT)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    slow = 0
    for interpreter in discover():
        if interpreter.id not in options.interpreters:
            continue
        made = make_core(interpreter, PROGRAM)
        runs = [run(made.core, sysroot_of(made) or "") for _ in range(options.runs)]
        median = statistics.median(seconds for seconds, _ in runs)
        slow += median > GOAL
        what = ", ".join(f"{count} {name}" for name, count in runs[0][1].items())
        most = max(seconds for seconds, _ in runs)
        print(f"{interpreter.id:16} median {median:.2f} s CPU, most {most:.2f}: {what}", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
