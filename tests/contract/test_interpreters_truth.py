# SPDX-License-Identifier: Apache-2.0
"""GIL, collector, pending calls and finalization of real cores, against what each process wrote."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import pytest
from support.interpreters import Interpreter, spread
from support.opening import open_session

from commands.gc import show_garbage_collectors as gc_command
from commands.interp import show_interpreters as interp_command
from commands.threads import list_threads as threads_command
from gdb_epi.cpython.runtime.interpreters import RuntimeDetails, read_runtime
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.session import Session

INTERPRETERS = [
    pytest.param(interpreter, id=interpreter.id) for interpreter in spread("interpreters")
]


def runtime_of(session: Session) -> RuntimeDetails:
    python = session.state.python
    assert isinstance(python, PythonState), python
    runtime = read_runtime(session.target, python)
    assert runtime.soft_errors == ()
    return runtime


def is_early(interpreter: Interpreter) -> bool:
    """Return whether it is a 3.14 before the generations came back (gh-148726)."""
    return (3, 14, 0) <= interpreter.version < (3, 14, 5)


def is_incremental(interpreter: Interpreter) -> bool:
    """Return whether the incremental collector is inside."""
    return is_early(interpreter) and not interpreter.free_threaded


def rows(session: Session) -> list[dict[str, Any]]:
    report = threads_command(session, Namespace())
    assert report.data is not None
    return list(report.data["threads"])


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_who_holds_the_gil_and_who_waits_for_it(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "gil_contention")
    truth = made.truth
    main_interpreter = runtime_of(session).interpreters[0]
    assert main_interpreter.gil is not None and not isinstance(main_interpreter.gil, Absent)
    assert main_interpreter.gil.enabled == interpreter.gil and main_interpreter.own_gil
    on_musl = interpreter.id.startswith("musl")  # its conditions are not judged
    assert sorted(main_interpreter.gil.waiting) == ([] if on_musl else truth["waiting"])
    assert set(main_interpreter.gil.waiting.values()) <= {"waits for the GIL"}
    python = session.state.python
    assert isinstance(python, PythonState) and python.gil_holder == truth["gil_holder"]
    if interpreter.gil:
        assert main_interpreter.gil.interval == round(truth["interval"] * 1e6)
        holder = runtime_of(session).thread_state_at(main_interpreter.gil.holder)
        assert holder is not None and holder.tid == truth["gil_holder"]
    assert main_interpreter.modules == truth["modules"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_threads_say_what_they_are(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "gil_contention")
    truth = made.truth
    rows_by_tid = {row["tid"]: row for row in rows(session)}
    assert {str(tid): row["daemon"] for tid, row in rows_by_tid.items()} == truth["daemon"]
    assert [tid for tid, row in rows_by_tid.items() if row["main"]] == [truth["main"]]
    assert [tid for tid, row in rows_by_tid.items() if row["holds_gil"]] == (
        [truth["gil_holder"]] if interpreter.gil else []
    )
    on_musl = interpreter.id.startswith("musl")  # whose conditions are not judged
    waiting = sorted(tid for tid, row in rows_by_tid.items() if row["gil"])
    assert waiting == ([] if on_musl else truth["waiting"])
    main = rows_by_tid[truth["main"]]
    requested = main["requests"]
    if requested is None:  # up to 3.12 it is asked of the whole interpreter
        requested = runtime_of(session).interpreters[0].requests
    assert ("GIL drop request" in requested) == interpreter.gil
    for tid in truth["spinners"]:
        assert rows_by_tid[tid]["gil_requested"] in (None, interpreter.gil)
        if not interpreter.gil and rows_by_tid[tid]["attached"] is not None:
            assert rows_by_tid[tid]["attached"] == "attached"


@pytest.mark.parametrize("interpreter", INTERPRETERS)
@pytest.mark.parametrize("program", ["collecting-0", "collecting-1", "collecting-2"])
def test_a_collection_in_progress(interpreter: Interpreter, program: str) -> None:
    made, session = open_session(interpreter, program)
    truth = made.truth["gc"]
    gc = runtime_of(session).interpreters[0].gc
    assert not isinstance(gc, Absent) and gc.collecting
    incremental = is_incremental(interpreter)
    numbered = not (incremental or interpreter.free_threaded)
    assert gc.generation == (truth["generation"] if numbered else None)
    assert ("incremental" in gc.evidence) == incremental
    thresholds = [generation.threshold for generation in gc.generations]
    told = truth["threshold"]
    # Of the two old spaces only that of the first is ever set, and gc tells 0 for the third.
    assert thresholds[:2] == told[:2] and (is_early(interpreter) or thresholds == told)
    assert gc.enabled == truth["enabled"] and gc.garbage == truth["garbage"]
    report = gc_command(session, Namespace(types=5, limit=200_000))
    assert report.data is not None
    told = report.data["collectors"][0]
    assert told["debug"] == truth["debug"] and told["collecting"]
    text = "\n".join(str(line) for line in report.lines)
    assert "a garbage collection" in text
    if gc.frame:  # 3.15+
        assert "it was started by" in text and "in main:" in text


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_callback_hides_which_generation(interpreter: Interpreter) -> None:
    _, session = open_session(interpreter, "collecting-callback")
    gc = runtime_of(session).interpreters[0].gc
    assert not isinstance(gc, Absent) and gc.collecting and gc.callbacks == 1
    assert gc.generation is None and gc.evidence


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_nothing_is_claimed_of_a_plain_death(interpreter: Interpreter) -> None:
    _, session = open_session(interpreter, "simple")
    runtime = runtime_of(session)
    main_interpreter = runtime.interpreters[0]
    assert runtime.finalizing == 0 and not main_interpreter.finalizing
    assert (
        not isinstance(main_interpreter.gc, Absent)
        and not main_interpreter.gc.collecting
        and main_interpreter.gc.generation is None
    )
    assert main_interpreter.gc.enabled and main_interpreter.gc.garbage == 0
    assert [queue.calls for queue in main_interpreter.pending if not isinstance(queue, Absent)] == (
        [()] * len(main_interpreter.pending)
    )
    assert not main_interpreter.requests


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_tracked_objects_are_counted(interpreter: Interpreter) -> None:
    _, session = open_session(interpreter, "collecting-callback")
    report = gc_command(session, Namespace(types=1000, limit=200_000))
    assert report.data is not None
    tracked = report.data["collectors"][0]["tracked"]
    if interpreter.free_threaded:
        assert tracked == [] and "free-threaded" in "\n".join(report.lines)
        return
    assert all(counts["complete"] for counts in tracked) and len(tracked) == 4
    assert sum(counts["objects"] for counts in tracked) == sum(
        sum(counts["types"].values()) for counts in tracked
    )
    assert sum(counts["types"].get("function", 0) for counts in tracked) > 500
    cut = gc_command(session, Namespace(types=0, limit=100))
    assert any("more than" in error.message for error in cut.soft_errors)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_pending_calls_and_an_exception_sent(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "pending")
    truth = made.truth
    runtime = runtime_of(session)
    queues = [q for q in runtime.interpreters[0].pending if not isinstance(q, Absent) and q.calls]
    assert [[call.argument for call in queue.calls] for queue in queues] == [truth["arguments"]]
    assert {call.function for call in queues[0].calls} == {truth["function"]}
    report = interp_command(session, Namespace())
    text = "\n".join(report.lines)
    assert "3 pending calls of the" in text and f"({truth['arguments'][2]:#x})" in text
    assert "getpid" in text or "libc" in text
    hit = [row for row in rows(session) if row["async_exc"]]
    assert [int(row["ident"], 16) for row in hit] == [truth["async_exc"]]
    assert all(row["main"] for row in hit)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_finalization_names_its_thread(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "finalization")
    runtime = runtime_of(session)
    assert isinstance(runtime.finalizing, int)
    thread = runtime.thread_state_at(runtime.finalizing)
    assert thread is not None and thread.tid == made.truth["crashed"]
    text = "\n".join(interp_command(session, Namespace()).lines)
    assert f"being finalized by MainThread (thread {thread.tid})" in text


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_every_interpreter_is_there(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "subinterpreter")
    runtime = runtime_of(session)
    assert [interpreter.state.id for interpreter in runtime.interpreters] == [0, 1, 2]
    own = interpreter.minor >= (3, 12)  # create() isolates them since
    assert [interpreter.own_gil for interpreter in runtime.interpreters] == [True, own, own]
    used = runtime.interpreters[2]
    assert used.gil is not None and not isinstance(used.gil, Absent)
    if interpreter.gil:
        holder = runtime.thread_state_at(used.gil.holder)
        assert holder in used.state.threads and holder is not None
        assert holder.tid == made.truth["crashed"]
    mine = [row for row in rows(session) if row["tid"] == made.truth["crashed"]]
    assert {"interpreter 0", "interpreter 2"} <= {row["python"] for row in mine}
    assert [row["python"] for row in mine if row["holds_gil"]] == (
        ["interpreter 2"] if interpreter.gil else []
    )


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_ghosts_and_threads_without_python_are_told_apart(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "ghosts")
    thread_rows = rows(session)
    ghosts = {row["ident"]: row for row in thread_rows if row["ghost"]}
    names = {int(ident, 16): row["name"] for ident, row in ghosts.items()}
    assert names == dict(made.truth["ghosts"])
    assert all("left by fork()" in row["state"] and not row["crashed"] for row in ghosts.values())
    bare = [row["tid"] for row in thread_rows if row["python"] == "no Python state"]
    assert len(bare) == 1 and made.truth["native"] in (None, bare[0])
    assert [row["tid"] for row in thread_rows if row["crashed"]] == [made.truth["crashed"]]
