# SPDX-License-Identifier: Apache-2.0
"""Run by bench.py inside GDB: the time of `source gdb_epi`, and of decoding the loaded core.

GDB_EPI_BENCH names the file for the answer (JSON, milliseconds), GDB_EPI_BENCH_RUNS how often to
decode; 0 measures the sourcing alone. The package's folder is on GDB's source path.
"""

import json
import os
import statistics
import time

import gdb


def timed(action):
    """Return (wall, cpu) in ms, and what the action returned."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3, result


def decode():
    """Open the loaded core as the commands do, and decode its Python stacks."""
    from gdb_epi.cpython.runtime.python_state import decode_python
    from gdb_epi.gdbhost.open_target import open_core

    return decode_python(open_core(gdb.selected_inferior()))


def main():
    """Write the answer."""
    wall, cpu, _ = timed(lambda: gdb.execute("source gdb_epi"))
    answer = {"source_wall": wall, "source_cpu": cpu}
    runs = int(os.environ["GDB_EPI_BENCH_RUNS"])
    if runs:
        wall, cpu, state = timed(decode)
        answer.update(first_wall=wall, first_cpu=cpu)
        answer["threads"] = len(state.threads())
        answer["frames"] = sum(len(thread.frames) for thread in state.threads())
        del state
        walls, cpus = zip(*[timed(decode)[:2] for _ in range(runs)])
        answer.update(wall=statistics.median(walls), cpu=statistics.median(cpus))
    with open(os.environ["GDB_EPI_BENCH"], "w") as stream:
        json.dump(answer, stream)


main()
