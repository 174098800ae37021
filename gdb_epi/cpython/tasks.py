# SPDX-License-Identifier: Apache-2.0
"""asyncio tasks: which there are, in what state, and where their coroutines wait.

Since 3.14 (gh-107803) tasks are in linked lists, one per thread state and one per interpreter for
the tasks of threads that ended. Before, asyncio.tasks keeps weak references to them.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.coroutines import COROUTINES, CREATED, DONE, RUNNING, Coroutines, Suspended
from gdb_epi.cpython.objects import Objects
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import InterpreterState, PyFrame, PythonState, ThreadState
from gdb_epi.cpython.values_types import Types
from gdb_epi.errors import (
    NOT_AVAILABLE,
    UNREADABLE,
    Absent,
    LayoutError,
    SoftError,
    UnreadableMemory,
)
from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import Target

MAX_TASKS = 100_000
MAX_SET_SLOTS = 1 << 22
MAX_PROBLEMS = 50
MAX_NAME = 4096
SLOTS_AT_ONCE = 1024

# Modules/_asynciomodule.c, fut_state; the same in 3.8 to 3.15.
STATES = ("pending", "cancelled", "finished")
_MODULE = "asyncio.tasks"
# 3.12 (gh-97696) split _all_tasks. The first two are WeakSets, the last is a set.
_WEAK_SETS = ("_all_tasks", "_scheduled_tasks")
_EAGER = "_eager_tasks"


class Task(NamedTuple):
    """One asyncio.Task. `stack` is innermost first: of its coroutine and those that it awaits.

    A running task has the frames of its thread down to its coroutine. `awaits` names what the
    innermost coroutine waits for; "" when it waits for nothing.
    """

    address: int
    interpreter: int  # id
    name: str | Absent
    coro: str | Absent  # qualname
    state: str | Absent  # one of STATES
    running: bool
    tid: int | None  # of the thread that runs it
    awaits: str
    waits_for: int  # the future or task (PyObject *) that wakes it; 0 when none
    stack: tuple[PyFrame, ...]


class Tasks(NamedTuple):
    """All tasks of a process, and what could not be had."""

    tasks: tuple[Task, ...]
    soft_errors: tuple[SoftError, ...]


def asyncio_tasks(target: Target, python: PythonState) -> Tasks:
    """Return the asyncio tasks of every loop and interpreter. Never raises for damage."""
    return _Decoder(target, python).all()


class _Decoder:
    def __init__(self, target: Target, python: PythonState) -> None:
        self._python = python
        self._layout = python.layout
        self._reader = Reader(target, python.layout)
        self._objects = Objects(self._reader)
        addresses = tuple(interpreter.address for interpreter in python.interpreters)
        self._types = Types(self._reader, self._objects, addresses)
        self._coroutines = Coroutines(self._reader, self._objects, self._types)
        self._problems: dict[SoftError, None] = {}

    def all(self) -> Tasks:
        """Return the tasks of every interpreter."""
        found: list[Task] = []
        for interpreter in self._python.interpreters:
            who = f"interpreter {interpreter.id}"
            try:
                found += _OfInterpreter(self, interpreter, who).tasks()
            except (UnreadableMemory, LayoutError) as error:
                self.problem(who, str(error))
        return Tasks(tuple(found), tuple(self._problems))

    def problem(self, subject: str, message: str) -> None:
        """Note what could not be had, once and up to a cap."""
        if len(self._problems) < MAX_PROBLEMS:
            self._problems[SoftError("tasks", subject, message)] = None

    @property
    def parts(self) -> tuple[Reader, Objects, Types, Coroutines]:
        """The readers that all interpreters share."""
        return self._reader, self._objects, self._types, self._coroutines


class _OfInterpreter:
    """The tasks of one interpreter."""

    def __init__(self, decoder: _Decoder, interpreter: InterpreterState, who: str) -> None:
        self._reader, self._objects, self._types, self._coroutines = decoder.parts
        self._layout = self._reader.layout
        self._problem = decoder.problem
        self._interpreter = interpreter
        self._who = who
        self._module = 0  # the dict of asyncio.tasks
        self._task_type = 0
        self._names: dict[int, str | Absent] = {}

    def tasks(self) -> list[Task]:
        """Return the tasks, in the order in which they are found."""
        module = self._objects.module_dict(self._interpreter.address, _MODULE)
        if isinstance(module, Absent):
            if module.reason != NOT_AVAILABLE:
                self._problem(self._who, f"sys.modules: {module.detail}")
            return []  # asyncio was never imported
        self._module = module
        kind = self._objects.dict_get(self._module, "_CTask")
        if isinstance(kind, Absent):
            self._problem(self._who, f"asyncio.tasks has no C Task: {kind.detail}")
            return []
        self._task_type = kind
        size = self._types.at(kind).basicsize
        fitting = self._layout.size("TaskObj")
        if size != fitting:
            raise LayoutError(f"tasks have {size} bytes, those of the layout {fitting}")
        running = self._running()
        return [self._task(address, running) for address in self._addresses()]

    # -- which tasks there are ----------------------------------------------------------------

    def _addresses(self) -> list[int]:
        found: dict[int, None] = {}
        for where, source in self._sources():
            try:
                for address in source:
                    if len(found) >= MAX_TASKS:
                        self._problem(self._who, f"more than {MAX_TASKS} tasks")
                        return list(found)
                    found[address] = None
            except (UnreadableMemory, LayoutError) as error:
                self._problem(self._who, f"{where}: {error}")
        return list(found)

    def _sources(self) -> Iterator[tuple[str, Iterator[int]]]:
        at = self._layout.offset("_PyThreadStateImpl", "asyncio_tasks_head")
        if at is not None and self._layout.offset("TaskObj", "task_node") is not None:
            for thread in self._interpreter.threads:
                yield "the tasks of a thread", self._linked(thread.address + at)
            at = self._layout.require("PyInterpreterState", "asyncio_tasks_head")
            yield "the tasks of ended threads", self._linked(self._interpreter.address + at)
        for name in _WEAK_SETS:
            yield name, self._weak_set(name)
        yield _EAGER, self._eager()

    def _linked(self, head: int) -> Iterator[int]:
        """Yield the tasks of a circular list (Include/internal/pycore_llist.h)."""
        node_at = self._layout.require("TaskObj", "task_node")
        seen = {head, 0}  # a thread that never ran asyncio may have zeros
        node = self._reader.u64(head)
        while node not in seen:
            seen.add(node)
            task = node - node_at
            if not self._is_task(task):
                raise UnreadableMemory(task, 8, "no task; the list ends here")
            yield task
            if len(seen) > MAX_TASKS:
                return
            node = self._reader.u64(node)
        if node != head and (node or len(seen) > 2):
            raise UnreadableMemory(node, 8, "the list of tasks does not come back to its head")

    def _global(self, name: str) -> int:
        """Return a global of asyncio.tasks (PyObject *); 0 when this version has none."""
        value = self._objects.dict_get(self._module, name)
        if isinstance(value, Absent):
            if value.reason == UNREADABLE:
                raise UnreadableMemory(0, 8, value.detail)
            return 0
        return value

    def _weak_set(self, name: str) -> Iterator[int]:
        """Yield the tasks of a WeakSet. Reference: Lib/_weakrefset.py (`data`, a set)."""
        address = self._global(name)
        if not address:
            return
        data = self._objects.attribute(address, "data")
        if isinstance(data, Absent):
            raise UnreadableMemory(address, 8, f"no WeakSet: {data.detail}")
        object_at = self._layout.require("PyWeakReference", "wr_object")
        for reference in self._set(data):
            task = self._reader.u64(reference + object_at)
            if self._is_task(task):
                yield task
            elif not self._is_none(task):
                self._problem(self._who, f"{name} holds {task:#x}, which is no C Task")

    def _eager(self) -> Iterator[int]:
        address = self._global(_EAGER)
        for task in self._set(address) if address else ():
            if self._is_task(task):
                yield task

    def _set(self, address: int) -> Iterator[int]:
        """Yield the members of a set. Reference: Include/cpython/setobject.h, 3.8 to 3.15."""
        mask = self._reader.u64(address + self._layout.require("PySetObject", "mask"))
        table = self._reader.u64(address + self._layout.require("PySetObject", "table"))
        if mask >= MAX_SET_SLOTS or mask & (mask + 1):
            raise UnreadableMemory(address, 8, f"a set with the mask {mask:#x}")
        width = self._layout.size("setentry") or 16
        for first in range(0, mask + 1, SLOTS_AT_ONCE):
            number = min(SLOTS_AT_ONCE, mask + 1 - first)
            data = self._reader.read(table + first * width, number * width)
            for at in range(0, number * width, width):
                key = int.from_bytes(data[at : at + 8], "little")
                # A removed member leaves a dummy with the hash -1, which no object has.
                if key and data[at + 8 : at + 16] != b"\xff" * 8:
                    yield key

    def _is_task(self, address: int) -> bool:
        try:
            if address & 7 or not address:
                return False
            types = self._types.lineage(self._reader.type_of(address)).types
        except UnreadableMemory:
            return False
        return any(info.address == self._task_type for info in types)

    def _is_none(self, address: int) -> bool:
        return not address or self._coroutines.ident(address) == "NoneType"

    def _running(self) -> dict[int, ThreadState | None]:
        """Return the tasks that run, with their threads where that is known.

        3.14 (gh-128002) has one in each thread state; before, asyncio.tasks._current_tasks maps
        loops to tasks.
        """
        at = self._layout.offset("_PyThreadStateImpl", "asyncio_running_task")
        found: dict[int, ThreadState | None] = {}
        try:
            if at is not None:
                for thread in self._interpreter.threads:
                    found[self._reader.u64(thread.address + at)] = thread
                return found
            loops = self._global("_current_tasks")
            if loops:
                found = {task: None for _, task in self._objects.dict_items(loops)}
        except UnreadableMemory as error:
            self._problem(self._who, f"the running task: {error}")
        return found

    # -- one task -----------------------------------------------------------------------------

    def _word(self, task: int, member: str) -> int:
        return self._reader.u64(task + self._layout.require("TaskObj", member))

    def _task(self, address: int, running: dict[int, ThreadState | None]) -> Task:
        name = self._name(address)
        subject = f"task {address:#x}" if isinstance(name, Absent) else f"task {name}"
        if isinstance(name, Absent):
            self._problem(subject, f"its name: {name.detail}")
        missing = Absent(NOT_AVAILABLE, "not read")
        task = Task(
            address,
            self._interpreter.id,
            name,
            missing,
            missing,
            address in running,
            None,
            "",
            0,
            (),
        )
        try:
            waits_for = self._word(address, "task_fut_waiter")
            task = task._replace(state=self._state(address), waits_for=waits_for)
            return self._with_coroutine(task, running.get(address), subject)
        except UnreadableMemory as error:
            self._problem(subject, str(error))
            return task

    def _name(self, task: int) -> str | Absent:
        """Return the name; 3.13 (gh-118760) keeps the number until somebody asks for the text."""
        if task not in self._names:
            try:
                at = self._word(task, "task_name")
                number = self._objects.integer(at) if self._coroutines.ident(at) == "int" else None
                text = f"Task-{number}" if isinstance(number, int) else number
                self._names[task] = text or self._reader.string(at, MAX_NAME)
            except UnreadableMemory as error:
                self._names[task] = Absent(UNREADABLE, str(error))
        return self._names[task]

    def _state(self, task: int) -> str | Absent:
        number = self._reader.u32(task + self._layout.require("TaskObj", "task_state"))
        if number < len(STATES):
            return STATES[number]
        return Absent(UNREADABLE, f"task_state is {number}")

    def _with_coroutine(self, task: Task, thread: ThreadState | None, subject: str) -> Task:
        coroutine = self._word(task.address, "task_coro")
        kind = self._coroutines.ident(coroutine)
        if kind not in COROUTINES:
            if self._is_none(coroutine):  # a finished task drops it
                return task._replace(coro=Absent(NOT_AVAILABLE, "it dropped its coroutine"))
            why = f"its coroutine is {kind or 'of an unknown type'}, not a Python one"
            self._problem(subject, why)
            return task._replace(coro=Absent(NOT_AVAILABLE, why))
        chain = self._coroutines.chain(coroutine)
        if chain.broken:
            self._problem(subject, f"its stack: {chain.broken}")
        task = task._replace(coro=self._coroutines.qualname(coroutine), stack=chain.frames)
        if isinstance(task.coro, Absent):
            self._problem(subject, f"its coroutine: {task.coro.detail}")
        if chain.state == RUNNING:
            return self._on_thread(task, self._coroutines.frame_address(coroutine), subject)
        return task._replace(awaits=self._awaits(task, chain))

    def _on_thread(self, task: Task, frame: int, subject: str) -> Task:
        """Return a running task with the frames of its thread, down to its coroutine's."""
        for thread in self._interpreter.threads:
            for number, one in enumerate(thread.frames):
                if one.address == frame:
                    stack = thread.frames[: number + 1]
                    return task._replace(running=True, tid=thread.tid, stack=stack)
        self._problem(subject, "it runs, but its frame is in no thread's stack")
        return task

    def _awaits(self, task: Task, chain: Suspended) -> str:
        """Return what wakes a task, in words: another task by name, or the type of the future."""
        if chain.state in (CREATED, DONE):
            return ""
        address = task.waits_for
        if self._is_none(address):
            address = chain.awaits
        if not address:
            return ""
        if self._is_task(address):
            name = self._name(address)
            return f"task {address:#x}" if isinstance(name, Absent) else f"task {name}"
        try:
            return self._types.at(self._reader.type_of(address)).shown
        except UnreadableMemory as error:
            self._problem(f"task {task.address:#x}", f"what it awaits: {error}")
            return ""
