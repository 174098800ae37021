# SPDX-License-Identifier: Apache-2.0
"""Forked children, against what their parents wrote about the fork before they ended them."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from support.cores import Program
from support.forks import fork_programs
from support.interpreters import Interpreter, discover, spread
from support.opening import made_or_skip, target_of

from gdb_epi.analysis import analyze
from gdb_epi.locks.fork.vanished_pools import find_vanished_pools
from gdb_epi.locks.types import VanishedThread
from gdb_epi.session import Session

CELLS = [
    pytest.param((interpreter, program), id=f"{interpreter.id}-{program.name}")
    for program in fork_programs()
    for interpreter in spread(program.name, program.supports, every=6)
]
# Programs whose child lives on the stacks of the threads that vanished.
REUSING = frozenset(("reused-stacks", "order-deadlock-in-child", "self-deadlock-rlock-thread"))
STAGES = {
    "child": ("Python hook", "in the child"),
    "before": ("Python hook", "before the fork"),
    "preexec": ("before exec", "in the child"),
    "c": ("pthread_atfork handlers", "in the child"),
}


class Cell(NamedTuple):
    """One program on one interpreter: what it told, and its core."""

    program: Program
    truth: dict[str, Any]
    session: Session


def open_cell(interpreter: Interpreter, program: Program) -> Cell:
    made = made_or_skip(interpreter, program)
    core = target_of(made)
    return Cell(program, made.truth["fork"], Session(core))


@pytest.fixture(scope="module", params=CELLS)
def cell(request: pytest.FixtureRequest) -> Cell:
    return open_cell(*request.param)


def frames_of(thread: VanishedThread) -> list[list[Any]]:
    return [[f.name, f.qualname, f.filename, f.lineno] for f in thread.frames]


def test_the_fork_is_told_as_it_was(cell: Cell) -> None:
    truth, session = cell.truth, cell.session
    fork = session.state.locks.fork
    assert fork.forked is truth["forked"]
    assert fork.depth == truth["depth"]
    assert fork.from_main_thread is truth["from_main"]
    assert fork.hooks_bypassed is truth["bypass"]
    # What cannot be told is None; it is never told wrongly.
    assert fork.parent_multithreaded in (truth["multithreaded"], None)
    if truth["vanished"]:
        assert fork.parent_multithreaded is True
    if truth.get("method"):
        assert fork.started_by is not None and f" by {truth['method']} as task" in fork.started_by
    else:
        assert fork.started_by is None
    assert [reading.name for reading in fork.readings] == [f"F{n}" for n in range(1, 16)]


def test_vanished_threads_and_their_tracebacks(cell: Cell) -> None:
    truth, session = cell.truth, cell.session
    vanished = session.state.locks.vanished
    by_name = {thread.name: thread for thread in vanished.threads}
    truth_by_name = {thread["name"]: thread for thread in truth["vanished"]}
    assert set(by_name) <= set(truth_by_name), "a thread that did not vanish is said to have"
    if cell.program.name in REUSING:
        assert vanished.at_least
    else:
        assert set(by_name) == set(truth_by_name)
    for name, vanished_thread in by_name.items():
        assert vanished_thread.tid == truth_by_name[name]["native_id"]
        assert vanished_thread.ident == truth_by_name[name]["ident"]
        if truth_by_name[name]["frames"] is not None:
            assert frames_of(vanished_thread) == truth_by_name[name]["frames"]


def test_the_handlers_that_run_around_a_fork(cell: Cell) -> None:
    truth, session = cell.truth, cell.session
    handlers = session.state.locks.handlers
    if truth["handlers"] is None:
        assert handlers is None
    else:
        assert handlers is not None
        assert (handlers.stage, handlers.when) == STAGES[truth["handlers"]]


def test_pools_without_workers(cell: Cell) -> None:
    truth, session = cell.truth, cell.session
    kinds = [pool.kind for pool in find_vanished_pools(session.state.locks.vanished)]
    if truth.get("role"):
        assert len(kinds) == 1 and truth["role"] in kinds[0]
    else:
        assert kinds == []


def test_inherited_locks_are_found_and_nothing_else(cell: Cell) -> None:
    truth, session = cell.truth, cell.session
    record = analyze(session)
    locks = [f for f in record["findings"] if f["detector"] == "forked_child_lock"]
    lost = [f for f in record["findings"] if f["detector"] == "lost_wakeup"]
    # A semaphore has no holder: its wait is one for a notification.
    held = truth.get("hold") if cell.program.name != "fork-semaphore" else None
    assert bool(locks) is bool(held)
    assert bool(lost) is (
        truth.get("verdict") == "lost-wakeup" or cell.program.name == "fork-semaphore"
    )
    for finding in locks:
        assert finding["facts"]["confidence"] == "certain"
        names = [name.rpartition(".")[2] for name in finding["facts"]["holder"]["frames"]]
        assert held in names
        wait = next(w for w in record["waits"] if w["verdict"] == finding["facts"]["verdict"])
        holder = record["fork"]["vanished"]["threads"][wait["holder_vanished"]]
        assert held in [frame["name"] for frame in holder["frames"]]
        assert len(wait["holder_python_stack_hash"]) == 16


def test_each_run_has_a_lineage_of_its_own() -> None:
    names_found = set()
    names = ("fork-lock", "fork-rlock", "fork-queue")
    interpreter = discover()[0]
    for program in fork_programs():
        if program.name in names:
            names_found.add(open_cell(interpreter, program).session.state.locks.fork.lineage)
    assert len(names_found) == len(names) and None not in names_found
