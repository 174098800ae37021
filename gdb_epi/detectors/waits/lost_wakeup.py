# SPDX-License-Identifier: Apache-2.0
"""A thread of a forked child waits for a notification that only a vanished thread could send."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.locks.fork.vanished_pools import find_vanished_pools
from gdb_epi.locks.types import INFO, LOST_WAKEUP
from gdb_epi.process_state import ProcessState
from gdb_epi.util import pick_attributes


@detector("lost_wakeup", supports=SupportedLabel("hang", "lost-wakeup", counted_by="confidence"))
def lost_wakeup(state: ProcessState) -> Iterator[Finding]:
    """Find waits for work or a signal of threads that the fork left behind.

    Innocent causes, tested by the lock families: a living thread that holds the object, a wait with
    a timeout. Not ruled out: a signal handler, or a thread that is started later, notifies.
    Reference: CPython Lib/threading.py (Condition.wait), Lib/concurrent/futures/thread.py.
    """
    report = state.locks
    if not report.fork.forked:
        return
    pools = [pool.kind for pool in find_vanished_pools(report.vanished)]
    for wait in report.waits:
        if wait.verdict != LOST_WAKEUP or wait.confidence == INFO:
            continue
        name = wait.name or f"a {wait.kind}"
        if name.startswith("in "):  # a native library, not what is waited for
            name = f"a {wait.kind} {name}"
        yield Finding(
            "lost_wakeup",
            f"thread {wait.tid}",
            {
                "address": hex_word(wait.address),
                **pick_attributes(wait, "kind", "name", "verdict", "confidence"),
                "pools": pools,
                "evidence": list(wait.evidence),
            },
            f"thread {wait.tid} of a forked child waits for {name}, which only a thread that "
            "fork() did not copy could end",
        )
