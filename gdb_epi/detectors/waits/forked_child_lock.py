# SPDX-License-Identifier: Apache-2.0
"""A thread of a forked child waits for a lock that nobody here can release."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.locks.types import INFO, INHERITED_VERDICTS, lock_phrase
from gdb_epi.process_state import ProcessState
from gdb_epi.typing_lite import Any
from gdb_epi.util import pick_attributes, quoted_name

MAX_FRAMES = 24  # of the holder


@detector(
    "forked_child_lock",
    supports=SupportedLabel("fork-inherited-lock", "inherited-lock", counted_by="confidence"),
)
def forked_child_lock(state: ProcessState) -> Iterator[Finding]:
    """Find waits whose lock came held through fork().

    Innocent causes, tested by the lock families: a living thread that could release the lock, a
    lock shared with another process, a mutex that the waiting thread owns itself. Not ruled out
    for locks without an owner word: the thread took it itself before; the wait's evidence says so.
    A fork alone is no finding: pools and daemons fork too.
    Reference: CPython gh-112275; POSIX fork(2): only the calling thread exists in the child.
    """
    report = state.locks
    if not report.fork.forked:
        return
    for wait in report.waits:
        if wait.verdict not in INHERITED_VERDICTS or wait.confidence == INFO:
            continue
        name = lock_phrase(wait.kind, wait.name or f"{wait.kind} at {wait.address:#x}")
        facts: dict[str, Any] = {
            "address": hex_word(wait.address),
            **pick_attributes(wait, "kind", "name", "verdict", "confidence"),
            "signals": [signal.name for signal in report.fork.signals],
            "evidence": list(wait.evidence),
        }
        holder = report.vanished.find(ident=wait.owner.ident, tid=wait.owner.tid)
        if holder is not None and wait.owner.state == "vanished":
            facts["holder"] = {
                "name": holder.name,
                "tid": holder.tid,
                "frames": [f.qualname or f.name for f in holder.frames[:MAX_FRAMES]],
            }
        held = "which was held at fork() and stays so"
        if holder is not None:
            who = quoted_name(holder.name) or f"thread {holder.tid}"
            held = f"held by {who} of the parent, which fork() did not copy"
        yield Finding(
            "forked_child_lock",
            f"thread {wait.tid}",
            facts,
            f"thread {wait.tid} of a forked child waits for {name}, {held}",
        )
