# SPDX-License-Identifier: Apache-2.0
"""What tasks and greenlets of real cores wait for, against what each process wrote before it died.

The ordinary run has one process with every scenario of a library; the heavy one has a process for
each scenario, on every interpreter for which the package index has the library.
"""

from __future__ import annotations

import ast
from typing import Any

import pytest
from support.cores import PROGRAMS, Made, Program, program
from support.interpreters import Interpreter, discover, one_per_minor
from support.opening import made_or_skip, target_of

from gdb_epi.analysis import analyze
from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask, read_unfinished_tasks
from gdb_epi.cpython.types import PythonState
from gdb_epi.process_state import ProcessState
from gdb_epi.render.triage import SHELL, Audience, render_triage
from gdb_epi.session import Session

LIBRARIES = ("asyncio", "trio", "anyio", "anyio-trio", "gevent", "eventlet")
# The newest and the oldest of these at least; a core with all of a library's scenarios.
ORDINARY = {
    "asyncio": ((3, 9), (3, 13)),
    "trio": ((3, 12),),
    "anyio": ((3, 11),),
    "anyio-trio": ((3, 13),),
    "gevent": ((3, 9), (3, 13)),
    "eventlet": ((3, 12),),
}
FIELDS = ("address", "type", "name", "fd", "seconds")
MIN_SCENARIOS = 20  # of each library: the figure of the issue


def wrong(
    truth: dict[str, Any], waits: UnfinishedTask, by_id: dict[int, UnfinishedTask]
) -> list[str]:
    """Return how a decoded wait differs from what the program said."""
    wait = waits.wait
    compared: list[tuple[str, Any, Any]] = [("kind", wait.kind if wait else None, truth["kind"])]
    compared += [(key, getattr(wait, key, None), truth[key]) for key in FIELDS if key in truth]
    if "wakers" in truth:
        names = [by_id[waker].name for waker in waits.wakers if waker in by_id]
        if truth["wakers"] and isinstance(truth["wakers"][0], int):
            compared.append(("wakers", sorted(waits.wakers), sorted(truth["wakers"])))
        else:
            compared.append(("wakers", sorted(names), sorted(truth["wakers"])))
    if "known" in truth:
        compared.append(("known", waits.certainty, truth["known"]))
    if "holds" in truth:
        compared.append(("holds", sorted(waits.holds), sorted(truth["holds"])))
    if "stack" in truth:
        stack = [frame.name for frame in waits.stack][::-1]
        compared.append(("stack", stack[: len(truth["stack"])], truth["stack"]))
    return [f"{what}: {got!r}, not {want!r}" for what, got, want in compared if got != want]


def check(made: Made) -> None:
    assert problems_of(made) == {}


def problems_of(made: Made) -> dict[Any, list[str]]:
    """Return how the decoded waits of a process differ from what it said, by task."""
    state = ProcessState(target_of(made))
    assert isinstance(state.python, PythonState), state.python
    decoded = read_unfinished_tasks(state.target, state.python)
    assert decoded.soft_errors == ()
    by_id = {waits.id: waits for waits in decoded.tasks}
    by_name = {waits.name: waits for waits in decoded.tasks}
    assert made.truth["waits"] or made.program.arguments, "the program has nothing to compare"
    problems = {}
    for wait in made.truth["waits"]:
        waits = by_id.get(wait["who"]) or by_name.get(wait["who"])
        problem = ["it was not found"] if waits is None else wrong(wait, waits, by_id)
        if problem:
            problems[wait["who"]] = problem
    return problems


def scenarios(library: str) -> list[str]:
    """Return the names of a program's scenarios."""
    tree = ast.parse((PROGRAMS / program(f"waits-{library}").file).read_text())
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
        and any(getattr(mark, "id", "") == "scenario" for mark in node.decorator_list)
    ]


def of_one(library: str, scenario: str) -> Program:
    entry = program(f"waits-{library}")
    return entry._replace(name=f"{entry.name}-{scenario}", arguments=(*entry.arguments, scenario))


@pytest.mark.parametrize("library", LIBRARIES)
def test_enough_scenarios(library: str) -> None:
    assert len(scenarios(library)) >= MIN_SCENARIOS


@pytest.mark.parametrize(
    ("library", "interpreter"),
    [
        pytest.param(library, interpreter, id=f"{library}-{interpreter.id}")
        for library in LIBRARIES
        for interpreter in one_per_minor()
        if interpreter.minor in ORDINARY[library]
    ],
)
def test_all_in_one_process(library: str, interpreter: Interpreter) -> None:
    check(made_or_skip(interpreter, program(f"waits-{library}")))


def test_the_record_and_triage_count_them() -> None:
    interpreter = next(
        (interpreter for interpreter in one_per_minor() if interpreter.minor == (3, 12)), None
    )
    if interpreter is None:
        pytest.skip("no CPython 3.12 is on this machine")
    made = made_or_skip(interpreter, program("waits-trio"))
    record = analyze(Session(target_of(made)))
    tasks = record["tasks"]
    kinds = {each["who"]: each["kind"] for each in made.truth["waits"]}
    counts = {wait["kind"]: wait["count"] for wait in tasks["waits"]}
    # Beside those that the program tells of there are the holders of its locks.
    assert tasks["asyncio"] == 0 and tasks["trio"] > len(kinds) and tasks["running"] == 1
    for kind in ("lock", "condition", "process", "thread", "queue-get", "queue-put"):
        assert counts[kind] == list(kinds.values()).count(kind), kind
    (line,) = [line for line in render_triage(record, Audience(SHELL)) if line.startswith("Tasks")]
    assert f"{tasks['trio']} trio tasks: " in line and " wait for " in line


@pytest.mark.heavy
@pytest.mark.parametrize("loop", ["uvloop", "gevent-libuv"])
@pytest.mark.parametrize(
    "interpreter", [pytest.param(each, id=each.id) for each in one_per_minor()]
)
def test_on_another_loop(interpreter: Interpreter, loop: str) -> None:
    entry = program(f"waits-{loop}")
    if not entry.supports(interpreter):
        pytest.skip(f"{loop} has no release for {interpreter.id}")
    made = made_or_skip(interpreter, entry)
    problems = problems_of(made)
    # uvloop's sockets and libuv's watchers are C objects of their own: less is said, nothing wrong.
    assert len(problems) <= 3 and len(made.truth["waits"]) >= MIN_SCENARIOS
    for texts in problems.values():
        says_less = texts[0].startswith(("kind: None", "kind: 'future'"))
        assert says_less or all(": None, not" in text for text in texts), problems


@pytest.mark.heavy
@pytest.mark.parametrize("scenario", [(lib, name) for lib in LIBRARIES for name in scenarios(lib)])
@pytest.mark.parametrize("interpreter", [pytest.param(each, id=each.id) for each in discover()])
def test_each_in_a_process_of_its_own(interpreter: Interpreter, scenario: tuple[str, str]) -> None:
    library, name = scenario
    entry = of_one(library, name)
    if not entry.supports(interpreter):
        pytest.skip(f"{library} has no release for {interpreter.id}")
    check(made_or_skip(interpreter, entry))
