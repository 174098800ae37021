# SPDX-License-Identifier: Apache-2.0
"""Tasks that wait for each other's events, by the calls that code has yet to make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import pytest

from gdb_epi.cpython.running.frame_waits import TaskWait
from gdb_epi.cpython.running.unfinished_tasks import BY_CODE, UNKNOWN, UnfinishedTask
from gdb_epi.cpython.running.wait_rules import EVENT, LOCK, QUEUE_GET
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import UnreadableMemory
from gdb_epi.hangs.deadlocks import _name_of_holder
from gdb_epi.hangs.installed_packages import InstalledPackages
from gdb_epi.hangs.tasks import (
    MAX_SETTERS,
    add_wakers_from_code,
    find_task_cycle,
    held_up_clause,
    tasks_clause,
)

FIRST, SECOND = 0x1000, 0x2000  # the events
FRAME = PyFrame(0, 8, "step", "step", "/srv/app.py", 4, "__main__", "generator", "dumped", False)
PAYER, PAYEE, THREAD = (FRAME._replace(address=number) for number in (1, 2, 3))


class NoPackages:
    def contains_frame(self, _frame: PyFrame) -> bool:
        return False


def tasks_with_setters(
    threads: Iterable[PyFrame],
    *,
    broken: PyFrame | None = None,
    of_payer: int = FIRST,
    of_payee: int = SECOND,
) -> list[UnfinishedTask]:
    """Return two tasks; by default each has yet to set what the other waits for."""
    sets = {PAYER: [(of_payer, "set")], PAYEE: [(of_payee, "set")]}

    def calls_ahead(frame: PyFrame) -> Iterable[tuple[int, str]]:
        if frame == broken:
            raise UnreadableMemory(frame.address, 8, "not in the core")
        return sets.get(frame, [])

    tasks = [
        UnfinishedTask(
            1, "asyncio", "payer", False, None, (PAYER,), TaskWait(EVENT, address=SECOND)
        ),
        UnfinishedTask(
            2, "asyncio", "payee", False, None, (PAYEE,), TaskWait(EVENT, address=FIRST)
        ),
    ]
    return add_wakers_from_code(tasks, threads, calls_ahead, cast(InstalledPackages, NoPackages()))


def test_each_would_set_what_the_other_waits_for() -> None:
    tasks = tasks_with_setters([THREAD])
    assert [task.certainty for task in tasks] == [BY_CODE, BY_CODE]
    assert {task.name for task in find_task_cycle(tasks)} == {"payer", "payee"}


@pytest.mark.parametrize("broken", [THREAD, PAYER], ids=["of a thread", "of a task"])
def test_code_that_cannot_be_read_may_set_it(broken: PyFrame) -> None:
    """A damaged frame of a thread was once taken for one that sets nothing: a deadlock was told."""
    tasks = tasks_with_setters([THREAD], broken=broken)
    assert {task.certainty for task in tasks} == {UNKNOWN} and not find_task_cycle(tasks)


def test_nothing_is_told_where_there_is_too_much_code() -> None:
    tasks = tasks_with_setters(
        THREAD._replace(address=8 * n) for n in range(100, 101 + MAX_SETTERS)
    )
    assert {task.certainty for task in tasks} == {UNKNOWN}


def test_a_task_that_sets_its_own_event_later_waits_for_somebody_else() -> None:
    """It was once said to hold that event itself, and to be in a deadlock."""
    tasks = tasks_with_setters([THREAD], of_payer=SECOND, of_payee=FIRST)
    assert {task.certainty for task in tasks} == {UNKNOWN} and not find_task_cycle(tasks)


@pytest.mark.parametrize(
    ("name", "holder", "words"),
    [
        ("payer", "payee", "task payee"),
        ("debit", "debit", "another of that name"),
        ("0x7f12", "0x7f34", "another one"),  # "of that name" was said of what has none
    ],
)
def test_who_holds_what_a_task_waits_for(name: str, holder: str, words: str) -> None:
    task = UnfinishedTask(1, "asyncio", name, False, None, (), None)
    assert _name_of_holder(task, task._replace(id=2, name=holder)) == words


@pytest.mark.parametrize("named", [1, 6, 0])
def test_one_of_the_tasks_that_are_told_says_what_it_is_about(named: int) -> None:
    """Its name was among those that are only counted. Tasks with more frames come first."""
    tasks = [
        UnfinishedTask(n, "asyncio", f"t{n}", False, None, (FRAME,) * (9 - n),
                TaskWait(EVENT, name="ledger.closed" if n == named else ""))
        for n in range(1, 8)
    ]  # fmt: skip
    clause = tasks_clause(tasks, cast(InstalledPackages, NoPackages()))
    about = {
        0: ["tasks t1, t2, t3 and 4 more wait at step (app.py:4) for an event"],
        1: ["task t1 waits at step (app.py:4) for an event (ledger.closed)",
            "tasks t2, t3, t4 and 3 more wait at step (app.py:4) for an event"],
        6: ["tasks t1, t2, t3 and 3 more wait at step (app.py:4) for an event",
            "task t6 waits at step (app.py:4) for an event (ledger.closed)"],
    }  # fmt: skip
    assert clause.split("; ") == about[named]


def waiting(n: int, name: str, kind: str, *wakers: int) -> UnfinishedTask:
    wait = TaskWait(kind, name="self.lock" if kind == LOCK else "")
    return UnfinishedTask(n, "asyncio", name, False, None, (FRAME,), wait, wakers)


HOLDER = waiting(1, "refresher", QUEUE_GET)
REQUESTS = [waiting(n, f"req-{n}", LOCK, 1) for n in (10, 9, 11, 2)]  # as a set has them


def test_the_holder_of_what_tasks_wait_for_is_named_and_why_it_does_not_go_on() -> None:
    """`epi tasks` knew the holder; the answer that everybody reads did not."""
    packages = cast(InstalledPackages, NoPackages())
    assert held_up_clause([*REQUESTS, HOLDER], packages) == (
        "4 tasks wait for a lock that task refresher holds, which waits for an item of a queue at "
        "step (app.py:4)"
    )
    assert tasks_clause([*REQUESTS, HOLDER], packages).split("; ")[1] == (
        "tasks req-2, req-9, req-10 and 1 more wait at step (app.py:4) for a lock (self.lock), "
        "held by task refresher"
    )


@pytest.mark.parametrize(
    "tasks",
    [
        [HOLDER, waiting(2, "b", QUEUE_GET)],
        [waiting(1, "a", LOCK, 2), waiting(2, "b", LOCK, 1)],  # a circle has its own answer
        [waiting(1, "a", LOCK, 77)],  # the holder runs, or has ended
    ],
    ids=["no lock", "a circle", "holder not among them"],
)
def test_without_a_holder_that_waits_nobody_is_said_to_hold_up_others(
    tasks: list[UnfinishedTask],
) -> None:
    assert held_up_clause(tasks, cast(InstalledPackages, NoPackages())) == ""
