# SPDX-License-Identifier: Apache-2.0
"""The wait-for graph: which thread waits for which, and the cycles in it."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.locks import types as lock_types
from gdb_epi.locks.types import CERTAIN, INFO, PROBABLE, LockWait, WaitCycle

MAX_CYCLES = 256
MAX_SHOWN = 32  # threads of one cycle that are written out
_ORDER = (CERTAIN, PROBABLE, INFO)
# The sorts of deadlocks in words.
DEADLOCK_WORDS = {"gil": "GIL and lock", "import": "imports", "join": "join", "order": "lock order"}


def find_cycles(waits: Sequence[LockWait]) -> tuple[WaitCycle, ...]:
    """Return the cycles of two or more threads. A thread waits for one thing at a time."""
    following = {
        w.tid: w for w in waits
        if w.owner.state == "live" and w.owner.tid not in (None, w.tid) and not w.doubt
    }  # fmt: skip
    done: set[int] = set()
    cycles: list[WaitCycle] = []
    for start in sorted(following):
        path: list[int] = []
        place: dict[int, int] = {}
        tid: int | None = start
        while tid is not None and tid not in done and tid not in place and tid in following:
            place[tid] = len(path)
            path.append(tid)
            tid = following[tid].owner.tid
        if tid is not None and tid in place and len(cycles) < MAX_CYCLES:
            cycles.append(_make_cycle(path[place[tid] :], following))
        done.update(path)
    return tuple(cycles)


def _make_cycle(tids: list[int], following: dict[int, LockWait]) -> WaitCycle:
    turn = tids.index(min(tids))
    tids = tids[turn:] + tids[:turn]
    waits = [following[tid] for tid in tids]
    confidence = max((wait.confidence for wait in waits), key=_ORDER.index)
    # Waits for the GIL are polls; any other wait with a timeout ends the cycle by itself. Whether
    # its code tries again is for gdb_epi/hangs/ to say.
    if any(wait.timed and wait.kind != lock_types.GIL for wait in waits):
        confidence = INFO
    return WaitCycle(tuple(tids), tuple(wait.kind for wait in waits), confidence)


def deadlock_kind(cycle: WaitCycle) -> str:
    """Return what sort of deadlock a cycle is: "gil", "import", "join" or "order"."""
    if cycle.has_gil():
        return "gil"
    if any(kind in ("module lock", "import lock") for kind in cycle.kinds):
        return "import"
    joins = any(kind in lock_types.JOINS for kind in cycle.kinds)
    return "join" if joins else "order"


def cycle_text(cycle: WaitCycle) -> str:
    """Return "1 -> 2 -> 1", cut in a long cycle."""
    shown = [str(tid) for tid in cycle.tids[:MAX_SHOWN]]
    if len(cycle.tids) > MAX_SHOWN:
        shown.append(f"... {len(cycle.tids) - MAX_SHOWN} more")
    return " -> ".join((*shown, str(cycle.tids[0])))


def mark_waits_of_cycles(waits: Sequence[LockWait], cycles: Sequence[WaitCycle]) -> list[LockWait]:
    """Return the waits, those of a cycle with that verdict."""
    inside = {tid: number for number, cycle in enumerate(cycles) for tid in cycle.tids}
    texts = [f"threads wait for each other: {cycle_text(cycle)}" for cycle in cycles]
    marked = []
    for wait in waits:
        number = inside.get(wait.tid)
        if number is not None and wait.verdict == lock_types.LIVE_HOLDER:
            wait = wait._replace(
                verdict=lock_types.CYCLE, confidence=cycles[number].confidence,
                evidence=(*wait.evidence, texts[number]),
            )  # fmt: skip
        marked.append(wait)
    return marked
