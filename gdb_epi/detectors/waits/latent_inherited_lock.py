# SPDX-License-Identifier: Apache-2.0
"""A lock came held through fork(), and no thread waits for it yet."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, detector, hex_word
from gdb_epi.locks.types import INFO
from gdb_epi.process_state import ProcessState


@detector("latent_inherited_lock")
def latent_inherited_lock(state: ProcessState) -> Iterator[Finding]:
    """Find locks that a vanished thread is inside a `with` block of, though nobody waits for them.

    Information, not a fault: most children never touch the lock. Innocent causes: the program
    makes the lock anew in a hook of os.register_at_fork() (then the old object is what is seen).
    Reference: CPython Python/ceval.c (the `__exit__` of a `with` block stays on the value stack).
    """
    report = state.locks
    if not report.fork.forked:
        return
    for held in report.held:
        if held.owner.state != "vanished" or held.waiters:
            continue
        name = held.name or f"{held.kind} at {held.address:#x}"
        who = held.owner.thread_name or held.owner.tid or "?"
        yield Finding(
            "latent_inherited_lock",
            name,
            {
                "address": hex_word(held.address),
                "kind": held.kind,
                "name": held.name,
                "where": held.where,
                "confidence": INFO,
            },
            f"{name} came held through fork(): the vanished thread {who} is in {held.where}",
        )
