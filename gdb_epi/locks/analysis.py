# SPDX-License-Identifier: Apache-2.0
"""Run every lock family over every thread."""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.locks.context import (
    FAMILIES,
    Budget,
    LockContext,
)
from gdb_epi.locks.fork import fork_evidence, with_handlers
from gdb_epi.locks.handlers import fork_handlers
from gdb_epi.locks.types import LockReport, Wait
from gdb_epi.locks.vanished import vanished_threads
from gdb_epi.target.api import Target

MAX_WAITS = 4096


def examine_locks(target: Target, python: PythonState | Absent) -> LockReport:
    """Return who waits for what, who owns it, and whether this is a forked child.

    A family that fails becomes a soft error; the others still run.
    """
    import gdb_epi.locks
    from gdb_epi.loader import load_all

    fork, missed = fork_evidence(target, python)
    errors = [*load_all(gdb_epi.locks), *missed]
    budget = Budget(target, forked=bool(fork.forked))
    handlers = fork_handlers(target, python, fork)
    fork = with_handlers(fork, handlers)
    vanished = vanished_threads(target, python, fork)
    errors += vanished.soft_errors
    context = LockContext(target, python, fork, errors, budget, vanished)
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
    return LockReport(fork, tuple(waits[:MAX_WAITS]), tuple(errors), vanished, handlers)
