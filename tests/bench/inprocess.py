# SPDX-License-Identifier: Apache-2.0
"""Run by bench.py with the installed package: the time to decode a core in a warm process.

Usage: inprocess.py CORE RUNS. Prints JSON: milliseconds, medians. Each run opens the core anew, so
nothing is cached but imports, layouts and the files' pages.
"""

import json
import statistics
import sys
import time

from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.errors import Absent
from gdb_epi.target.corefile import CoreFileTarget


def once(core):
    """Return (wall, cpu) in ms of opening and decoding, and the decoded state."""
    wall, cpu = time.perf_counter(), time.process_time()
    state = decode_python(CoreFileTarget.open(core))
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3, state


def main(core, runs):
    """Print the medians."""
    _, _, state = once(core)
    if isinstance(state, Absent):
        sys.exit(f"not decoded: {state.detail}")
    threads = len(state.threads())
    frames = sum(len(thread.frames) for thread in state.threads())
    del state
    timings = [once(core)[:2] for _ in range(runs)]
    walls, cpus = zip(*timings)
    answer = {"wall": statistics.median(walls), "cpu": statistics.median(cpus)}
    print(json.dumps({**answer, "runs": runs, "threads": threads, "frames": frames}))


main(sys.argv[1], int(sys.argv[2]))
