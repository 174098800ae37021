# SPDX-License-Identifier: Apache-2.0
"""asyncio tasks: which there are, in what state, where their coroutines wait, and who awaits whom.

Since 3.14 (gh-107803) tasks are in linked lists, one per thread state and one per interpreter for
the tasks of threads that ended. Before, and for tasks written in Python, asyncio.tasks keeps weak
references to them. When an interpreter that is torn down has forgotten asyncio.tasks, they are
looked for among the objects of the garbage collector.

Which task waits for which is what `python -m asyncio pstree` draws. 3.14 (gh-91048) writes down in
each future who awaits it. Before, it follows from three places: the future that a task waits for;
the children of a gather(); and what the callbacks of a task refer to (the waiter of wait() and
wait_for(), the outer future of shield() and gather(), the TaskGroup).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gdb_epi.cpython.frames.coroutines import (
    COROUTINES,
    CREATED,
    DONE,
    RUNNING,
    CoroutineReader,
    SuspendedChain,
)
from gdb_epi.cpython.heap.gc_lists import objects_being_collected, tracked_objects
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.cpython.runtime.recover_modules import find_module_dict, remember_frame_globals
from gdb_epi.cpython.types import InterpreterState, PyFrame, PythonState, ThreadState
from gdb_epi.errors import (
    NOT_AVAILABLE,
    UNREADABLE,
    Absent,
    LayoutError,
    SoftError,
    UnreadableMemory,
)
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple
from gdb_epi.util import memoized, natural_sort_key

# The members of an asyncio task or future: C structs, and instances of the Python classes.
#
# asyncio.tasks.Task is the C one where `_asyncio` can be imported; `_PyTask` is the same class in
# Python, which programs can still use. Reference: Modules/_asynciomodule.c, Lib/asyncio/tasks.py
# and futures.py, 3.8 to 3.15.


# Modules/_asynciomodule.c, fut_state; the same in 3.8 to 3.15.
STATES = ("pending", "cancelled", "finished")
MAX_NAME = 4096


class TaskFields:
    """How to read tasks of `_asyncio.Task` and of classes derived from it.

    Pointers are 0 for NULL, None and what is not set. All methods raise UnreadableMemory.
    """

    kind = "C"

    def __init__(self, reader: MemoryReader, objects: NamespaceReader, types: TypeReader) -> None:
        self._reader, self._objects, self._types = reader, objects, types
        self._require = reader.layout.require
        self._containers = ContainerReader(reader)

    def _read_member(self, task: int, member: str) -> int:
        """Return the member that C calls task_MEMBER and Python _MEMBER."""
        at = self._require("TaskObj", f"task_{member}")
        return self._null_if_none(self._reader.u64(task + at))

    def _null_if_none(self, address: int) -> int:
        return 0 if self._types.root_builtin_type_name(address) == "NoneType" else address

    def name_object(self, task: int) -> int:
        """Return the name; 3.13 (gh-118760) keeps a number until somebody asks for the text."""
        return self._read_member(task, "name")

    def state(self, task: int) -> str | Absent:
        """Return one of STATES."""
        number = self._reader.field32(task, "TaskObj", "task_state")
        if number < len(STATES):
            return STATES[number]
        return Absent(UNREADABLE, f"task_state is {number}")

    def coroutine(self, task: int) -> int:
        """Return the coroutine; a finished task drops it."""
        return self._read_member(task, "coro")

    def waits_for(self, task: int) -> int:
        """Return the future whose end wakes the task."""
        return self._read_member(task, "fut_waiter")

    def exception(self, task: int) -> int:
        """Return the exception that the task ended with."""
        return self._read_member(task, "exception")

    def has_unretrieved_exception(self, task: int) -> bool:
        """Tell whether nobody has asked for that exception; an int before 3.12, then one bit."""
        flag = self._reader.layout.find_field("TaskObj", "task_log_tb")
        if flag is None:
            return False
        word = int.from_bytes(self._reader.read(task + flag.offset, flag.size), "little")
        return bool(word >> max(0, flag.bit_offset) & 1)

    def loop(self, task: int) -> int:
        """Return the event loop."""
        return self._read_member(task, "loop")

    def callbacks(self, task: int) -> list[int]:
        """Return what is called when the task ends, out of the list of (callback, context).

        In C the first callback has a place of its own.
        """
        callbacks, pairs = (
            [self._read_member(task, "callback0")],
            self._read_member(task, "callbacks"),
        )
        for pair in self._containers.list_items(pairs) if pairs else ():
            callbacks += self._containers.tuple_items(pair)[:1]
        return [callback for callback in callbacks if callback]

    def awaited_by(self, task: int) -> list[int]:
        """Return the futures and tasks that wait for it; none before 3.14 (gh-91048).

        That is one object, or the members of a set.
        """
        flag = self._reader.layout.offset("TaskObj", "task_awaited_by_is_set")
        waiters = self._read_member(task, "awaited_by") if flag is not None else 0
        if flag is not None and waiters and self._reader.u8(task + flag):
            return list(self._containers.set_items(waiters))
        return [waiters] if waiters else []


class PythonTaskFields(TaskFields):
    """Tasks of asyncio.tasks._PyTask and of classes derived from it."""

    kind = "Python"

    def _read_member(self, task: int, member: str) -> int:
        value = self._objects.attribute(task, f"_{member}")
        if isinstance(value, Absent):
            if value.reason == NOT_AVAILABLE:
                return 0
            raise UnreadableMemory(task, 8, value.detail)
        return self._null_if_none(value)

    def state(self, task: int) -> str | Absent:
        """Return one of STATES; until it ends, a task has the class's own "PENDING"."""
        state = self._read_member(task, "state")
        text = self._reader.string(state, 32) if state else "PENDING"
        if isinstance(text, Absent) or text.lower() in STATES:
            return text if isinstance(text, Absent) else text.lower()
        return Absent(UNREADABLE, f"its _state is {text!r}")

    def has_unretrieved_exception(self, task: int) -> bool:
        """Tell whether nobody has asked for that exception; the class mangles the name."""
        flag = self._read_member(task, "Future__log_traceback")
        return bool(flag) and self._objects.integer(flag) == 1

    def awaited_by(self, task: int) -> list[int]:
        """Return the members of a set, whose name has two underscores that the class mangles."""
        if self._reader.layout.offset("TaskObj", "task_awaited_by") is None:
            return []
        waiters = self._read_member(task, "Future__asyncio_awaited_by")
        return list(self._containers.set_items(waiters)) if waiters else []


