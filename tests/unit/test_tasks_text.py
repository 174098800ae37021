# SPDX-License-Identifier: Apache-2.0
"""`epi tasks` as text: what runs comes first, and what is alike is said once."""

from __future__ import annotations

from argparse import Namespace
from types import SimpleNamespace

import pytest

from commands import tasks as module
from gdb_epi.cpython.tasks import Task, Tasks
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import SoftError

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
    found: list[Task],
    *,
    each: bool = False,
    gaps: tuple[SoftError, ...] = (),
) -> list[str]:
    state = SimpleNamespace(python_soft_errors=list, python=SimpleNamespace(found_by="symbol"))
    monkeypatch.setattr(module, "tasks_of", lambda _: Tasks(tuple(found), gaps))
    report = module.tasks(SimpleNamespace(state=state), Namespace(limit=40, tree=False, each=each))
    assert report.data is not None and len(report.data["tasks"]) == len(found)
    return list(report.lines)


FOUND = [*(task(n) for n in range(11, 0, -1)), task(99, line=5), task(100, running=True)]


def test_tasks_that_wait_at_one_place_stand_together(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(monkeypatch, FOUND) == [
        "Task-1  main  pending  running in thread 77",
        '    File "/srv/app.py", line 9, in main',
        "11 tasks alike: fetch-1, fetch-2, fetch-3, fetch-4, fetch-5, fetch-6, fetch-7, fetch-8 "
        "and 3 more (--each)",
        "  fetch  pending  awaits _asyncio.Future",
        '    File "/srv/app.py", line 4, in fetch',
        "fetch-99  fetch  pending  awaits _asyncio.Future",
        '    File "/srv/app.py", line 5, in fetch',
    ]


def test_each_shows_them_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = lines(monkeypatch, FOUND, each=True)
    assert len(shown) == 2 * len(FOUND) and not any("alike" in line for line in shown)
    assert shown[0].startswith("Task-1") and "fetch-11  fetch  pending" in shown[2]


def test_no_more_is_claimed_than_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(monkeypatch, []) == ["no asyncio tasks"]
    gap = SoftError("tasks", "interpreter 0", "sys.modules: cannot read 8 bytes")
    told = "no asyncio tasks in what could be read; what could not is noted below"
    assert lines(monkeypatch, [], gaps=(gap,)) == [told]
