# SPDX-License-Identifier: Apache-2.0
"""`epi tasks` as text: what runs comes first, and what is alike is said once."""

from __future__ import annotations

from argparse import Namespace
from types import SimpleNamespace

import pytest

from commands import tasks as module
from gdb_epi.cpython.running.tasks import Task, Tasks
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import SoftError
from gdb_epi.render import task_tree

WAITS = PyFrame(8, 16, "fetch", "fetch", "/srv/app.py", 4, "__main__", "generator", "dumped", False)
RUNS = WAITS._replace(name="main", qualname="main", lineno=9)


def task(number: int, *, running: bool = False, line: int = 4) -> Task:
    """A task of the loop at 0x10."""
    stack = (RUNS,) if running else (WAITS._replace(lineno=line),)
    name = "Task-1" if running else f"fetch-{number}"
    coro, tid, awaits = ("main", 77, "") if running else ("fetch", None, "_asyncio.Future")
    return Task(number, 0, name, coro, "pending", running, tid, awaits, 0, stack, loop=0x10)


def lines(
    monkeypatch: pytest.MonkeyPatch,
    tasks: list[Task],
    *,
    each: bool = False,
    tree: bool = False,
    gaps: tuple[SoftError, ...] = (),
) -> list[str]:
    python = SimpleNamespace(found_by="symbol")
    state = SimpleNamespace(python_soft_errors=list, python=python, required_python=lambda: python)
    monkeypatch.setattr(
        task_tree, "read_tasks_and_waits", lambda _: (Tasks(tuple(tasks), gaps), {})
    )
    report = module.show_tasks(
        SimpleNamespace(state=state), Namespace(limit=40, tree=tree, each=each)
    )
    assert report.data is not None and len(report.data["tasks"]) == len(tasks)
    return list(report.lines)


FOUND = [*(task(n) for n in range(11, 0, -1)), task(99, line=5), task(100, running=True)]


def test_tasks_that_wait_at_one_place_stand_together(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(monkeypatch, FOUND) == [
        "Task-1  main  running in thread 77",
        "    py  main  /srv/app.py:9",
        "11 tasks alike: fetch-1, fetch-2, fetch-3, fetch-4, fetch-5, fetch-6, fetch-7, fetch-8 "
        "and 3 more (--each)",
        "  fetch  pending  waits for a future",
        "    py  fetch  /srv/app.py:4",
        "fetch-99  fetch  pending  waits for a future",
        "    py  fetch  /srv/app.py:5",
    ]


def test_each_shows_them_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = lines(monkeypatch, FOUND, each=True)
    assert len(shown) == 2 * len(FOUND) and not any("alike" in line for line in shown)
    assert shown[0].startswith("Task-1") and "fetch-11  fetch  pending" in shown[2]


def test_no_more_is_claimed_than_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(monkeypatch, []) == ["no tasks of asyncio or trio"]
    gap = SoftError("tasks", "interpreter 0", "sys.modules: cannot read 8 bytes")
    message = "no tasks of asyncio or trio in what could be read; what could not is noted below"
    assert lines(monkeypatch, [], gaps=(gap,)) == [message]


CHAIN = "fetch (app.py:4)"


def server(*, shared: bool = False) -> list[Task]:
    """Task 1 waits for twelve handlers, each of which waits for a task of its own, or for one."""
    main = task(1)._replace(name="main", coro="serve", stack=())
    handlers = [
        task(n)._replace(
            name=f"h{n}", awaited_by=(1,), awaits=f"task t{0 if shared else n}", awaits_task=True
        )
        for n in range(100, 112)
    ]
    if shared:
        waiters = tuple(handler.address for handler in handlers)
        return [main, *handlers, task(200)._replace(name="t0", awaited_by=waiters)]
    return [main, *handlers] + [
        task(n + 100)._replace(name=f"t{n}", awaited_by=(n,)) for n in range(100, 112)
    ]


@pytest.mark.parametrize("shared", [False, True])
def test_alike_siblings_of_a_tree_are_one_entry(
    monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    names = ", ".join(f"h{n}" for n in range(100, 108))
    awaited = "task t0" if shared else "a task each"
    leaf = "t0" if shared else "t100"
    assert lines(monkeypatch, server(shared=shared), tree=True) == [
        "(T) main  serve  pending  waits for a future",
        f"└── (T) 12 tasks alike: {names} and 4 more (--each)",
        f"    │     fetch  pending  waits for {awaited}",
        f"    │     {CHAIN}",
        f"    └── (T) {leaf}  fetch  pending  waits for a future",
        f"              {CHAIN}",
    ]


@pytest.mark.parametrize("shared", [False, True])
def test_each_draws_every_task(monkeypatch: pytest.MonkeyPatch, shared: bool) -> None:
    shown = lines(monkeypatch, server(shared=shared), tree=True, each=True)
    heads = [line.split("(T) ")[1].split("  ")[0] for line in shown if "(T) " in line]
    assert heads[0] == "main" and len(heads) == 25 and not any("alike" in line for line in shown)
    assert sum("(shown above)" in line for line in shown) == 11 * shared


def test_what_differs_below_is_not_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    made = server()
    made[-1] = made[-1]._replace(stack=(RUNS,))
    shown = lines(monkeypatch, made, tree=True)
    assert any("11 tasks alike: h100" in line for line in shown)
    assert any("(T) h111 " in line for line in shown) and any("(T) t111 " in line for line in shown)
    made[5] = made[5]._replace(running=True, tid=9)
    assert any("10 tasks alike" in line for line in lines(monkeypatch, made, tree=True))


def test_a_circle_and_roots_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = [task(n)._replace(name=f"r{n}", awaited_by=(n % 3 + 1,)) for n in (1, 2, 3)]
    roots = [task(n)._replace(name=f"root{n}") for n in range(50, 53)]
    shown = lines(monkeypatch, ring + roots, tree=True)
    assert shown[0] == "(T) 3 tasks alike: root50, root51, root52"
    assert [line for line in shown if line.startswith("cycle: ")] == ["cycle: r1 -> r3 -> r2 -> r1"]
    assert all(sum(f"(T) r{n} " in line for line in shown) == 1 + (n == 1) for n in (1, 2, 3))


def test_a_long_chain_of_tasks_is_no_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = [task(n)._replace(name=f"c{n}", awaited_by=(n - 1,)) for n in range(1, 3_000)]
    shown = lines(monkeypatch, chain, tree=True)
    assert sum("(T) c" in line for line in shown) == len(chain)


def test_a_task_that_failed_is_not_only_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = task(5)._replace(state="finished", stack=(), awaits="")
    failed = ended._replace(address=6, failure="ValueError in f (a.py:3)", unseen=True)
    shown = lines(monkeypatch, [ended, failed])
    assert shown == [
        "fetch-5  fetch  finished",
        "fetch-5  fetch  failed: ValueError in f (a.py:3)",
    ]
