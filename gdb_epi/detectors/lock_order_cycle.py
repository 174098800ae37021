# SPDX-License-Identifier: Apache-2.0
"""Threads wait for each other's locks in a circle."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, SpeaksFor, cycle_findings, detector
from gdb_epi.process_state import ProcessState


@detector("lock_order_cycle", speaks_for=SpeaksFor("deadlock", "lock-circle", by="confidence"))
def lock_order_cycle(state: ProcessState) -> Iterator[Finding]:
    """Find threads of which each waits for a lock that the next one holds.

    Innocent causes, tested: a wait with a timeout ends by itself (then "probable"); a Condition
    whose lock was given up in wait(); a frame that only waits to enter its `with` block; a holder
    that is merely suspected (only owner words and entered blocks make an edge). Not ruled out: a
    lock that was released by hand inside its block.
    Reference: Coffman et al., System Deadlocks (1971): circular wait.
    """
    summary = "threads wait for each other's locks"
    yield from cycle_findings(state, "lock_order_cycle", "order", summary)
