# SPDX-License-Identifier: Apache-2.0
"""Run every lock family over every thread."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.locks.context import FAMILIES, Lazy, LockContext
from gdb_epi.locks.fork.evidence import evidence_of, read_fork, with_handlers
from gdb_epi.locks.fork.handlers import fork_handlers
from gdb_epi.locks.fork.vanished import vanished_threads
from gdb_epi.locks.types import (
    ForkEvidence,
    ForkHandlers,
    Held,
    LockReport,
    Owner,
    Vanished,
    Wait,
)
from gdb_epi.locks.waits.activity import activity
from gdb_epi.locks.waits.inherited_or_own import with_doubt
from gdb_epi.locks.waits.wait_graph import find_cycles, with_cycles
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.locks.python.lock_objects import PyLock
    from gdb_epi.locks.python.view import Block

MAX_WAITS = 16_384
MAX_THREADS = 1 << 16
MAX_HELD = 4096


class Forked(NamedTuple):
    """What is known of a fork without looking at any lock."""

    evidence: ForkEvidence
    handlers: ForkHandlers | None
    vanished: Vanished
    soft_errors: tuple[SoftError, ...]


def examine_fork(target: Target, python: PythonState | Absent) -> Forked:
    """Return whether this is a forked child, and which threads it lost."""
    signs = read_fork(target, python)
    evidence = evidence_of(signs)
    handlers = fork_handlers(target, python, evidence)
    evidence = with_handlers(evidence, handlers)
    vanished = vanished_threads(target, python, evidence, signs.known)
    return Forked(evidence, handlers, vanished, (*signs.soft_errors(), *vanished.soft_errors))


def examine_locks(
    target: Target, python: PythonState | Absent, forked: Forked | None = None
) -> LockReport:
    """Return who waits for what, who owns it, and whether this is a forked child.

    A family that fails becomes a soft error; the others still run. `forked` is what
    `examine_fork` gave, where it was asked before.
    """
    import gdb_epi.locks.waits
    from gdb_epi.loader import load_all

    forked = forked or examine_fork(target, python)
    fork, vanished = forked.evidence, forked.vanished
    errors = [*load_all(gdb_epi.locks.waits), *forked.soft_errors]
    context = LockContext(target, python, fork, errors, vanished, Lazy())
    waits: list[Wait] = []
    for thread in target.threads():
        for name, function in sorted(FAMILIES.items()):
            try:
                waits += function(context, thread)
            except Exception as error:  # noqa: BLE001 - boundary: running a lock family
                subject = f"{name}, thread {thread.tid}"
                errors.append(SoftError("locks", subject, f"{type(error).__name__}: {error}"))
        if len(waits) >= MAX_WAITS:
            errors.append(SoftError("locks", "waits", f"cut at {MAX_WAITS}"))
            break
    waits = with_doubt(target, python, vanished, waits)
    cycles = find_cycles(waits)
    held, problems = held_locks(context, waits)
    errors += problems
    return LockReport(
        fork,
        tuple(with_cycles(waits[:MAX_WAITS], cycles)),
        tuple(dict.fromkeys(errors)),
        vanished,
        forked.handlers,
        cycles,
        held,
        tuple(activity(target, thread) for thread in target.threads()[:MAX_THREADS]),
    )


def _free_for(lock: PyLock, block: Block) -> bool:
    """Tell whether the lock's own words say that the thread of a block does not hold it.

    So it is after a hook of os.register_at_fork() has re-made the lock in place, as logging's does.
    """
    owned = lock.owner is not None and block.ident is not None
    return lock.locked is False or (owned and lock.owner != block.ident)


def held_locks(
    context: LockContext, waits: Sequence[Wait]
) -> tuple[tuple[Held, ...], list[SoftError]]:
    """Return the Python locks that some frame is inside a `with` block of, waited for or not."""
    world = context.world
    if world is None:
        return (), []
    found: list[Held] = []
    seen: set[tuple[int, int | None]] = set()
    for block in world.blocks():
        if len(found) >= MAX_HELD:
            break
        lock = world.locks.at(block.lock)
        # A recursive lock is in several frames of its owner: the innermost one stands for all.
        if (block.lock, block.ident) in seen or (lock is not None and _free_for(lock, block)):
            continue
        seen.add((block.lock, block.ident))
        state = "vanished" if block.vanished else "live"
        owner = Owner(block.tid, block.ident, block.thread_name, state)
        kind = lock.kind if lock is not None else "lock"
        name = world.name(block.lock) or world.name(block.manager)
        waiters = tuple(w.tid for w in waits if w.object in (block.lock, block.manager))
        found.append(Held(block.lock, kind, name, owner, waiters, block.where()))
    problems = [SoftError("locks", what, text) for what, text in sorted(world.problems.items())]
    return tuple(found), problems
