# SPDX-License-Identifier: Apache-2.0
"""Threads wait for each other's end."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, cycle_facts, detector
from gdb_epi.locks.waits.wait_graph import kind_of
from gdb_epi.process_state import ProcessState


@detector("join_deadlock")
def join_deadlock(state: ProcessState) -> Iterator[Finding]:
    """Find a cycle in which some thread waits for another one to end.

    Innocent causes, tested: join() with a timeout (then "probable"); a joined thread that waits for
    something without a holder (an Event, a queue): it may still be woken, and makes no edge.
    Reference: Lib/threading.py (Thread.join), which refuses only a thread that joins itself.
    """
    for cycle in state.locks.cycles:
        if kind_of(cycle) == "join":
            facts, around = cycle_facts(state, cycle)
            yield Finding(
                "join_deadlock",
                f"thread {cycle.tids[0]}",
                facts,
                f"a thread waits for the end of one that waits for it: {around}",
            )
