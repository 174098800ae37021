# SPDX-License-Identifier: Apache-2.0
"""`epi threads`: every LWP and every Python thread state, joined."""

from __future__ import annotations

from gdb_epi.cpython.types import ThreadState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.lean import TYPE_CHECKING, Any
from gdb_epi.process_state import ProcessState
from gdb_epi.registry import command
from gdb_epi.report import Report

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session

COLUMNS = ("tid", "name", "state", "python", "where")


@command("threads")
def threads(session: Session, args: Namespace) -> Report:
    """List the threads: native id, name, what they hold, and where they are.

    `crashed` is the thread that the kernel wrote first. A `ghost` is a Python thread state
    whose LWP is not in the core: after a fork, the parent's threads.
    """
    state = session.state
    entries = [_entry(state, t.tid, state.python_thread(t.tid)) for t in state.target.threads()]
    entries += [_entry(state, t.tid, t) for t in state.python_threads() if not t.alive]
    errors = state.all_soft_errors()
    if isinstance(state.python, Absent):
        errors.append(SoftError("python", "runtime", state.python.detail))
    return Report(
        f"{len(entries)} threads",
        COLUMNS,
        [[entry[column] for column in COLUMNS] for entry in entries],
        data={"threads": entries, "soft_errors": [error._asdict() for error in errors]},
        soft_errors=errors,
    )


def _entry(state: ProcessState, tid: int | None, thread: ThreadState | None) -> dict[str, Any]:
    native = state.thread(tid) if tid is not None else None
    marks = []
    if state.died_in(tid, thread):
        marks.append("crashed" if not isinstance(state.crash, Absent) else "first")
    if thread is not None and thread.holds_gil:
        marks.append("GIL")
    if thread is not None and not thread.alive:
        marks.append("ghost")
    name = (thread.name if thread else None) or (native.name if native else None)
    return {
        "tid": tid,
        "name": name,
        "state": " ".join(marks),
        "python": f"interpreter {thread.interpreter}" if thread else "no Python state",
        "where": _where(thread),
        "ident": f"0x{thread.ident:016x}" if thread else None,
    }


def _where(thread: ThreadState | None) -> str:
    if thread is None or not thread.frames:
        return ""
    frame = next((f for f in thread.frames if f.hole is None), None)
    if frame is None:
        return f"hole: {thread.frames[0].hole}"
    return f"{frame.qualname or frame.name} at {frame.filename}:{frame.lineno or '?'}"