if TYPE_CHECKING:
    from gdb_epi.cpython.running.exceptions import ExceptionDecoder

    Edges = dict[int, dict[int, None]]  # the tasks that wait for a task, in the order found

MAX_FUTURES = 100_000  # that one gather() of gather()s leads to
MAX_CELLS = 100  # of one callback
MAX_GRAPH_PROBLEMS = 5
_GATHERING = "asyncio.tasks._GatheringFuture"
_GROUP = "asyncio.taskgroups.TaskGroup"
MAX_TASKS = 100_000
MAX_PROBLEMS = 50
ASYNCIO, TRIO = "asyncio", "trio"
TRIO_MODULE = "trio._core._run"
_MODULE = "asyncio.tasks"
_C_TASK = "_asyncio.Task"
# 3.12 (gh-97696) split _all_tasks. The first two are WeakSets, the last is a set.
_WEAK_SETS = ("_all_tasks", "_scheduled_tasks")
_EAGER = "_eager_tasks"
_NOT_READ = Absent(NOT_AVAILABLE, "not read")


def find_awaiting_tasks(
    tasks: Sequence[Task],
    fields: Mapping[int, TaskFields | None],
    links: FutureLinks,
    *,
    derived: bool = False,
) -> tuple[Edges, list[str]]:
    """Return for each task the tasks that wait for it, and what could not be had.

    `derived` leaves out what 3.14+ wrote down, so that the two can be compared.
    """
    addresses = {task.address for task in tasks}
    edges: Edges = {}
    problems: list[str] = []
    waited: dict[int, list[int]] = {}
    for task in tasks:
        for future in links.futures_awaited(task.waits_for, problems):
            if future in addresses:
                edges.setdefault(future, {})[task.address] = None
            else:
                waited.setdefault(future, []).append(task.address)
    for task in tasks:
        reading = fields.get(task.address)
        if reading is None or task.state in ("finished", "cancelled"):
            continue
        try:
            waiters = [] if derived else reading.awaited_by(task.address)
            # Tasks written in Python are in no such word of others, so callbacks count always.
            waiters = waiters + links.tasks_of_callbacks(reading.callbacks(task.address), waited)
            for waiter in waiters:
                if waiter in addresses and waiter != task.address:
                    edges.setdefault(task.address, {})[waiter] = None
        except (UnreadableMemory, LayoutError) as error:
            if len(problems) < MAX_GRAPH_PROBLEMS:
                problems.append(f"who waits for task {task.address:#x}: {error}")
    return edges, problems


