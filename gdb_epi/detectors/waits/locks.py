# SPDX-License-Identifier: Apache-2.0
"""Locks that nobody will give back: a detector for each kind of circle, and for waits alone.

A thread waits for a lock that it holds itself, or, in a forked child, for a notification that only
a vanished thread could send.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.locks.fork.vanished_pools import find_vanished_pools
from gdb_epi.locks.types import GIL, INFO, LOST_WAKEUP, SELF_DEADLOCK, LockWait, lock_phrase
from gdb_epi.locks.waits.wait_graph import deadlock_kind
from gdb_epi.process_state import ProcessState
from gdb_epi.util import pick_attributes

MAX_CYCLE = 32  # threads of one cycle that a finding names
_DEADLOCK = SupportedLabel("deadlock", "lock-circle", counted_by="confidence", doubt_fact="outside")


@detector("lock_order_cycle", supports=_DEADLOCK)
def lock_order_cycle(state: ProcessState) -> Iterator[Finding]:
    """Find threads that each wait for a lock that the next one holds.

    Innocent causes, tested: a wait with a timeout ends by itself (then "info"); a Condition
    whose lock was given up in wait(); a frame that only waits to enter its `with` block; a holder
    that is merely suspected (only owner words and entered blocks make an edge). Not ruled out: a
    lock that was released by hand inside its block.
    Reference: Coffman et al., System Deadlocks (1971): circular wait.
    """
    summary = "threads wait for each other's locks"
    return _cycle_findings(state, "lock_order_cycle", "order", summary)


@detector("gil_versus_mutex", supports=_DEADLOCK)
def gil_versus_mutex(state: ProcessState) -> Iterator[Finding]:
    """Find a deadlock between the GIL and another lock.

    C code that takes a lock while it holds the GIL, against code that takes the GIL (a callback,
    the end of Py_BEGIN_ALLOW_THREADS) while it holds that lock. Innocent causes, tested: waiting
    for the GIL as such (its holder may run on); a timed wait for the lock (then "info"); a GIL
    that was free at that moment.
    Reference: Python/ceval_gil.c (take_gil); pybind11 and NumPy document this mistake.
    """
    summary = "the GIL and another lock are taken in opposite orders"
    return _cycle_findings(state, "gil_versus_mutex", "gil", summary)


@detector("import_deadlock", supports=_DEADLOCK)
def import_deadlock(state: ProcessState) -> Iterator[Finding]:
    """Find a cycle with a module's import lock.

    Mostly a module that starts a thread and waits for it while it is being imported, and the
    thread imports that module. Innocent causes, tested: an import that is merely slow (no cycle).
    importlib detects cycles of module locks alone and goes on, so such a wait is over soon.
    Reference: Lib/importlib/_bootstrap.py (_ModuleLock, _DeadlockError).
    """
    summary = "an import and a thread wait for each other"
    return _cycle_findings(state, "import_deadlock", "import", summary)


@detector("join_deadlock", supports=_DEADLOCK)
def join_deadlock(state: ProcessState) -> Iterator[Finding]:
    """Find a cycle in which some thread waits for another one to end.

    Innocent causes, tested: join() with a timeout (then "info"); a joined thread that waits for
    something without a holder (an Event, a queue): it may still be woken, and makes no edge.
    Reference: Lib/threading.py (Thread.join), which refuses only a thread that joins itself.
    """
    summary = "a thread waits for the end of one that waits for it"
    return _cycle_findings(state, "join_deadlock", "join", summary)


def _describe_awaited(wait: LockWait) -> str:
    if wait.name:
        return lock_phrase(wait.kind, wait.name)
    return f"the {wait.kind}" if wait.kind == GIL else wait.kind


def _fact_who_may_end(state: ProcessState, tids: Sequence[int]) -> dict[str, str]:
    """Return the fact of who may end a circle of some threads; none where nobody may."""
    answer = state.hang
    if isinstance(answer, Absent) or not answer.outside:
        return {}
    return {"outside": answer.outside} if {d.tid for d in answer.members} & {*tids} else {}


def _cycle_findings(
    state: ProcessState, detector_name: str, kind: str, summary: str
) -> Iterator[Finding]:
    """Yield a finding for each cycle of this kind: `summary`, and who waits for what around it."""
    for cycle in state.locks.cycles:
        if deadlock_kind(cycle) != kind:
            continue
        tids = cycle.tids[:MAX_CYCLE]
        waits = {wait.tid: wait for wait in state.locks.waits if wait.tid in frozenset(tids)}
        inside = [(tid, waits[tid]) for tid in cycle.tids if tid in waits]
        around = ", ".join(
            f"thread {tid} waits for {_describe_awaited(wait)}" for tid, wait in inside
        )
        facts = {
            "tids": list(tids),
            "kinds": list(cycle.kinds[:MAX_CYCLE]),
            "length": len(cycle.tids),
            "names": [waits[tid].name if tid in waits else None for tid in tids],
            "addresses": [hex_word(wait.address) for _, wait in inside],
            "confidence": cycle.confidence,
            "evidence": [line for _, wait in inside for line in wait.evidence],
            **_fact_who_may_end(state, tids),
        }
        yield Finding(detector_name, f"thread {cycle.tids[0]}", facts, f"{summary}: {around}")


@detector("self_deadlock", supports=_DEADLOCK)
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
                "in_handler": wait.in_handler,
                **_fact_who_may_end(state, (wait.tid,)),
            },
            f"thread {wait.tid} waits for {name}, which it holds itself: {wait.evidence[-1]}",
        )


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
