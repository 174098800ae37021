# SPDX-License-Identifier: Apache-2.0
"""An asyncio event loop that sleeps: what can wake it, and which tasks wait in a circle.

The loop keeps its descriptors in `_selector._fd_to_key`, its timers in `_scheduled`, what is due in
`_ready` (Lib/asyncio/base_events.py, selector_events.py, 3.8 to 3.15). uvloop keeps them in C:
then nothing is said.
"""

from __future__ import annotations

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.running.tasks import Task, asyncio_tasks
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.library_calls import of_a_library
from gdb_epi.hangs.types import where
from gdb_epi.locks.python.view import PythonView
from gdb_epi.typing_lite import NamedTuple

_OVER = ("finished", "cancelled")
MAX_CIRCLE = 32


class Loop(NamedTuple):
    """One sleeping event loop; a number that cannot be had is None.

    `descriptors` leaves out the loop's own pipe. `listening`: it serves clients.
    """

    address: int
    descriptors: int | None
    timers: int | None
    ready: int | None
    listening: bool
    tasks: tuple[Task, ...]
    circle: tuple[Task, ...]
    thread_calls: int  # futures of other threads that tasks wait for


class LoopReader:
    """Read the event loops of one process; tasks are decoded once."""

    def __init__(self, view: PythonView) -> None:
        self._view = view
        self._containers = ContainerReader(view.reader)
        self._tasks: tuple[Task, ...] | None = None

    def of(self, frame: PyFrame) -> Loop | None:
        """Return the loop that a frame of base_events runs."""
        address = self._view.variable(frame, "self")
        if not address:
            return None
        tasks = tuple(t for t in self._all() if t.loop == address and t.state not in _OVER)
        return Loop(
            address,
            self._descriptors(address),
            self._length(address, "_scheduled", "PyListObject"),
            self._length(address, "_ready", "dequeobject"),
            any(_serves(task) for task in tasks),
            tasks,
            _circle(tasks),
            0,
        )

    def _all(self) -> tuple[Task, ...]:
        if self._tasks is None:
            self._tasks = asyncio_tasks(self._view.target, self._view.python).tasks
        return self._tasks

    def _length(self, loop: int, name: str, struct: str) -> int | None:
        try:
            value = self._view.attribute(loop, name)
            return None if value is None else self._containers.length(value, struct)
        except (UnreadableMemory, LayoutError):
            return None

    def _descriptors(self, loop: int) -> int | None:
        """Return how many descriptors the loop watches besides its own pipe."""
        try:
            selector = self._view.attribute(loop, "_selector")
            keys = self._view.attribute(selector, "_fd_to_key") if selector else None
            if keys is None:
                return None
            count = sum(1 for _ in self._view.objects.dict_items(keys))
            own = self._view.attribute(loop, "_ssock")
            has_pipe = own is not None and self._view.locks.type_name(own) != "NoneType"
            return max(0, count - has_pipe)
        except (UnreadableMemory, LayoutError):
            return None


def _serves(task: Task) -> bool:
    return any(
        frame.name == "serve_forever" or (frame.module or "").startswith(("aiohttp.web", "uvicorn"))
        for frame in task.stack
    )


def _circle(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """Return tasks that await each other, the first such circle."""
    waits_for: dict[int, set[int]] = {}
    by_address = {task.address: task for task in tasks}
    for task in tasks:
        for waiter in task.awaited_by:
            waits_for.setdefault(waiter, set()).add(task.address)
        if task.waits_for in by_address:
            waits_for.setdefault(task.address, set()).add(task.waits_for)
    for start in waits_for:
        path = [start]
        while len(path) <= MAX_CIRCLE:
            following = sorted(waits_for.get(path[-1], ()))
            if len(following) != 1:
                break
            if following[0] in path:
                circle = path[path.index(following[0]) :]
                return tuple(by_address[address] for address in circle if address in by_address)
            path.append(following[0])
    return ()


def own_frames(task: Task) -> tuple[PyFrame, ...]:
    """Return the program's own frames of a task, innermost first."""
    return tuple(f for f in task.stack if f.hole is None and not of_a_library(f))


def task_where(task: Task) -> str:
    """Return "function (file:line)" of a task's innermost frame of the program."""
    own = own_frames(task) or task.stack
    return where(own[0]) if own else "?"


def task_name(task: Task) -> str:
    """Return how a sentence names a task."""
    return "a task" if isinstance(task.name, Absent) else f"task {task.name}"