class FutureLinks:
    """Follow futures to the futures that they wait for, and callbacks to those they serve."""

    def __init__(self, reader: MemoryReader, objects: NamespaceReader, types: TypeReader) -> None:
        self._reader, self._objects, self._types = reader, objects, types
        self._require = reader.layout.require
        self._containers = ContainerReader(reader)

    def futures_awaited(self, first: int, problems: list[str]) -> list[int]:
        """Return a future and, if it is that of a gather(), the futures that this waits for."""
        futures: dict[int, None] = {}
        todo = [first] if first else []
        while todo and len(futures) < MAX_FUTURES:
            future = todo.pop()
            if future in futures:
                continue
            futures[future] = None
            try:
                if self._types.type_name_of(future) == _GATHERING:
                    children = self._objects.attribute(future, "_children")
                    if not isinstance(children, Absent):
                        todo += reversed(self._containers.list_items(children))
            except UnreadableMemory as error:
                if len(problems) < MAX_GRAPH_PROBLEMS:
                    problems.append(f"the children of a gather(): {error}")
        return list(futures)

    def tasks_of_callbacks(
        self, callbacks: Sequence[int], waited: Mapping[int, list[int]]
    ) -> list[int]:
        """Return the tasks that wait for futures which these callbacks refer to."""
        waiting: list[int] = []
        for callback in callbacks:
            for referred in self._referred_objects(callback):
                waiting += waited.get(referred, ())
                if self._types.type_name_of(referred) == _GROUP:
                    parent = self._objects.attribute(referred, "_parent_task")
                    waiting += [] if isinstance(parent, Absent) else [parent]
        return waiting

    def _referred_objects(self, callback: int) -> list[int]:
        """Return the objects that a function, bound method or partial refers to."""
        kind = self._types.root_builtin_type_name(callback)
        if kind == "function":
            return self._containers.closure_values(callback, MAX_CELLS)
        if kind == "method":
            return [self._reader.field(callback, "PyMethodObject", "im_self")]
        if kind == "functools.partial":
            arguments = self._reader.field(callback, "partialobject", "args")
            return self._containers.tuple_items(arguments)[:MAX_CELLS]
        return []


class Task(NamedTuple):
    """One asyncio.Task. `stack` is innermost first: of its coroutine and those that it awaits.

    A running task has the frames of its thread down to its coroutine. `awaits` names what the
    innermost coroutine waits for; "" when it waits for nothing.
    """

    address: int
    interpreter: int  # id
    name: str | Absent
    coro: str | Absent = _NOT_READ  # qualname
    state: str | Absent = _NOT_READ  # one of STATES
    running: bool = False
    tid: int | None = None  # of the thread that runs it
    awaits: str = ""
    waits_for: int = 0  # the future or task (PyObject *) that wakes it; 0 when none
    stack: tuple[PyFrame, ...] = ()
    kind: str = "C"  # or "Python"
    loop: int = 0  # the event loop (PyObject *)
    awaited_by: tuple[int, ...] = ()  # the tasks that wait for this one, by address
    framework: str = ASYNCIO
    cancelled: bool = False  # trio: within a cancelled scope; it is told at its next checkpoint
    system: bool = False  # trio: one of the library's own
    failure: str = ""  # "ValueError in f (a.py:3)": the exception that it ended with
    unseen: bool = False  # nobody has asked for that exception
    awaits_task: bool = False  # `awaits` names another task


def add_thread_frames(task: Task, frame: int, threads: Iterable[ThreadState]) -> Task | None:
    """Return a running task with the frames of its thread, down to the one of its coroutine.

    None when none of the threads runs that frame.
    """
    for thread in threads:
        for number, python_frame in enumerate(thread.frames, 1):
            if python_frame.address == frame:
                return task._replace(running=True, tid=thread.tid, stack=thread.frames[:number])
    return None


class Tasks(NamedTuple):
    """All tasks of a process, and what could not be had."""

    tasks: tuple[Task, ...]
    soft_errors: tuple[SoftError, ...]


def read_asyncio_tasks(target: Target, python: PythonState) -> Tasks:
    """Return the asyncio tasks of every loop and interpreter. Never raises for damage."""
    return _TaskDecoder(target, python).all_tasks()


