# SPDX-License-Identifier: Apache-2.0
"""What fork() left behind: handlers that were not left, and locks that came held.

The process died or hung inside the handlers that run around a fork, or before exec; a thread of a
forked child waits for a lock that nobody here can release, or none waits for it yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.locks.types import INFO, INHERITED_VERDICTS, lock_phrase
from gdb_epi.process_state import ProcessState
from gdb_epi.typing_lite import Any
from gdb_epi.util import pick_attributes, quoted_name

MAX_FRAMES = 24  # of the holder


@detector(
    "fork_handlers",
    needs="crash",
    supports=SupportedLabel("hang", "fork-handlers", counted_by="confidence"),
)
def fork_handlers(state: ProcessState) -> Iterator[Finding]:
    """Find a crash or a hang between fork() and its return.

    Innocent causes: a snapshot of a process that happens to fork (no crash, so not looked at); a
    crash of another thread while one forks (then it is reported as information only).
    Reference: glibc posix/fork.c, CPython Modules/posixmodule.c (PyOS_AfterFork_Child,
    run_at_forkers), Modules/_posixsubprocess.c (preexec_fn).
    """
    handler = state.locks.handlers
    crash = state.crash
    if handler is None or isinstance(crash, Absent):
        return
    process = state.process
    own = None if isinstance(process, Absent) else process.pid
    # What another process sends to one that hangs is no crash of the handler.
    crashed = crash.sender_pid in (None, own)
    elsewhere = crashed and crash.tid != handler.tid
    here = crashed and not elsewhere
    yield Finding(
        "fork_handlers",
        f"thread {handler.tid}",
        {
            "stage": handler.stage,
            "when": handler.when,
            "where": handler.where,
            "crashed": here,
            "confidence": INFO if elsewhere else handler.sure,
        },
        f"thread {handler.tid} {'crashed' if here else 'is'} in {handler.stage} "
        f"{handler.when}: {handler.says}",
    )


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
