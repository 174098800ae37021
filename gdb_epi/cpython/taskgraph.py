# SPDX-License-Identifier: Apache-2.0
"""Which asyncio task waits for which: what `python -m asyncio pstree` draws, out of a core.

3.14 (gh-91048) writes down in each future who awaits it. Before, it follows from three places: the
future that a task waits for; the children of a gather(); and what the callbacks of a task refer to
(the waiter of wait() and wait_for(), the outer future of shield() and gather(), the TaskGroup).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.cpython.containers import Containers
from gdb_epi.cpython.objects import Objects
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.taskfields import TaskFields
from gdb_epi.cpython.values_types import Types
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cpython.tasks import Task

    Edges = dict[int, dict[int, None]]  # the tasks that wait for a task, in the order found

MAX_FUTURES = 100_000  # that one gather() of gather()s leads to
MAX_CELLS = 100  # of one callback
MAX_PROBLEMS = 5
_GATHERING = "asyncio.tasks._GatheringFuture"
_GROUP = "asyncio.taskgroups.TaskGroup"


def awaited_by(
    tasks: Sequence[Task],
    fields: Mapping[int, TaskFields | None],
    awaiting: Awaiting,
    *,
    derived: bool = False,
) -> tuple[Edges, list[str]]:
    """Return for each task the tasks that wait for it, and what could not be had.

    `derived` leaves out what 3.14+ wrote down, so that the two can be compared.
    """
    known = {one.address for one in tasks}
    edges: Edges = {}
    problems: list[str] = []
    waited: dict[int, list[int]] = {}
    for one in tasks:
        for future in awaiting.futures(one.waits_for, problems):
            if future in known:
                edges.setdefault(future, {})[one.address] = None
            else:
                waited.setdefault(future, []).append(one.address)
    for one in tasks:
        reading = fields.get(one.address)
        if reading is None or one.state in ("finished", "cancelled"):
            continue
        try:
            told = [] if derived else reading.awaited_by(one.address) or []
            # Tasks written in Python are in no such word of others, so callbacks count always.
            told = told + awaiting.by_callbacks(reading.callbacks(one.address), waited)
            for waiter in told:
                if waiter in known and waiter != one.address:
                    edges.setdefault(one.address, {})[waiter] = None
        except (UnreadableMemory, LayoutError) as error:
            if len(problems) < MAX_PROBLEMS:
                problems.append(f"who waits for task {one.address:#x}: {error}")
    return edges, problems


class Awaiting:
    """Follow futures to the futures that they wait for, and callbacks to those they serve."""

    def __init__(self, reader: Reader, objects: Objects, types: Types) -> None:
        self._reader, self._objects, self._types = reader, objects, types
        self._require = reader.layout.require
        self._containers = Containers(reader)

    def futures(self, first: int, problems: list[str]) -> list[int]:
        """Return a future and, when it is a gather()'s, all that this one waits for."""
        found: dict[int, None] = {}
        left = [first] if first else []
        while left and len(found) < MAX_FUTURES:
            future = left.pop()
            if future in found:
                continue
            found[future] = None
            try:
                if self._shown(future) == _GATHERING:
                    children = self._objects.attribute(future, "_children")
                    if not isinstance(children, Absent):
                        left += reversed(self._containers.list_items(children))
            except UnreadableMemory as error:
                if len(problems) < MAX_PROBLEMS:
                    problems.append(f"the children of a gather(): {error}")
        return list(found)

    def by_callbacks(self, callbacks: Sequence[int], waited: Mapping[int, list[int]]) -> list[int]:
        """Return the tasks that wait for futures which these callbacks refer to."""
        found: list[int] = []
        for callback in callbacks:
            for one in self._referred(callback):
                found += waited.get(one, ())
                if self._shown(one) == _GROUP:
                    parent = self._objects.attribute(one, "_parent_task")
                    found += [] if isinstance(parent, Absent) else [parent]
        return found

    def _shown(self, address: int) -> str:
        """Return module and qualname of an object's type; "" when it is no object."""
        try:
            if address & 7 or not address:
                return ""
            return self._types.at(self._reader.type_of(address)).shown
        except UnreadableMemory:
            return ""

    def _referred(self, callback: int) -> list[int]:
        """Return the objects that a function, bound method or partial refers to."""
        kind = self._types.lineage(self._reader.type_of(callback)).ident
        word = self._reader.u64
        if kind == "function":
            closure = word(callback + self._require("PyFunctionObject", "func_closure"))
            return self._cells(closure) if closure else []
        if kind == "method":
            return [word(callback + self._require("PyMethodObject", "im_self"))]
        if kind == "functools.partial":
            arguments = word(callback + self._require("partialobject", "args"))
            return self._containers.tuple_items(arguments)[:MAX_CELLS]
        return []

    def _cells(self, closure: int) -> list[int]:
        at = self._require("PyCellObject", "ob_ref")
        return [
            self._reader.u64(one + at) for one in self._containers.tuple_items(closure)[:MAX_CELLS]
        ]