def is_module_imported(target: Target, python: PythonState, name: str) -> bool:
    """Tell whether any interpreter imported a module; cheap, for what is costly to look for."""
    reader = MemoryReader(target, python.layout)
    objects = NamespaceReader(reader)
    return any(
        not isinstance(find_module_dict(objects, reader, interpreter.address, name), Absent)
        for interpreter in python.interpreters
    )


class _TaskDecoder:
    """What the tasks of all interpreters share: readers, and what could not be had."""

    def __init__(self, target: Target, python: PythonState) -> None:
        self._python = python
        self._layout = python.layout
        self.reader = MemoryReader(target, python.layout)
        self.objects = NamespaceReader(self.reader)
        self.types = TypeReader(self.reader, self.objects, python.interpreter_addresses())
        self.coroutines = CoroutineReader(self.reader, self.objects, self.types)
        if python.finalizing:
            remember_frame_globals(self.reader, self.objects, python)
        self._problems: dict[SoftError, None] = {}
        self._exceptions: ExceptionDecoder | None = None

    def all_tasks(self) -> Tasks:
        """Return the tasks of every interpreter."""
        tasks: list[Task] = []
        for interpreter in self._python.interpreters:
            who = f"interpreter {interpreter.id}"
            try:
                tasks += _InterpreterTasks(self, interpreter, who).tasks()
            except (UnreadableMemory, LayoutError) as error:
                self.note_problem(who, str(error))
        return Tasks(tuple(tasks), tuple(self._problems))

    def is_torn_down(self, interpreter: InterpreterState) -> bool:
        """Tell whether an interpreter is being torn down, so that modules may be gone."""
        at = self._layout.offset("PyInterpreterState", "_finalizing")  # 3.12
        try:
            own = at is not None and bool(self.reader.u64(interpreter.address + at))
        except UnreadableMemory:
            own = False
        return own or self._python.finalizing

    def gc_tracked_tasks(self, is_task: Callable[[int], object]) -> Iterator[int]:
        """Yield the tasks that the garbage collector tracks."""
        objects, _, missing = tracked_objects(self.reader, self._python)
        for why in missing:
            self.note_problem("tasks of an interpreter that is torn down", why.detail)
        objects += objects_being_collected(self.reader, self._python)
        yield from (address for address in objects if is_task(address))

    def describe_raised_exception(self, raised: int) -> str:
        """Return the type of an exception, and where it was raised; no text of it."""
        if self._exceptions is None:
            from gdb_epi.cpython.running.exceptions import ExceptionDecoder

            self._exceptions = ExceptionDecoder(self.reader.target, self._python)
        exception = self._exceptions.exception(raised)
        kind = "an unknown exception" if isinstance(exception.type, Absent) else exception.type
        traceback = exception.traceback
        if isinstance(traceback, Absent) or not traceback.lines or traceback.lines[-1].hole:
            return kind
        line = traceback.lines[-1]
        file = line.filename.rpartition("/")[2]
        return f"{kind} in {line.qualname or line.name} ({file}:{line.lineno or '?'})"

    def note_problem(self, subject: str, message: str) -> None:
        """Note what could not be had, once and up to a cap."""
        if len(self._problems) < MAX_PROBLEMS:
            self._problems[SoftError("tasks", subject, message)] = None


