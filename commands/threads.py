# SPDX-License-Identifier: Apache-2.0
"""`epi threads`: every LWP and every Python thread state, joined."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.cpython.runtime.gc import GcState
from gdb_epi.cpython.runtime.gil import Gil
from gdb_epi.cpython.runtime.interpreters import (
    RuntimeDetails,
    ThreadStateFacts,
    read_runtime,
    read_thread_facts,
)
from gdb_epi.cpython.types import ThreadState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.process_state import ProcessState
from gdb_epi.registry import command
from gdb_epi.render.frame_lines import library_of_call, short_place
from gdb_epi.render.interpreters import gil_line, running_collection_line, tstate_name
from gdb_epi.render.locks import wait_column_text
from gdb_epi.render.merged_stacks import first_thread_word, place_text
from gdb_epi.render.python_stacks import python_call
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted

COLUMNS = ("name", "thread", "state", "where")
NO_PYTHON = "no Python state"


@command("threads")
def list_threads(session: Session, args: Namespace) -> Report:
    """List the threads: what they hold or wait for, where they are.

    `crashed` is the thread that the kernel wrote first. "left by fork()" is a Python thread state
    whose thread is not in the core: after a fork, the parent's. Of "shares its ident" it cannot be
    told whether a thread runs it. Threads without Python state are in the core and run no Python
    code. Above the table: who holds the GIL, and whether a collection or the end of the interpreter
    was under way. `epi interp` says more of these.
    """
    state = session.state
    errors = state.all_soft_errors()
    facts: dict[int, ThreadStateFacts] = {}
    runtime: RuntimeDetails | None = None
    if isinstance(state.python, Absent):
        errors.append(SoftError("python", "runtime", state.python.detail))
    else:
        facts, missing = read_thread_facts(state.target, state.python)
        runtime = read_runtime(state.target, state.python)
        errors += [*missing, *runtime.soft_errors]
    table = []
    threads = state.target.threads()  # the one that died, then the oldest first
    for lwp in sorted(
        threads, key=lambda lwp: (not state.is_crashed_thread(lwp.tid, None), lwp.tid)
    ):
        mine: list[ThreadState | None] = []
        mine += [t for t in state.python_threads() if t.alive and t.tid == lwp.tid]
        table += [
            (_thread_entry(state, lwp.tid, t, facts), _place_and_own_call(t))
            for t in mine or [None]
        ]
    left = [t for t in state.python_threads() if not t.alive]
    table += [(_thread_entry(state, t.tid, t, facts), _place_and_own_call(t)) for t in left]
    return Report(
        f"{counted(len(threads), 'thread')}, "
        f"{counted(len(state.python_threads()), 'thread state')}",
        COLUMNS,
        [[entry["name"], entry["tid"], entry["state"], where] for entry, where in table],
        lines=_lines_about_all_threads(runtime) if runtime is not None else (),
        data={"threads": [entry for entry, _ in table]},
        soft_errors=errors,
    )


def _lines_about_all_threads(runtime: RuntimeDetails) -> list[str]:
    """Say what concerns all threads, one line each, nothing when nothing does."""
    lines = []
    for interpreter in runtime.interpreters:
        several = len(runtime.interpreters) > 1
        who = f"interpreter {interpreter.state.id}: " if several else ""
        if isinstance(interpreter.gil, Gil) and interpreter.own_gil:
            lines.append(f"{who}{gil_line(runtime, interpreter.gil)}")
        if isinstance(interpreter.gc, GcState) and interpreter.gc.collecting:
            lines.append(f"{who}{running_collection_line(interpreter.gc)}")
        if isinstance(interpreter.finalizing, int) and interpreter.finalizing:
            by = tstate_name(runtime, interpreter.finalizing)
            lines.append(f"{who or 'the interpreter '}is being finalized by {by}")
    if isinstance(runtime.finalizing, int) and runtime.finalizing:
        who = tstate_name(runtime, runtime.finalizing)
        lines.append(f"the runtime is being finalized by {who}")
    return lines


def _thread_entry(
    state: ProcessState,
    tid: int | None,
    thread: ThreadState | None,
    facts: dict[int, ThreadStateFacts],
) -> dict[str, Any]:
    native = state.thread(tid) if tid is not None else None
    fact = facts.get(thread.address) if thread is not None else None
    python_thread = fact.object if fact is not None else None
    name = (thread.name if thread else None) or (native.name if native else None)
    return {
        "tid": tid,
        "name": name,
        "state": ", ".join(_thread_marks(state, tid, thread, fact)),
        "python": f"interpreter {thread.interpreter}" if thread else NO_PYTHON,
        "where": _innermost_call_text(thread),
        "ident": f"0x{thread.ident:016x}" if thread else None,
        "crashed": state.is_crashed_thread(tid, thread),
        "holds_gil": thread is not None and thread.holds_gil,
        "ghost": thread is not None and not thread.alive and not thread.doubt,
        "doubt": (thread.doubt or None) if thread is not None else None,
        "main": fact is not None and fact.main,
        "daemon": python_thread.daemon if python_thread is not None else None,
        "thread_class": python_thread.kind if python_thread is not None else None,
        "gil": (fact.gil or None) if fact is not None else None,
        "gil_requested": fact.gil_requested if fact is not None else None,
        "attached": fact.attached if fact is not None else None,
        "requests": None if fact is None or fact.requests is None else list(fact.requests),
        "async_exc": fact.async_exc if fact is not None else None,
    }


def _thread_marks(
    state: ProcessState, tid: int | None, thread: ThreadState | None, fact: ThreadStateFacts | None
) -> list[str]:
    marks: list[str] = []
    if state.is_crashed_thread(tid, thread):
        marks += filter(None, [first_thread_word(state)])
    if thread is not None and thread.holds_gil:
        marks.append("GIL")
    if thread is None:
        marks.append(NO_PYTHON)
    elif not thread.alive:
        left = state.locks.fork.forked and "left by fork()"
        marks.append("shares its ident" if thread.doubt else left or "a thread state, no thread")
    elif thread.interpreter > 0:  # -1: its number is lost
        marks.append(f"interpreter {thread.interpreter}")
    if thread is None or thread.alive:
        marks += [wait_column_text(wait) for wait in state.locks.waits if wait.tid == tid][:1]
    if fact is None:
        return marks
    if fact.main and (thread is None or thread.name != "MainThread"):
        marks.append("main")
    if fact.object is not None and fact.object.daemon:
        marks.append("daemon")
    if fact.gil:
        marks.append(fact.gil)
    elif fact.gil_requested:
        marks.append("wants the GIL")
    marks += [f"asked: {request}" for request in fact.requests or ()]
    if fact.async_exc:
        marks.append("an exception was sent to it")
    return marks


def _innermost_call_text(thread: ThreadState | None) -> str:
    if thread is None or not thread.frames:
        return ""
    frame = next((f for f in thread.frames if f.hole is None), None)
    if frame is None:
        return f"hole: {thread.frames[0].hole}"
    return place_text(frame)


def _place_and_own_call(thread: ThreadState | None) -> str:
    """Return where a thread is, and which call of the program's own led there."""
    frames = thread.frames if thread is not None else ()
    calls = [python_call(frame) for frame in frames if frame.hole is None]
    if not calls:
        return _innermost_call_text(thread)
    where = f"{calls[0].name} at {calls[0].place(short=True)}"
    own = next((number for number, call in enumerate(calls) if not library_of_call(call)), 0)
    return f"{where}, called from {calls[own].name} ({short_place(calls[own])})" if own else where
