# SPDX-License-Identifier: Apache-2.0
"""Tasks and greenlets that wait for each other, of asyncio, trio, gevent and eventlet alike.

What each waits for, and who would wake it, is `cpython/running/waiting.py`; here the circles.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.frames.frame_slots import FrameSlots
from gdb_epi.cpython.running.wait_rules import LOCK
from gdb_epi.cpython.running.waiting import (
    BY_FRAMES,
    CERTAIN,
    FROM_OUTSIDE,
    OUTSIDE,
    Waiting,
    waiting,
)
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.library_calls import of_a_library
from gdb_epi.hangs.types import where
from gdb_epi.target.api import Target

MAX_TASKS = 20_000
MAX_CIRCLE = 64
MAX_TEXTS = 3
_RUNS = ("asyncio.base_events", "trio._core._run", "trio._core._io_epoll", "gevent.hub",
         "gevent._hub_primitives", "eventlet.hubs")  # fmt: skip

_ENTERING = frozenset(("acquire", "__enter__"))  # methods that `with` may call of a lock


def runs_tasks(frames: Sequence[PyFrame]) -> str:
    """Return the module of the event loop that a thread runs; "" for none."""
    for frame in frames:
        module = frame.module or ""
        if module.startswith(_RUNS):
            return module
    return ""


def all_tasks(target: Target, python: PythonState) -> tuple[Waiting, ...]:
    """Return every task and greenlet that has not ended."""
    return waiting(target, python).all[:MAX_TASKS]


def circle_of(tasks: Sequence[Waiting]) -> tuple[Waiting, ...]:
    """Return tasks that wait for each other, the first such circle; one for a task of itself.

    A task that needs all of its wakers waits for each; one that needs any waits for the only one.
    """
    by_id = {task.id: task for task in tasks}
    following: dict[int, list[int]] = {}
    for task in tasks:
        if task.known not in (CERTAIN, BY_FRAMES) or task.running:
            continue
        wakers = [waker for waker in task.wakers if waker in by_id]
        if task.needs == "all" or len(task.wakers) == 1:
            following[task.id] = wakers
    state: dict[int, int] = {}  # 1: on the path, 2: done
    for start in following:
        path: list[tuple[int, int]] = [(start, 0)]
        while path:
            node, number = path[-1]
            state[node] = 1
            nexts = following.get(node, [])
            if number >= len(nexts):
                state[node] = 2
                path.pop()
                continue
            path[-1] = (node, number + 1)
            other = nexts[number]
            if state.get(other) == 1:
                ids = [one for one, _ in path]
                return tuple(by_id[one] for one in ids[ids.index(other) :][:MAX_CIRCLE])
            if state.get(other, 0) == 0:
                path.append((other, 0))
    return ()


def waits_for_itself(task: Waiting, slots: FrameSlots) -> bool:
    """Tell whether a task waits for a lock whose `async with` block it is inside of."""
    if task.wait is None or task.wait.kind != LOCK or not task.wait.address:
        return False
    inward = None
    for frame in task.stack:
        try:
            entered = [] if of_a_library(frame) else slots.entered(frame, inward)
        except (UnreadableMemory, LayoutError):
            entered = []
        # A lock may be entered by its acquire() too; whether this one is the second is not known.
        if inward is not None and inward.name in _ENTERING and entered[-1:] == [task.wait.address]:
            entered.pop()
        if task.wait.address in entered:
            return True
        inward = frame
    return False


def own_frames(task: Waiting) -> tuple[PyFrame, ...]:
    """Return the program's own frames of a task, innermost first."""
    return tuple(f for f in task.stack if f.hole is None and not of_a_library(f))


def task_text(task: Waiting) -> str:
    """Return "task NAME waits at f (file:line) for a lock: x" for a sentence."""
    own = own_frames(task) or task.stack
    place = f" at {where(own[0])}" if own else ""
    reason = f" for {task.wait.text(several=True)}" if task.wait is not None else ""
    name = task.name if task.name.startswith("task") else f"task {task.name}"
    return f"{name} waits{place}{reason}"


def texts(tasks: Sequence[Waiting]) -> str:
    """Return what the tasks wait for, those with most frames of the program first."""
    ranked = sorted(tasks, key=lambda task: -len(own_frames(task)))
    shown = [task_text(task) for task in ranked if own_frames(task)][:MAX_TEXTS]
    more = len(tasks) - len(shown)
    return "; ".join(shown) + (f"; and {more} more tasks" if more > 0 and shown else "")


def from_outside(tasks: Sequence[Waiting]) -> dict[str, int]:
    """Count the tasks that something outside of all tasks wakes, by the kind of their wait."""
    counted: dict[str, int] = {}
    for task in tasks:
        if task.wait is not None and (task.known == OUTSIDE or task.wait.kind in FROM_OUTSIDE):
            counted[task.wait.kind] = counted.get(task.wait.kind, 0) + 1
    return counted