class _InterpreterTasks:
    """The tasks of one interpreter."""

    def __init__(self, decoder: _TaskDecoder, interpreter: InterpreterState, who: str) -> None:
        self._decoder = decoder
        self._forgotten = decoder.is_torn_down(interpreter)
        self._reader, self._objects = decoder.reader, decoder.objects
        self._types, self._coroutines = decoder.types, decoder.coroutines
        self._layout = self._reader.layout
        self._problem = decoder.note_problem
        self._interpreter = interpreter
        self._who = who
        self._containers = ContainerReader(self._reader)
        self._c_fields = TaskFields(self._reader, self._objects, self._types)
        self._module = 0  # the dict of asyncio.tasks
        self._task_types: dict[int, TaskFields] = {}  # by PyTypeObject *

    def tasks(self) -> list[Task]:
        """Return the tasks by their names: asyncio's sets have them in no order."""
        module = find_module_dict(self._objects, self._reader, self._interpreter.address, _MODULE)
        if isinstance(module, Absent):
            if module.reason != NOT_AVAILABLE:
                self._problem(self._who, f"sys.modules: {module.detail}")
            if not self._forgotten:
                return []  # asyncio was never imported
        else:
            self._module = module
            self._find_task_types()
        running = self._running_tasks()
        tasks = [self._decode_task(address, running) for address in self._addresses_of_tasks()]
        tasks.sort(
            key=lambda task: natural_sort_key(task.name if isinstance(task.name, str) else "")
        )
        fields = {task.address: self.fields_of(task.address) for task in tasks}
        links = FutureLinks(self._reader, self._objects, self._types)
        edges, problems = find_awaiting_tasks(tasks, fields, links)
        for problem in problems:
            self._problem(self._who, problem)
        return [task._replace(awaited_by=tuple(edges.get(task.address, ()))) for task in tasks]

    def _find_task_types(self) -> None:
        """Find the C Task, if `_asyncio` was there, and the one written in Python."""
        c_task = self._objects.dict_get(self._module, "_CTask")
        py_task = self._objects.dict_get(self._module, "_PyTask")
        if not isinstance(py_task, Absent):
            self._task_types[py_task] = PythonTaskFields(self._reader, self._objects, self._types)
        if isinstance(c_task, Absent):
            if c_task.reason != NOT_AVAILABLE or isinstance(py_task, Absent):
                self._problem(self._who, f"asyncio.tasks has no C Task: {c_task.detail}")
            return
        size = self._types.type_at(c_task).basicsize
        fitting = self._layout.size("TaskObj")
        # Free-threaded builds of 3.14+ end with task_tid, which nothing here reads. The table of
        # 3.15 comes from no such build: a word less is no other struct.
        ends = self._layout.free_threaded and self._layout.offset("TaskObj", "task_tid")
        if size != fitting and not (ends and size == (fitting or 0) - WORD):
            raise LayoutError(f"tasks have {size} bytes, those of the layout {fitting}")
        self._task_types[c_task] = self._c_fields

    # -- which tasks there are ----------------------------------------------------------------

    def _addresses_of_tasks(self) -> list[int]:
        addresses: dict[int, None] = {}
        for where, source in self._task_sources():
            try:
                for address in source:
                    if len(addresses) >= MAX_TASKS:
                        self._problem(self._who, f"more than {MAX_TASKS} tasks")
                        return list(addresses)
                    addresses[address] = None
            except (UnreadableMemory, LayoutError) as error:
                self._problem(self._who, f"{where}: {error}")
        return list(addresses)

    def _task_sources(self) -> Iterator[tuple[str, Iterator[int]]]:
        at = self._layout.offset("_PyThreadStateImpl", "asyncio_tasks_head")
        if at is not None and self._layout.offset("TaskObj", "task_node") is not None:
            for thread in self._interpreter.threads:
                yield "the tasks of a thread", self._linked_tasks(thread.address + at)
            at = self._layout.require("PyInterpreterState", "asyncio_tasks_head")
            yield "the tasks of ended threads", self._linked_tasks(self._interpreter.address + at)
        if self._module:
            for name in _WEAK_SETS:
                yield name, self._tasks_of_weak_set(name)
            yield _EAGER, self._eager_tasks()
        if self._forgotten:
            yield "the collector's objects", self._decoder.gc_tracked_tasks(self.fields_of)

    def _linked_tasks(self, head: int) -> Iterator[int]:
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

    def _asyncio_global(self, name: str) -> int:
        """Return a global of asyncio.tasks (PyObject *); 0 when this version has none."""
        if not self._module:
            return 0
        value = self._objects.dict_get(self._module, name)
        if isinstance(value, Absent):
            if value.reason == UNREADABLE:
                raise UnreadableMemory(0, 8, value.detail)
            return 0
        return value

    def _tasks_of_weak_set(self, name: str) -> Iterator[int]:
        """Yield the tasks of a WeakSet. Reference: Lib/_weakrefset.py (`data`, a set)."""
        address = self._asyncio_global(name)
        if not address:
            return
        members = self._objects.attribute(address, "data")
        if isinstance(members, Absent):
            raise UnreadableMemory(address, 8, f"no WeakSet: {members.detail}")
        object_at = self._layout.require("PyWeakReference", "wr_object")
        for reference in self._containers.set_items(members):
            task = self._reader.u64(reference + object_at)
            if self._is_task(task):
                yield task
            elif not self._is_none(task):
                self._problem(self._who, f"{name} holds {task:#x}, which is no asyncio.Task")

    def _eager_tasks(self) -> Iterator[int]:
        address = self._asyncio_global(_EAGER)
        for task in self._containers.set_items(address) if address else ():
            if self._is_task(task):
                yield task

    def _is_task(self, address: int) -> bool:
        return self.fields_of(address) is not None

    def fields_of(self, address: int) -> TaskFields | None:
        """Return how to read a task; None when the object is not a task. Never raises."""
        try:
            types = self._types.lineage(self._types.type_of_object(address).address).types
        except UnreadableMemory:
            return None
        for info in types:
            if info.address in self._task_types:
                return self._task_types[info.address]
            if info.full_name == _C_TASK:
                return self._c_fields
        return None

    def _is_none(self, address: int) -> bool:
        return not address or self._types.root_builtin_type_name(address) == "NoneType"

    def _running_tasks(self) -> set[int]:
        """Return the tasks that run.

        3.14 (gh-128002) has one in each thread state; before, asyncio.tasks._current_tasks maps
        loops to tasks.
        """
        at = self._layout.offset("_PyThreadStateImpl", "asyncio_running_task")
        try:
            if at is not None:
                threads = self._interpreter.threads
                return {self._reader.u64(thread.address + at) for thread in threads}
            loops = self._asyncio_global("_current_tasks")
            return {task for _, task in self._objects.dict_items(loops)} if loops else set()
        except UnreadableMemory as error:
            self._problem(self._who, f"the running task: {error}")
            return set()

    # -- one task -----------------------------------------------------------------------------

    def _decode_task(self, address: int, running: set[int]) -> Task:
        name = self._name_of_task(address)
        subject = f"task {address:#x}" if isinstance(name, Absent) else f"task {name}"
        if isinstance(name, Absent):
            self._problem(subject, f"its name: {name.detail}")
        task = Task(address, self._interpreter.id, name, running=address in running)
        fields = self.fields_of(address)
        if fields is None:
            return task
        try:
            task = task._replace(
                kind=fields.kind,
                state=fields.state(address),
                loop=fields.loop(address),
                waits_for=fields.waits_for(address),
            )
            if task.state == "finished" and (raised := fields.exception(address)):
                failure = self._decoder.describe_raised_exception(raised)
                task = task._replace(
                    failure=failure, unseen=fields.has_unretrieved_exception(address)
                )
            return self._add_coroutine(task, fields, subject)
        except UnreadableMemory as error:
            self._problem(subject, str(error))
            return task

    @memoized
    def _name_of_task(self, task: int) -> str | Absent:
        """Return the name; 3.13 (gh-118760) keeps the number until somebody asks for the text."""
        fields = self.fields_of(task)
        try:
            at = fields.name_object(task) if fields is not None else 0
            number = self._objects.integer(at) if self._coroutines.ident(at) == "int" else None
            text = f"Task-{number}" if isinstance(number, int) else number
            return text or self._reader.string(at, MAX_NAME)
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))

    def _add_coroutine(self, task: Task, fields: TaskFields, subject: str) -> Task:
        coroutine = fields.coroutine(task.address)
        kind = self._coroutines.ident(coroutine)
        if kind not in COROUTINES:
            if self._is_none(coroutine):  # a finished task drops it
                return task._replace(coro=Absent(NOT_AVAILABLE, "it dropped its coroutine"))
            why = f"its coroutine is {kind or 'of an unknown type'}, not a Python one"
            self._problem(subject, why)
            return task._replace(coro=Absent(NOT_AVAILABLE, why))
        chain = self._coroutines.suspended_chain(coroutine)
        if chain.broken:
            self._problem(subject, f"its stack: {chain.broken}")
        task = task._replace(coro=self._coroutines.qualname(coroutine), stack=chain.frames)
        if isinstance(task.coro, Absent):
            self._problem(subject, f"its coroutine: {task.coro.detail}")
        if chain.state == RUNNING:
            frame = self._coroutines.frame_address(coroutine)
            running = add_thread_frames(task, frame, self._interpreter.threads)
            if running is None:
                self._problem(subject, "it runs, but its frame is in no thread's stack")
            return running or task
        return self._with_awaited(task, chain)

    def _with_awaited(self, task: Task, chain: SuspendedChain) -> Task:
        """Return a task with what wakes it: another task by name, or the type of the future."""
        if chain.state in (CREATED, DONE):
            return task
        address = task.waits_for
        if self._is_none(address):
            address = chain.awaits
        if not address:
            return task
        if self._is_task(address):
            name = self._name_of_task(address)
            name = f"{address:#x}" if isinstance(name, Absent) else name
            return task._replace(awaits=f"task {name}", awaits_task=True)
        try:
            return task._replace(awaits=self._types.type_of_object(address).qualified_name)
        except UnreadableMemory as error:
            self._problem(f"task {task.address:#x}", f"what it awaits: {error}")
            return task
