# SPDX-License-Identifier: Apache-2.0
"""Threads that wait for each other in a circle: one detector for each kind of circle."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.locks.types import GIL, LockWait, lock_phrase
from gdb_epi.locks.waits.wait_graph import deadlock_kind
from gdb_epi.process_state import ProcessState

MAX_CYCLE = 32  # threads of one cycle that a finding names
_DEADLOCK = SupportedLabel("deadlock", "lock-circle", counted_by="confidence")


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


def _words(wait: LockWait) -> str:
    if wait.name:
        return lock_phrase(wait.kind, wait.name)
    return f"the {wait.kind}" if wait.kind == GIL else wait.kind


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
        around = ", ".join(f"thread {tid} waits for {_words(wait)}" for tid, wait in inside)
        facts = {
            "tids": list(tids),
            "kinds": list(cycle.kinds[:MAX_CYCLE]),
            "length": len(cycle.tids),
            "names": [waits[tid].name if tid in waits else None for tid in tids],
            "addresses": [hex_word(wait.address) for _, wait in inside],
            "confidence": cycle.confidence,
            "evidence": [line for _, wait in inside for line in wait.evidence],
        }
        yield Finding(detector_name, f"thread {cycle.tids[0]}", facts, f"{summary}: {around}")
