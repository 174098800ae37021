# SPDX-License-Identifier: Apache-2.0
"""Threads wait for each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, detector
from gdb_epi.process_state import ProcessState


@detector("lock_cycle")
def lock_cycle(state: ProcessState) -> Iterator[Finding]:
    """Find threads of which each waits for what the next one holds.

    Innocent causes, tested by the lock families: a wait with a timeout ends by itself (then the
    confidence is lower); a lock whose holder was only guessed. A deadlock of one thread with itself
    is `self_deadlock`.
    Reference: CPython Python/ceval.c (value stack of a `with` block); glibc owner words.
    """
    for cycle in state.locks.cycles:
        if len(cycle.tids) < 2:
            continue
        around = " -> ".join(str(tid) for tid in (*cycle.tids, cycle.tids[0]))
        names = {w.tid: w.name or w.kind for w in state.locks.waits if w.tid in cycle.tids}
        wanted = ", ".join(str(names.get(tid, "?")) for tid in cycle.tids)
        yield Finding(
            "lock_cycle",
            f"thread {cycle.tids[0]}",
            {
                "tids": list(cycle.tids),
                "kinds": list(cycle.kinds),
                "names": [names.get(tid) for tid in cycle.tids],
                "with_gil": cycle.has_gil(),
                "confidence": cycle.confidence,
            },
            f"threads wait for each other, {around}: they want {wanted}",
        )
