# SPDX-License-Identifier: Apache-2.0
"""Threads, workers or tasks that wait for each other or for themselves."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, SpeaksFor, detector
from gdb_epi.detectors.hang_findings import hang_findings
from gdb_epi.process_state import ProcessState


@detector(
    "stuck_deadlock", needs="python", speaks_for=SpeaksFor("deadlock", "lock-circle", by="kind")
)
def stuck_deadlock(state: ProcessState) -> Iterator[Finding]:
    """Find circles of threads, of a pool's workers, of tasks, and threads that wait for themselves.

    Innocent causes, tested: a wait with a timeout, a lock given up in wait(), an idle worker, a
    holder that is merely suspected (then "probable"). What is not ruled out is in the facts.
    Reference: Coffman et al., System Deadlocks (1971): circular wait.
    """
    yield from hang_findings(state, "stuck_deadlock", "deadlock")
