# SPDX-License-Identifier: Apache-2.0
"""asyncio tasks of real cores, against what each process wrote about them before it died."""

from __future__ import annotations

import random
import time
from argparse import Namespace
from typing import Any

import pytest
from support.interpreters import Interpreter, spread
from support.mutate import MutatedTarget
from support.opening import open_target

from commands.tasks import show_tasks as tasks_command
from gdb_epi.cpython.running.tasks import Tasks, read_asyncio_tasks
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import stacks_json
from gdb_epi.session import Session

INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("tasks")]
HOSTILE = (0, 1, 3, 7, 64, 0x1000, 1 << 31, 1 << 40, 1 << 60, 1 << 63, (1 << 64) - 1)
ROUNDS = 60
MAX_SECONDS = 5.0  # of processor time for all tasks of a process; far above what was seen


def decode(target: Any, state: ProcessState) -> Tasks:
    assert isinstance(state.python, PythonState), state.python
    return read_asyncio_tasks(target, state.python)


def shown(frame: PyFrame) -> list[Any]:
    assert frame.hole is None
    return [frame.name, frame.qualname, frame.filename, frame.lineno]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_names_coroutines_and_stacks(interpreter: Interpreter) -> None:
    made, target = open_target(interpreter, "coroutines")
    decoded = decode(target, ProcessState(target))
    assert decoded.soft_errors == ()
    truths = {task["name"]: task for task in made.truth["tasks"]}
    assert len(truths) == 6
    assert sorted(str(task.name) for task in decoded.tasks) == sorted(truths)
    for task in decoded.tasks:
        truth = truths[str(task.name)]
        assert (task.coro, task.running) == (truth["coroutine"], truth["running"])
        assert task.state == "pending"
        outermost_first = [shown(frame) for frame in task.stack][::-1]
        if task.running:
            # A running coroutine says nothing of what it awaits; its thread does.
            assert outermost_first[0] == truth["frames"][0]
            assert [frame[0] for frame in outermost_first] == ["branch", "leaf", "die"]
        else:
            assert outermost_first == truth["frames"]


@pytest.mark.parametrize("interpreter", INTERPRETERS[:2])
def test_suspended_tasks_have_values_too(interpreter: Interpreter) -> None:
    """They are on no thread's stack; no command showed what the task that hangs had in hand."""
    _, target = open_target(interpreter, "coroutines")
    tasks = {t["name"]: t for t in stacks_json(ProcessState(target), locals=True)["tasks"]}
    frames = {frame["name"]: frame["locals"] for frame in tasks["waiter-1"]["stack"]}
    assert frames["waiter"] == {"seconds": "101"} == frames["sleep_inside"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_what_they_wait_for(interpreter: Interpreter) -> None:
    _, target = open_target(interpreter, "coroutines")
    state = ProcessState(target)
    decoded = {str(task.name): task for task in decode(target, state).tasks}
    doomed = decoded["doomed"]
    assert doomed.running and doomed.awaits == "" and doomed.tid == state.crashed_tid()
    for name, task in decoded.items():
        if name.startswith("waiter-"):
            assert task.awaits == "_asyncio.Future"
            assert task.waits_for != 0
        elif task is not doomed:
            assert task.awaits == "asyncio.tasks._GatheringFuture"


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_stacks_and_the_command_show_them(interpreter: Interpreter) -> None:
    made, target = open_target(interpreter, "coroutines")
    session = Session(target)
    stacks = stacks_json(session.state)
    assert {task["name"]: task["coro"] for task in stacks["tasks"]} == {
        task["name"]: task["coroutine"] for task in made.truth["tasks"]
    }
    report = tasks_command(session, Namespace(limit=40, tree=False, each=False))
    assert report.data is not None and report.data["tasks"] == stacks["tasks"]
    text = "\n".join(report.lines)
    for name in ("doomed  branch  running in thread", "py  sleep_inside ", "py  main "):
        assert name in text


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_three_loops_and_every_state(interpreter: Interpreter) -> None:
    """Of a living thread, of an ended one and of the main thread; generators in the chains."""
    made, target = open_target(interpreter, "loops")
    decoded = decode(target, ProcessState(target))
    assert decoded.soft_errors == ()
    by_name = {str(task.name): task for task in decoded.tasks}
    truths = {task["name"]: task for task in made.truth["tasks"]}
    assert {"living", "ended", "never-started", "by-generator", "in-turns"} <= set(truths)
    missing = set(truths) - set(by_name)
    # 3.14 (gh-107803) takes done tasks off its lists; before, they are there until collected.
    assert all(truths[name]["state"] != "pending" for name in missing)
    assert not missing or interpreter.minor >= (3, 14)
    # Beside those that the program kept: the main tasks of the two asyncio.run().
    others = {by_name[name].coro for name in set(by_name) - set(truths)}
    assert others == {"main", "of_living_thread"}
    for name in set(truths) - missing:
        task, truth = by_name[name], truths[name]
        assert (task.coro, task.state) == (truth["coroutine"], truth["state"])
        assert not task.running
        outermost_first = [shown(frame) for frame in task.stack][::-1]
        assert outermost_first == [frame for _, frame in truth["frames"]]
    if "failed" in by_name:
        assert by_name["failed"].failure.startswith("ValueError in failing (loops.py:")
        assert by_name["failed"].unseen and by_name["finished"].failure == ""
    assert by_name["other"].awaits == "task first"
    assert by_name["never-started"].awaits == by_name["in-turns"].awaits == ""
    assert [task.coro for task in decoded.tasks if task.running] == ["main"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_no_asyncio_no_tasks(interpreter: Interpreter) -> None:
    _, target = open_target(interpreter, "simple")
    assert decode(target, ProcessState(target)) == Tasks((), ())


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_damaged_tasks_end(interpreter: Interpreter) -> None:
    """Words of tasks, coroutines and frames replaced by hostile ones: no exception, and soon."""
    _, target = open_target(interpreter, "coroutines")
    state = ProcessState(target)
    intact = decode(target, state)
    chosen = random.Random(interpreter.id)
    places = [task.address for task in intact.tasks]
    places += [frame.address for task in intact.tasks for frame in task.stack]
    changed = 0
    for _ in range(ROUNDS):
        mutated = MutatedTarget(target)
        for _ in range(chosen.randrange(3, 9)):
            at = chosen.choice(places) + 8 * chosen.randrange(24)
            mutated.put_word(at, chosen.choice((*HOSTILE, *places)))
        start = time.process_time()
        decoded = decode(mutated, state)
        assert time.process_time() - start < MAX_SECONDS
        changed += decoded != intact
    assert changed > ROUNDS // 4, "the damage hits what is decoded"
