# SPDX-License-Identifier: Apache-2.0
"""Threads wait for each other's end."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, SpeaksFor, cycle_findings, detector
from gdb_epi.process_state import ProcessState


@detector("join_deadlock", speaks_for=SpeaksFor("deadlock", "lock-circle", by="confidence"))
def join_deadlock(state: ProcessState) -> Iterator[Finding]:
    """Find a cycle in which some thread waits for another one to end.

    Innocent causes, tested: join() with a timeout (then "probable"); a joined thread that waits for
    something without a holder (an Event, a queue): it may still be woken, and makes no edge.
    Reference: Lib/threading.py (Thread.join), which refuses only a thread that joins itself.
    """
    summary = "a thread waits for the end of one that waits for it"
    yield from cycle_findings(state, "join_deadlock", "join", summary)
