# SPDX-License-Identifier: Apache-2.0
"""Run every lock family over every thread, and doubt guesses that a lock was inherited.

A lock that stores no owner and one thread that waits for it look the same whether the lock was
inherited or taken by the waiting thread: a bare acquire() leaves no trace. They differ in whether
any vanished thread had to do with the lock: code that takes a lock names it. If none of their code
does, the wait becomes mere information, and says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, SoftError, UnreadableMemory
from gdb_epi.locks.context import FAMILIES, LockContext
from gdb_epi.locks.fork.fork_facts import ForkFacts, examine_fork
from gdb_epi.locks.python.call_sites import read_name_tuple
from gdb_epi.locks.types import (
    INFO,
    PROBABLE_INHERITED,
    HeldLock,
    LockOwner,
    LockReport,
    LockWait,
    VanishedThreads,
)
from gdb_epi.locks.waits.futex import classify_thread_activity, find_futex_waits
from gdb_epi.locks.waits.wait_graph import find_cycles, mark_waits_of_cycles
from gdb_epi.target.api import Target, Thread

MAX_FRAMES = 20_000  # of all vanished threads
_TABLES = ("co_names", "co_localsplusnames", "co_varnames", "co_freevars", "co_cellvars")
MAX_WAITS = 16_384
MAX_THREADS = 1 << 16
MAX_HELD = 4096


def demote_unsupported_inheritance(
    target: Target,
    python: PythonState | Absent,
    vanished: VanishedThreads,
    waits: Iterable[LockWait],
) -> list[LockWait]:
    """Return the waits; a guess that no vanished thread supports becomes mere information."""
    all_waits = list(waits)
    if isinstance(python, Absent) or not any(_is_probably_inherited(wait) for wait in all_waits):
        return all_waits
    named = _names_in_vanished_code(MemoryReader(target, python.layout), vanished)
    return [
        _doubt_inheritance_guess(wait, named) if _is_probably_inherited(wait) else wait
        for wait in all_waits
    ]


def _is_probably_inherited(wait: LockWait) -> bool:
    return wait.verdict == PROBABLE_INHERITED and wait.confidence != INFO


def _doubt_inheritance_guess(wait: LockWait, named: set[str]) -> LockWait:
    if wait.name is not None and wait.name.rpartition(".")[2] in named:
        evidence = f"code that a vanished thread ran names {wait.name.rpartition('.')[2]!r}"
        return wait._replace(evidence=(*wait.evidence, evidence))
    evidence = (
        "as well this thread may have taken it by acquire() after the fork: no code that a "
        "vanished thread ran names it"
    )
    return wait._replace(confidence=INFO, evidence=(*wait.evidence, evidence))


def _names_in_vanished_code(reader: MemoryReader, vanished: VanishedThreads) -> set[str]:
    """Return every name in the code objects that the vanished threads ran."""
    frames = (frame for thread in vanished.threads for frame in thread.frames)
    names: set[str] = set()
    for code in {frame.code for frame in islice(frames, MAX_FRAMES) if frame.code}:
        for table in _TABLES:
            with suppress(UnreadableMemory, LayoutError):
                names.update(read_name_tuple(reader, code, table))
    return names


def examine_locks(
    target: Target,
    python: PythonState | Absent,
    forked: ForkFacts | None = None,
    threads: Sequence[Thread] | None = None,
) -> LockReport:
    """Return who waits for what, who owns it, and whether this is a forked child.

    A family that fails becomes a soft error; the others still run. `forked` is what
    `examine_fork` gave, where it was asked before; `threads` those of the target unless given.
    """
    import gdb_epi.locks.families
    from gdb_epi.loader import import_all_modules

    forked = forked or examine_fork(target, python)
    fork, vanished = forked.evidence, forked.vanished
    errors = [*import_all_modules(gdb_epi.locks.families), *forked.soft_errors]
    context = LockContext(target, python, fork, errors, vanished)
    families = sorted({"futex": find_futex_waits, **FAMILIES}.items())
    waits: list[LockWait] = []
    threads = target.threads() if threads is None else threads
    for thread in threads:
        for name, function in families:
            try:
                waits += function(context, thread)
            except Exception as error:  # noqa: BLE001 - boundary: running a lock family
                subject = f"{name}, thread {thread.tid}"
                errors.append(SoftError("locks", subject, f"{type(error).__name__}: {error}"))
        if len(waits) >= MAX_WAITS:
            errors.append(SoftError("locks", "waits", f"cut at {MAX_WAITS}"))
            break
    waits = demote_unsupported_inheritance(target, python, vanished, waits)
    cycles = find_cycles(waits)
    held = _held_locks(context, waits)
    if context.python_view is not None:
        problems = sorted(context.python_view.problems.items())
        errors += [SoftError("locks", subject, text) for subject, text in problems]
    return LockReport(
        fork=fork,
        waits=tuple(mark_waits_of_cycles(waits[:MAX_WAITS], cycles)),
        soft_errors=tuple(dict.fromkeys(errors)),
        vanished=vanished,
        handlers=forked.handlers,
        cycles=cycles,
        held=held,
        activities=tuple(
            classify_thread_activity(target, thread) for thread in threads[:MAX_THREADS]
        ),
    )


def _held_locks(context: LockContext, waits: Sequence[LockWait]) -> tuple[HeldLock, ...]:
    """Return the Python locks that some frame is inside a `with` block of, waited for or not."""
    view = context.python_view
    if view is None:
        return ()
    held: list[HeldLock] = []
    seen: set[tuple[int, int | None]] = set()
    for block in view.all_lock_blocks():
        if len(held) >= MAX_HELD:
            break
        # A recursive lock is in several frames of its owner: the innermost one stands for all.
        if (block.lock, block.ident) in seen:
            continue
        lock = view.locks.lock_at(block.lock)
        if lock is not None:
            # A hook of os.register_at_fork() may have re-made the lock in place, as logging's
            # does: then its own words say that this thread does not hold it.
            owned = lock.owner is not None and block.ident is not None
            if lock.locked is False or (owned and lock.owner != block.ident):
                continue
        seen.add((block.lock, block.ident))
        name = view.name_of_object(block.lock) or view.name_of_object(block.manager)
        if name is None and block.tid is not None and not block.vanished:
            name = view.attribute_name(block.tid, block.lock)
        held.append(
            HeldLock(
                address=block.lock,
                kind=lock.kind if lock is not None else "lock",
                name=name,
                owner=LockOwner(
                    block.tid,
                    block.ident,
                    block.thread_name,
                    "vanished" if block.vanished else "live",
                ),
                waiters=tuple(w.tid for w in waits if w.object in (block.lock, block.manager)),
                where=block.where(),
            )
        )
    return tuple(held)
