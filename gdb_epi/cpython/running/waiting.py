# SPDX-License-Identifier: Apache-2.0
"""What every task and greenlet waits for, and who would wake it: one shape for all libraries.

`waiting(target, python)` is what a judgement of hangs reads. A waker is certain where the library
says it (a task that is awaited, the owner that a lock names), read from frames where the program's
code is inside `async with LOCK` or `with LOCK`, and unknown otherwise: anything that has the object
may set an event or put into a queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gdb_epi.cpython.frames.coroutines import COROUTINES, Coroutines
from gdb_epi.cpython.running.tasks import Task, asyncio_tasks
from gdb_epi.cpython.running.trio_tasks import trio_tasks
from gdb_epi.cpython.running.wait_rules import (
    CONDITION,
    LOCK,
    LOOP,
    OTHER,
    PROCESS,
    READ,
    RUN_QUEUE,
    SIGNAL,
    SLEEP,
    TASK,
    TASKS,
    THREAD,
    WRITE,
)
from gdb_epi.cpython.running.waits import Wait, WaitReader
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import Absent, EpiError, SoftError
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

# How `wakers` are known.
CERTAIN, BY_FRAMES, OUTSIDE, UNKNOWN = "certain", "by frames", "outside", "unknown"
FROM_OUTSIDE = (SLEEP, READ, WRITE, PROCESS, THREAD, LOOP, RUN_QUEUE, SIGNAL)

_GATHERING = "asyncio.tasks._GatheringFuture"
_EXITS = ("__aexit__", "__exit__")
MAX_MANAGERS = 1000  # `with` blocks of one stack
MAX_GENERATORS = 50  # of context managers that are generators, inside each other


class Waiting(NamedTuple):
    """One task or greenlet that has not ended.

    `wait` is None when it runs, was never started or waits for nothing that can be told. `wakers`
    are ids of tasks and greenlets: with `needs` "all" each of them has to do something (a gather(),
    a nursery), with "any" one is enough. `known` says how far to trust them: CERTAIN, BY_FRAMES,
    OUTSIDE (time, a descriptor, a thread, a process: no task), UNKNOWN (then `wakers` is empty).
    `holds` are the objects whose `async with` or `with` block it is inside.
    """

    id: int  # address of the task or greenlet (PyObject *)
    framework: str  # "asyncio", "trio", "gevent", "eventlet", "greenlet"
    name: str
    running: bool
    tid: int | None
    stack: tuple[PyFrame, ...]  # innermost first
    wait: Wait | None = None
    wakers: tuple[int, ...] = ()
    known: str = UNKNOWN
    needs: str = "any"
    holds: tuple[int, ...] = ()


class AllWaiting(NamedTuple):
    """Everything that waits, and what could not be had."""

    all: tuple[Waiting, ...]
    soft_errors: tuple[SoftError, ...]


def waiting(target: Target, python: PythonState) -> AllWaiting:
    """Return what every task of asyncio and trio, and every greenlet, waits for.

    Never raises for damage.
    """
    listings = (asyncio_tasks(target, python), trio_tasks(target, python))
    errors = [error for listing in listings for error in listing.soft_errors]
    tasks = [task for listing in listings for task in listing.tasks]
    found = list(waits_of_tasks(target, python, tasks)) if tasks else []
    return AllWaiting(tuple(found), tuple(errors))


def waits_of_tasks(target: Target, python: PythonState, tasks: Sequence[Task]) -> list[Waiting]:
    """Return what these tasks wait for, those that have ended left out."""
    reader = WaitReader(target, python)
    managers = Managers(reader)
    pending = [task for task in tasks if task.state not in ("finished", "cancelled")]
    awaited: dict[int, list[int]] = {}
    for task in pending:
        for waiter in task.awaited_by:
            awaited.setdefault(waiter, []).append(task.address)
    found = [
        _of_task(reader, managers, task, tuple(awaited.get(task.address, ()))) for task in pending
    ]
    return with_holders(reader, found)


def _of_task(
    reader: WaitReader, managers: Managers, task: Task, awaited: tuple[int, ...]
) -> Waiting:
    waits = Waiting(
        id=task.address,
        framework=task.framework,
        name=f"task {task.address:#x}" if isinstance(task.name, Absent) else task.name,
        running=task.running,
        tid=task.tid,
        stack=task.stack,
    )
    if task.running:
        return waits._replace(holds=managers.entered(task.stack, None))
    wait = reader.of_stack(task.stack)
    if task.framework == "asyncio" and (wait is None or wait.kind == OTHER):
        wait = _by_future(reader, task, awaited) or wait
    known, needs = UNKNOWN, "any"
    if wait is not None and wait.kind in (TASK, TASKS):
        known, needs = CERTAIN, "all"
        if not awaited:
            known = UNKNOWN
    else:
        if wait is not None and wait.kind in FROM_OUTSIDE:
            known = OUTSIDE
        awaited = ()
    holds = managers.entered(task.stack, wait)
    return waits._replace(wait=wait, wakers=awaited, known=known, needs=needs, holds=holds)


def _by_future(reader: WaitReader, task: Task, awaited: tuple[int, ...]) -> Wait | None:
    """Return the wait of a task whose own code awaits a future, a task or a gather()."""
    if not task.waits_for:
        return None
    classes = reader.classes(task.waits_for)
    outside = task.stack[0] if task.stack else None
    name = reader.name_of(task.waits_for, outside)
    shown = classes[0] if classes else ""
    if task.waits_for in awaited:
        return Wait(TASK, task.waits_for, shown, name)
    if _GATHERING in classes:
        return Wait(TASKS, task.waits_for, shown, name, "asyncio.gather")
    if awaited:
        return Wait(TASKS, task.waits_for, shown, name)
    return Wait("future", task.waits_for, shown, name)


class Managers:
    """The context managers that suspended stacks are inside of."""

    def __init__(self, reader: WaitReader) -> None:
        context = reader.context
        self._waits = reader
        self._reader = context.reader
        self._coroutines = Coroutines(context.reader, context.objects, context.types)
        require = context.reader.layout.require
        self._function_at = require("PyMethodObject", "im_func")
        self._self_at = require("PyMethodObject", "im_self")
        self._name_at = require("PyFunctionObject", "func_name")

    def entered(self, stack: Sequence[PyFrame], wait: Wait | None) -> tuple[int, ...]:
        """Return the objects whose `with` blocks a stack is inside of, the innermost first.

        Not the one that it is about to enter; a condition that it waits for gave its lock away.
        """
        found: dict[int, None] = {}
        todo: list[tuple[PyFrame, str]] = []
        inner = ""
        for frame in stack:
            todo.append((frame, inner))
            inner = frame.name
        generators = 0
        while todo and len(found) < MAX_MANAGERS:
            frame, inner = todo.pop(0)
            managers = self._of_frame(frame)
            if inner in ("__aenter__", "__enter__") and managers:
                managers.pop(0)
            for manager in managers:
                if manager in found:
                    continue
                found[manager] = None
                generator = self._waits.attribute(manager, "gen")
                if self._coroutines.ident(generator) in COROUTINES and generators < MAX_GENERATORS:
                    generators += 1
                    chain = self._coroutines.chain(generator)
                    todo += [(frame, "") for frame in chain.frames]
        given = wait.address if wait is not None else 0
        held: dict[int, None] = {}
        for manager in found:
            if manager == given:
                continue
            held[manager] = None
            lock = self._waits.attribute(manager, "_lock", "_block")
            if lock and self._waits.kind_by_class(manager) in (CONDITION, LOCK):
                held[lock] = None
        return tuple(held)

    def _of_frame(self, frame: PyFrame) -> list[int]:
        try:
            words = self._coroutines.stack_words(frame)
        except EpiError:
            return []
        managers: list[int] = []
        for number, word in enumerate(words):
            ident = self._coroutines.ident(word)
            if ident == "method":
                function = self._reader.u64(word + self._function_at)
                if self._exits(function):
                    managers.append(self._reader.u64(word + self._self_at))
            elif ident == "function" and self._exits(word) and number + 1 < len(words):
                managers.append(words[number + 1])  # 3.14 (gh-120507): function and self
        return managers[::-1]

    def _exits(self, function: int) -> bool:
        try:
            if self._coroutines.ident(function) != "function":
                return False
            name = self._reader.string(self._reader.u64(function + self._name_at), 64)
        except EpiError:
            return False
        return name in _EXITS


def with_holders(reader: WaitReader, found: Sequence[Waiting]) -> list[Waiting]:
    """Return the same with the holders of locks: by what the lock says, else by frames."""
    known = {waits.id for waits in found}
    holders: dict[int, list[int]] = {}
    for waits in found:
        for held in waits.holds:
            holders.setdefault(held, []).append(waits.id)
    return [_with_holder(reader, waits, known, holders) for waits in found]


def _with_holder(
    reader: WaitReader, waits: Waiting, known: Iterable[int], holders: Mapping[int, list[int]]
) -> Waiting:
    wait = waits.wait
    if wait is None or not wait.address or waits.wakers or waits.known == OUTSIDE:
        return waits
    owner = reader.owner(wait.address)
    if owner and owner in known:
        return waits._replace(wakers=(owner,), known=CERTAIN)
    by_frames = [holder for holder in holders.get(wait.address, ()) if holder != waits.id]
    if by_frames:
        return waits._replace(wakers=tuple(by_frames), known=BY_FRAMES)
    return waits
