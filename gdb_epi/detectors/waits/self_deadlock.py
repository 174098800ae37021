# SPDX-License-Identifier: Apache-2.0
"""A thread waits for a lock that it holds itself."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.locks.types import IN_HANDLER, SELF_DEADLOCK, lock_phrase
from gdb_epi.process_state import ProcessState


@detector(
    "self_deadlock", supports=SupportedLabel("deadlock", "lock-circle", counted_by="confidence")
)
def self_deadlock(state: ProcessState) -> Iterator[Finding]:
    """Find waits for a lock whose owner is the waiting thread.

    Innocent causes, tested by the lock families: the `__exit__` that a frame keeps for a block it
    is about to enter; a reentrant lock (its owner would not wait). The only trace of an explicit
    acquire() is the code that ran, so such a holder is "probable" (acquire_calls.py). So is a
    thread whose signal handler waits for a lock of the C library that the interrupted function
    takes; that another thread is in such a function is ruled out. Reference: CPython Python/ceval.c
    (BEFORE_WITH); glibc nptl/pthread_mutex_lock.c (owner word).
    """
    for wait in state.locks.waits:
        if wait.verdict != SELF_DEADLOCK:
            continue
        name = lock_phrase(wait.kind, wait.name or f"{wait.kind} at {wait.address:#x}")
        yield Finding(
            "self_deadlock",
            f"thread {wait.tid}",
            {
                "address": hex_word(wait.address),
                "kind": wait.kind,
                "name": wait.name,
                "confidence": wait.confidence,
                "evidence": list(wait.evidence),
                "in_handler": wait.evidence[-1].startswith(IN_HANDLER),
            },
            f"thread {wait.tid} waits for {name}, which it holds itself: {wait.evidence[-1]}",
        )
