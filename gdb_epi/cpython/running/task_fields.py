# SPDX-License-Identifier: Apache-2.0
"""The members of an asyncio task or future: C structs, and instances of the Python classes.

asyncio.tasks.Task is the C one where `_asyncio` can be imported; `_PyTask` is the same class in
Python, which programs can still use. Reference: Modules/_asynciomodule.c, Lib/asyncio/tasks.py
and futures.py, 3.8 to 3.15.
"""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, UnreadableMemory

# Modules/_asynciomodule.c, fut_state; the same in 3.8 to 3.15.
STATES = ("pending", "cancelled", "finished")
MAX_NAME = 4096


class TaskFields:
    """How to read one kind of task. Pointers are 0 for NULL, None and what is not set.

    All methods raise UnreadableMemory.
    """

    kind: str  # "C" | "Python"

    def __init__(self, reader: MemoryReader, objects: NamespaceReader, types: TypeReader) -> None:
        self._reader, self._objects, self._types = reader, objects, types
        self._require = reader.layout.require
        self._containers = ContainerReader(reader)

    def _get(self, task: int, member: str) -> int:
        """Return the member that C calls task_MEMBER and Python _MEMBER."""
        raise NotImplementedError

    def _unless_none(self, address: int) -> int:
        return 0 if self._types.ident(address) == "NoneType" else address

    def name(self, task: int) -> int:
        """Return the name; 3.13 (gh-118760) keeps a number until somebody asks for the text."""
        return self._get(task, "name")

    def state(self, task: int) -> str | Absent:
        """Return one of STATES."""
        raise NotImplementedError

    def coroutine(self, task: int) -> int:
        """Return the coroutine; a finished task drops it."""
        return self._get(task, "coro")

    def waits_for(self, task: int) -> int:
        """Return the future whose end wakes the task."""
        return self._get(task, "fut_waiter")

    def loop(self, task: int) -> int:
        """Return the event loop."""
        return self._get(task, "loop")

    def callbacks(self, task: int) -> list[int]:
        """Return what is called when the task ends, out of the list of (callback, context)."""
        pairs = self._get(task, "callbacks")
        callbacks: list[int] = []
        for pair in self._containers.list_items(pairs) if pairs else ():
            callbacks += self._containers.tuple_items(pair)[:1]
        return callbacks

    def awaited_by(self, task: int) -> list[int]:
        """Return the futures and tasks that wait for it; none before 3.14 (gh-91048)."""
        raise NotImplementedError


class CTaskFields(TaskFields):
    """Tasks of `_asyncio.Task` and of classes derived from it."""

    kind = "C"

    def _get(self, task: int, member: str) -> int:
        at = self._require("TaskObj", f"task_{member}")
        return self._unless_none(self._reader.u64(task + at))

    def state(self, task: int) -> str | Absent:
        """Return one of STATES."""
        number = self._reader.u32(task + self._require("TaskObj", "task_state"))
        if number < len(STATES):
            return STATES[number]
        return Absent(UNREADABLE, f"task_state is {number}")

    def callbacks(self, task: int) -> list[int]:
        """Return the first callback, which has a place of its own, and the others."""
        first = self._get(task, "callback0")
        return [callback for callback in (first, *super().callbacks(task)) if callback]

    def awaited_by(self, task: int) -> list[int]:
        """Return one object, or the members of a set."""
        flag = self._reader.layout.offset("TaskObj", "task_awaited_by_is_set")
        waiters = self._get(task, "awaited_by") if flag is not None else 0
        if flag is not None and waiters and self._reader.u8(task + flag):
            return list(self._containers.set_items(waiters))
        return [waiters] if waiters else []


class PythonTaskFields(TaskFields):
    """Tasks of asyncio.tasks._PyTask and of classes derived from it."""

    kind = "Python"

    def _get(self, task: int, member: str) -> int:
        value = self._objects.attribute(task, f"_{member}")
        if isinstance(value, Absent):
            if value.reason == NOT_AVAILABLE:
                return 0
            raise UnreadableMemory(task, 8, value.detail)
        return self._unless_none(value)

    def state(self, task: int) -> str | Absent:
        """Return one of STATES; until it ends, a task has the class's own "PENDING"."""
        state = self._get(task, "state")
        text = self._reader.string(state, 32) if state else "PENDING"
        if isinstance(text, Absent) or text.lower() in STATES:
            return text if isinstance(text, Absent) else text.lower()
        return Absent(UNREADABLE, f"its _state is {text!r}")

    def awaited_by(self, task: int) -> list[int]:
        """Return the members of a set, whose name has two underscores that the class mangles."""
        if self._reader.layout.offset("TaskObj", "task_awaited_by") is None:
            return []
        waiters = self._get(task, "Future__asyncio_awaited_by")
        return list(self._containers.set_items(waiters)) if waiters else []
