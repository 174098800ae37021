# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom among asyncio tasks, against the program and against asyncio itself."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import pytest
from support.cores import Made
from support.interpreters import Interpreter, spread
from support.opening import open_session

from commands.tasks import show_tasks as tasks_command
from gdb_epi.cpython.running import tasks as tasks_module
from gdb_epi.cpython.running.tasks import Tasks, read_asyncio_tasks
from gdb_epi.cpython.types import PythonState
from gdb_epi.session import Session

INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("taskgraph")]
EAGER = [
    pytest.param(interpreter, id=interpreter.id)
    for interpreter in spread("taskgraph-eager", lambda interpreter: interpreter.minor >= (3, 12))
]


def decode(session: Session) -> Tasks:
    python = session.state.python
    assert isinstance(python, PythonState), python
    asyncio_tasks = read_asyncio_tasks(session.target, python)
    assert asyncio_tasks.soft_errors == ()
    return asyncio_tasks


def edges(tasks: Tasks) -> dict[str, list[str]]:
    names = {task.address: str(task.name) for task in tasks.tasks}
    return {
        str(task.name): sorted(names[waiter] for waiter in task.awaited_by)
        for task in tasks.tasks
        if task.coro != "main"
    }


def assert_like_asyncio(tasks: Tasks, made: Made) -> None:
    """3.14+ says itself who waits; it leaves out tasks that are written in Python."""
    graph = made.truth["graph"]
    if graph is not None:
        kept = {name: who for name, who in edges(tasks).items() if name not in made.truth["python"]}
        assert kept == {name: who for name, who in graph.items() if name in kept}


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_who_waits_for_whom(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "taskgraph")
    tasks = decode(session)
    assert edges(tasks) == made.truth["edges"]
    assert_like_asyncio(tasks, made)
    assert (made.truth["graph"] is not None) == (interpreter.minor >= (3, 14))


@pytest.mark.parametrize("interpreter", EAGER)
def test_eager_tasks_wait_like_others(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "taskgraph-eager")
    tasks = decode(session)
    assert_like_asyncio(tasks, made)
    assert edges(tasks) == made.truth["edges"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_what_follows_is_what_asyncio_wrote_down(
    interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the words of 3.14+, callbacks and futures give the same graph."""
    made, session = open_session(interpreter, "taskgraph")
    plain = tasks_module.find_awaiting_tasks

    def derived(*args: Any) -> Any:
        return plain(*args, derived=True)

    monkeypatch.setattr(tasks_module, "find_awaiting_tasks", derived)
    assert edges(decode(session)) == made.truth["edges"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_tasks_written_in_python(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "taskgraph")
    tasks = decode(session)
    assert sorted(str(t.name) for t in tasks.tasks if t.kind == "Python") == made.truth["python"]
    for task in tasks.tasks:
        assert task.state == "pending" and task.loop and task.stack
    own = next(task for task in tasks.tasks if task.name == "python")
    assert own.coro == "directly" and own.awaits == "task python-leaf"


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_tree_shows_every_task_below_its_waiters(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "taskgraph")
    report = tasks_command(session, Namespace(limit=40, tree=True, each=True))
    assert report.data is not None
    lines = list(report.lines)
    parents: dict[str, set[str]] = {}
    path: list[tuple[int, str]] = []
    for line in lines:
        if "(T) " not in line:
            continue
        depth, name = line.index("(T) "), line.split("(T) ")[1].split("  ")[0]
        while path and path[-1][0] >= depth:
            path.pop()
        parents.setdefault(name, set()).update([path[-1][1]] if path else [])
        path.append((depth, name))
    waiters_by_name = {name: set(waiters) for name, waiters in made.truth["edges"].items()}
    main = next(name for name in parents if name not in waiters_by_name)
    assert parents.pop(main) == set()
    assert parents == waiters_by_name
    text = "\n".join(lines)
    assert "cycle: yin -> yang -> yin" in text or "cycle: yang -> yin -> yang" in text


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_tasks_while_the_interpreter_is_torn_down(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "finalization-tasks")
    python = session.state.python
    assert isinstance(python, PythonState) and python.finalizing
    asyncio_tasks = read_asyncio_tasks(session.target, python)
    names = sorted(str(task.name) for task in asyncio_tasks.tasks)
    if interpreter.free_threaded and not names:
        assert any("no list" in error.message for error in asyncio_tasks.soft_errors)
        return
    assert names == made.truth["tasks"]
