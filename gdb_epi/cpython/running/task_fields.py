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
from gdb_epi.typing_lite import Protocol

# Modules/_asynciomodule.c, fut_state; the same in 3.8 to 3.15.
STATES = ("pending", "cancelled", "finished")
MAX_NAME = 4096


class TaskFields(Protocol):
    """How to read one kind of task. Pointers are 0 for NULL, None and what is not set.

    All of them raise UnreadableMemory.
    """

    kind: str  # "C" | "Python"

    def name(self, task: int) -> int:
        """Return the name, a str or an int."""

    def state(self, task: int) -> str | Absent:
        """Return one of STATES."""

    def coroutine(self, task: int) -> int:
        """Return the coroutine."""

    def waits_for(self, task: int) -> int:
        """Return the future whose end wakes the task."""

    def loop(self, task: int) -> int:
        """Return the event loop."""

    def callbacks(self, task: int) -> list[int]:
        """Return what is called when the task ends."""

    def awaited_by(self, task: int) -> list[int] | None:
        """Return the futures and tasks that wait for it; None before 3.14, which does not know."""


class CFields:
    """Tasks of `_asyncio.Task` and of classes derived from it."""

    kind = "C"

    def __init__(self, reader: MemoryReader, types: TypeReader) -> None:
        self._reader, self._types = reader, types
        self._containers = ContainerReader(reader)

    def _word(self, task: int, member: str) -> int:
        word = self._reader.u64(task + self._reader.layout.require("TaskObj", member))
        return 0 if word and is_none(self._reader, self._types, word) else word

    def name(self, task: int) -> int:
        """Return the name; 3.13 (gh-118760) keeps a number until somebody asks for the text."""
        return self._word(task, "task_name")

    def state(self, task: int) -> str | Absent:
        """Return one of STATES."""
        number = self._reader.u32(task + self._reader.layout.require("TaskObj", "task_state"))
        if number < len(STATES):
            return STATES[number]
        return Absent(UNREADABLE, f"task_state is {number}")

    def coroutine(self, task: int) -> int:
        """Return the coroutine; a finished task drops it."""
        return self._word(task, "task_coro")

    def waits_for(self, task: int) -> int:
        """Return the future whose end wakes the task."""
        return self._word(task, "task_fut_waiter")

    def loop(self, task: int) -> int:
        """Return the event loop."""
        return self._word(task, "task_loop")

    def callbacks(self, task: int) -> list[int]:
        """Return the first callback, which has a place of its own, and the others."""
        callbacks = [self._word(task, "task_callback0")]
        more = self._word(task, "task_callbacks")
        for pair in self._containers.list_items(more) if more else ():
            callbacks += self._containers.tuple_items(pair)[:1]
        return [callback for callback in callbacks if callback]

    def awaited_by(self, task: int) -> list[int] | None:
        """Return one object, or the members of a set (3.14, gh-91048)."""
        layout = self._reader.layout
        flag = layout.offset("TaskObj", "task_awaited_by_is_set")
        if flag is None:
            return None
        waiters = self._word(task, "task_awaited_by")
        if waiters and self._reader.u8(task + flag):
            return list(self._containers.set_items(waiters))
        return [waiters] if waiters else []


class PyFields:
    """Tasks of asyncio.tasks._PyTask and of classes derived from it."""

    kind = "Python"

    def __init__(self, reader: MemoryReader, objects: NamespaceReader, types: TypeReader) -> None:
        self._reader, self._objects, self._types = reader, objects, types
        self._containers = ContainerReader(reader)
        # futures.py names it with two underscores; its class mangles that (3.14).
        self._knows_awaiters = reader.layout.offset("TaskObj", "task_awaited_by") is not None

    def _get(self, task: int, name: str) -> int:
        value = self._objects.attribute(task, name)
        if isinstance(value, Absent):
            if value.reason == NOT_AVAILABLE:
                return 0
            raise UnreadableMemory(task, 8, value.detail)
        return 0 if is_none(self._reader, self._types, value) else value

    def name(self, task: int) -> int:
        """Return the name."""
        return self._get(task, "_name")

    def state(self, task: int) -> str | Absent:
        """Return one of STATES; until it ends, a task has the class's own "PENDING"."""
        state = self._get(task, "_state")
        text = self._reader.string(state, 32) if state else "PENDING"
        if isinstance(text, Absent) or text.lower() in STATES:
            return text if isinstance(text, Absent) else text.lower()
        return Absent(UNREADABLE, f"its _state is {text!r}")

    def coroutine(self, task: int) -> int:
        """Return the coroutine."""
        return self._get(task, "_coro")

    def waits_for(self, task: int) -> int:
        """Return the future whose end wakes the task."""
        return self._get(task, "_fut_waiter")

    def loop(self, task: int) -> int:
        """Return the event loop."""
        return self._get(task, "_loop")

    def callbacks(self, task: int) -> list[int]:
        """Return what is called when the task ends."""
        pairs = self._get(task, "_callbacks")
        callbacks: list[int] = []
        for pair in self._containers.list_items(pairs) if pairs else ():
            callbacks += self._containers.tuple_items(pair)[:1]
        return callbacks

    def awaited_by(self, task: int) -> list[int] | None:
        """Return the members of a set (3.14)."""
        if not self._knows_awaiters:
            return None
        waiters = self._get(task, "_Future__asyncio_awaited_by")
        return list(self._containers.set_items(waiters)) if waiters else []


def is_none(reader: MemoryReader, types: TypeReader, address: int) -> bool:
    """Tell whether an object is None; False for what is no object."""
    try:
        if address & 7 or not address:
            return False
        return types.lineage(reader.type_of(address)).ident == "NoneType"
    except UnreadableMemory:
        return False
