# SPDX-License-Identifier: Apache-2.0
"""What every task and greenlet waits for, and who would wake it: one shape for all libraries.

`read_unfinished_tasks()` is what a judgement of hangs reads. A waker is certain where the library
says it (a task that is awaited, the owner that a lock names), read from frames where the program's
code is inside `async with LOCK` or `with LOCK`, and unknown otherwise: anything that has the object
may set an event or put into a queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from struct import unpack

from gdb_epi.cpython.frames.coroutines import COROUTINES, CoroutineReader
from gdb_epi.cpython.frames.frame_slots import FrameSlots
from gdb_epi.cpython.heap.instances import InstancesByClass, shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.running import wait_rules
from gdb_epi.cpython.running.frame_waits import TaskWait, WaitReader, is_library_frame
from gdb_epi.cpython.running.greenlets import RUNNING as RUNNING_GREENLET
from gdb_epi.cpython.running.greenlets import SUSPENDED, Greenlet, read_greenlets
from gdb_epi.cpython.running.tasks import Task, is_module_imported, read_asyncio_tasks
from gdb_epi.cpython.running.trio_tasks import read_trio_tasks
from gdb_epi.cpython.running.wait_rules import (
    OTHER,
    PROCESS,
    QUEUE_GET,
    QUEUE_JOIN,
    QUEUE_PUT,
    READ,
    RUN_QUEUE,
    SIGNAL,
    SLEEP,
    TASK,
    WRITE,
)
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import Absent, EpiError, SoftError, UnreadableMemory
from gdb_epi.sizes import split_into_words
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

# -- What gevent's greenlets wait for: its primitives lead to the greenlets that are linked to
#    them
#
# gevent waits in C (Cython), so no Python frame says what for. But whatever can wake a greenlet
# holds its `switch` method, by itself or by a Waiter: a lock, event or other greenlet in its
# list of links, a queue in its deques, a watcher of the event loop as its callback. These lists
# are followed forward from every such object. The fields of these classes have no names in
# memory and differ by version; they are found by the types of the objects that they refer to.
# Tried with gevent 21.12 to 26.9.

_BASES = ("_gevent_c_abstract_linkable", "_abstract_linkable", "__abstract_linkable")
LINKABLES = frozenset(f"gevent.{module}.AbstractLinkable" for module in _BASES)
QUEUES = frozenset(
    f"gevent.{module}.{name}"
    for module in ("_gevent_cqueue", "queue", "_queue")
    for name in ("SimpleQueue", "Queue", "UnboundQueue", "Channel")
)
WATCHERS = frozenset(("gevent.libev.corecext.watcher",))
GREENLETS = frozenset(("gevent._gevent_cgreenlet.Greenlet", "gevent.greenlet.Greenlet"))
HUBS = frozenset(("gevent.hub.Hub", "gevent._hub_primitives.WaitOperationsGreenlet"))
_WAITER = "Waiter"
_ITEM_WAITER = "ItemWaiter"
_READS, _WRITES = 1, 2  # EV_READ, EV_WRITE (libev's ev.h)

MAX_SIZE = 1024  # bytes of an object of gevent
MAX_DEPTH = 8
MAX_ITEMS = 10_000  # of one list of links
MAX_SEEN = 1_000_000
_WATCHES = {
    "io": READ,
    "timer": SLEEP,
    "child": PROCESS,
    "signal": SIGNAL,
    "idle": RUN_QUEUE,
    "async_": OTHER,
    "async": OTHER,
    "stat": OTHER,
    "fork": OTHER,
    "prepare": RUN_QUEUE,
    "check": RUN_QUEUE,
}


class GreenletWaker(NamedTuple):
    """One object that would wake a greenlet. `task` is the greenlet that is joined, else 0."""

    wait: TaskWait
    task: int = 0


class GreenletWakers:
    """What would wake which greenlet, of one process."""

    def __init__(
        self, waits: WaitReader, instances: InstancesByClass, greenlets: frozenset[int]
    ) -> None:
        self._waits = waits
        self._reader = waits.context.reader
        self._instances = instances
        self._greenlets = greenlets
        self._containers = ContainerReader(self._reader)
        self._head = self._reader.layout.require("PyMethodObject", "im_func")
        self._owner: dict[int, int] = {}  # the queue that an event of gevent's belongs to

    def wakers_by_greenlet(self) -> dict[int, list[GreenletWaker]]:
        """Return the links by greenlet. Never raises for damage."""
        links: dict[int, list[GreenletWaker]] = {}
        wanted = LINKABLES | QUEUES | WATCHERS | GREENLETS
        sources = self._instances.instances_of(wanted)
        for source in sources:
            if source.kind in QUEUES:
                for word in self._pointer_fields(source.address):
                    if self._instances.wanted_class_of(word, LINKABLES):
                        self._owner[word] = source.address
        for source in sources:
            seen: set[int] = set()
            watching = source.kind in WATCHERS
            for greenlet, puts in self._woken_greenlets(source.address, seen, watching=watching):
                if greenlet != source.address:
                    link = self._make_waker(source.address, source.kind, puts=puts)
                    links.setdefault(greenlet, []).append(link)
        return links

    def _pointer_fields(self, address: int) -> list[int]:
        """Return the fields of an object that may be pointers to objects."""
        try:
            size = self._waits.context.obj(address).type.basicsize
            if not self._head < size <= MAX_SIZE:
                return []
            content = self._reader.read(address + self._head, size - self._head)
        except EpiError:
            return []
        return [word for word in split_into_words(content) if word > 1 << 12 and not word & 7]

    def _woken_greenlets(
        self, source: int, seen: set[int], *, watching: bool
    ) -> Iterator[tuple[int, bool]]:
        """Yield the greenlets that an object would switch to, and whether each puts an item."""
        todo = [(word, 0, False) for word in self._fields_that_may_hold_wakers(source)]
        while todo and len(seen) < MAX_SEEN:
            word, depth, puts = todo.pop()
            if word in seen or depth > MAX_DEPTH:
                continue
            seen.add(word)
            ident = self._instances.ident(word)
            try:
                if ident == "builtin_function_or_method":
                    if greenlet := self._greenlet_of_switch(word):
                        yield greenlet, puts
                    continue
                names = self._class_names(word)
                if _WAITER in names:  # of its fields one is the greenlet, another the hub
                    put = _ITEM_WAITER in names
                    for greenlet in self._pointer_fields(word):
                        if greenlet in self._greenlets and not self._instances.wanted_class_of(
                            greenlet, HUBS
                        ):
                            yield greenlet, puts or put
                    continue
                inner, put = self._container_contents(word, ident, watching=watching)
            except EpiError:
                continue
            todo += [(next_word, depth + 1, puts or put) for next_word in inner]

    def _class_names(self, address: int) -> list[str]:
        """Return the names of an object's class and its bases, without their modules."""
        return [name.rpartition(".")[2] for name in self._waits.class_names(address)]

    def _fields_that_may_hold_wakers(self, source: int) -> list[int]:
        """Return what links may be in: lists, deques and methods, of its struct or its dict."""
        fields = self._pointer_fields(source)
        with suppress(EpiError):
            fields += [value for _, value in self._waits.context.attributes(source)]
        kinds = ("list", "collections.deque", "method", "builtin_function_or_method", "function")
        return [word for word in fields if self._instances.ident(word) in kinds]

    def _container_contents(
        self, word: int, ident: str, *, watching: bool
    ) -> tuple[list[int], bool]:
        """Return what a container or method leads to, and whether it holds an item."""
        if ident == "list":
            return self._containers.list_items(word)[:MAX_ITEMS], False
        if ident == "tuple":
            return self._containers.tuple_items(word)[:MAX_ITEMS], True
        if ident == "collections.deque":
            return list(islice(self._containers.deque_items(word), MAX_ITEMS)), False
        if ident == "method":
            return [self._reader.field(word, "PyMethodObject", "im_self")], False
        if watching and ident == "function":
            return self._containers.closure_values(word, MAX_ITEMS), False
        if watching and self._instances.wanted_class_of(word, LINKABLES):
            return self._fields_that_may_hold_wakers(word), False
        if watching and word not in self._greenlets:
            event = self._waits.attribute(word, "event")  # of a PollResult
            return ([event] if event else []), False
        return [], False

    def _greenlet_of_switch(self, method: int) -> int:
        """Return the greenlet of a bound `switch`, not of a `throw`: that is a time limit's."""
        greenlet = self._reader.field(method, "PyCFunctionObject", "m_self")
        if greenlet not in self._greenlets or self._reader.method_def_name(method) != "switch":
            return 0
        return greenlet

    def _make_waker(self, address: int, kind: str, *, puts: bool) -> GreenletWaker:
        shown = self._waits.class_name_of(address)
        if kind in WATCHERS:
            return self._waker_of_watcher(address)
        if kind in GREENLETS:
            return GreenletWaker(TaskWait(TASK, address, shown), address)
        if kind in QUEUES:
            return GreenletWaker(TaskWait(QUEUE_PUT if puts else QUEUE_GET, address, shown))
        queue = self._owner.get(address)
        if queue is not None:
            return GreenletWaker(TaskWait(QUEUE_JOIN, queue, self._waits.class_name_of(queue)))
        return GreenletWaker(TaskWait(self._waits.wait_kind_by_class(address), address, shown))

    # -- watchers of libev ----------------------------------------------------------------------

    def _waker_of_watcher(self, address: int) -> GreenletWaker:
        """Return what a watcher waits for: the end of its struct has the times, or descriptor."""
        names = self._class_names(address)
        kind = next((name for name in names if name in _WATCHES), "")
        with suppress(EpiError):
            end = self._end_of_watcher_struct(address, kind)
            if kind == "io":
                fd, events = unpack("<iI", self._reader.read(end - 8, 8))
                writes = events & _WRITES and not events & _READS
                return GreenletWaker(
                    TaskWait(WRITE if writes else READ, fd=fd if fd >= 0 else None)
                )
            if kind == "timer":
                at = unpack("<d", self._reader.read(end - 16, 8))[0]
                now = self._loop_time(address)
                return GreenletWaker(TaskWait(SLEEP, remaining=max(0.0, at - now) if now else None))
        return GreenletWaker(TaskWait(_WATCHES.get(kind, OTHER)))

    def _end_of_watcher_struct(self, address: int, kind: str) -> int:
        """Return the end of libev's struct, which ends the C class, proven by the pointer to it."""
        for info in self._waits.context.obj(address).lineage.types:
            if info.qualified_name.rpartition(".")[2] == kind:
                end = address + info.basicsize
                if any(address < word < end for word in self._pointer_fields(address)):
                    return end
        raise UnreadableMemory(address, 8, "no watcher of libev")

    def _loop_time(self, watcher: int) -> float:
        """Return the time of the loop when it last looked, on the clock of its timers; 0: unknown.

        libev's struct ev_loop begins with ev_rt_now, now_floor, mn_now, rtmn_diff: the first is the
        sum of the last two, which proves it.
        """
        for loop in self._pointer_fields(watcher):
            if not self._waits.class_name_of(loop).endswith("corecext.loop"):
                continue
            for word in self._pointer_fields(loop):
                try:
                    real, _, now, difference = unpack("<4d", self._reader.read(word, 32))
                except UnreadableMemory:
                    continue
                if real > 1e9 and 0 < now < 1e9 and abs(real - now - difference) < 1e-3:
                    return float(now)
        return 0.0


# -- What every task and greenlet waits for, and who would wake it: one shape for all libraries ----

# How certain `wakers` are.
CERTAIN, BY_FRAMES, OUTSIDE, UNKNOWN = "certain", "by frames", "outside", "unknown"
BY_CODE = "by code"  # what hangs/tasks.py adds: the code that a task has yet to run sets it
_GATHERING = "asyncio.tasks._GatheringFuture"
MAX_MANAGERS = 1000  # `with` blocks of one stack
MAX_GENERATORS = 50  # of context managers that are generators, inside each other


class UnfinishedTask(NamedTuple):
    """One task or greenlet that has not ended.

    `wait` is None when it runs, was never started or waits for nothing that can be told. `wakers`
    are ids of tasks and greenlets: with `needs` "all" each of them has to do something (a gather(),
    a nursery), with "any" one is enough. `certainty` says how far to trust them: CERTAIN,
    BY_FRAMES, OUTSIDE (time, a descriptor, a thread, a process: no task), UNKNOWN (then `wakers` is
    empty). `holds` are the objects whose `async with` or `with` block it is inside.
    """

    id: int  # address of the task or greenlet (PyObject *)
    framework: str  # "asyncio", "trio", "gevent", "eventlet", "greenlet"
    name: str
    running: bool
    tid: int | None
    stack: tuple[PyFrame, ...]  # innermost first
    wait: TaskWait | None = None
    wakers: tuple[int, ...] = ()
    certainty: str = UNKNOWN
    needs: str = "any"
    holds: tuple[int, ...] = ()
    waits_for: int = 0  # of asyncio: the future or task (PyObject *) whose end wakes it


class UnfinishedTasks(NamedTuple):
    """All tasks and greenlets that have not ended, and what could not be read."""

    tasks: tuple[UnfinishedTask, ...]
    soft_errors: tuple[SoftError, ...]


def read_unfinished_tasks(target: Target, python: PythonState) -> UnfinishedTasks:
    """Return every unfinished task of asyncio and trio, and every greenlet, with its wait.

    Never raises for damage.
    """
    listings = (read_asyncio_tasks(target, python), read_trio_tasks(target, python))
    errors = [error for listing in listings for error in listing.soft_errors]
    tasks = [task for listing in listings for task in listing.tasks]
    waits = read_task_waits(target, python, tasks) if tasks else []
    if is_module_imported(target, python, "greenlet"):
        greenlets = read_greenlets(target, python)
        errors += greenlets.soft_errors
        waits += read_greenlet_waits(target, python, greenlets.greenlets)
    return UnfinishedTasks(tuple(waits), tuple(errors))


def read_task_waits(
    target: Target, python: PythonState, tasks: Sequence[Task]
) -> list[UnfinishedTask]:
    """Return what these tasks wait for, those that have ended left out."""
    reader = WaitReader(target, python)
    managers = ContextManagers(reader)
    pending = [task for task in tasks if task.state not in ("finished", "cancelled")]
    awaited: dict[int, list[int]] = {}
    for task in pending:
        for waiter in task.awaited_by:
            awaited.setdefault(waiter, []).append(task.address)
    waits = [
        _task_wait(reader, managers, task, tuple(awaited.get(task.address, ()))) for task in pending
    ]
    return add_lock_holders(reader, waits)


def _task_wait(
    reader: WaitReader, managers: ContextManagers, task: Task, awaited: tuple[int, ...]
) -> UnfinishedTask:
    unfinished = UnfinishedTask(
        id=task.address,
        framework=task.framework,
        name=f"task {task.address:#x}" if isinstance(task.name, Absent) else task.name,
        running=task.running,
        tid=task.tid,
        stack=task.stack,
        waits_for=task.waits_for,
    )
    if task.running:
        return unfinished._replace(holds=managers.managers_entered_by_stack(task.stack, None))
    wait = reader.wait_of_stack(task.stack)
    if task.framework == "asyncio" and (wait is None or wait.kind == wait_rules.OTHER):
        wait = _future_wait(reader, task, awaited) or wait
    certainty, needs = UNKNOWN, "any"
    if wait is not None and wait.kind in (wait_rules.TASK, wait_rules.TASKS):
        awaited = awaited or reader.set_members(wait.address, "_tasks", "_children")
        certainty, needs = CERTAIN if awaited else UNKNOWN, "all"
    else:
        if wait is not None and wait.kind in wait_rules.FROM_OUTSIDE:
            certainty = OUTSIDE
        awaited = ()
    holds = managers.managers_entered_by_stack(task.stack, wait)
    return unfinished._replace(
        wait=wait, wakers=awaited, certainty=certainty, needs=needs, holds=holds
    )


def read_greenlet_waits(
    target: Target, python: PythonState, greenlets: Sequence[Greenlet]
) -> list[UnfinishedTask]:
    """Return what these greenlets wait for, those that ended or did not start left out."""
    alive = [greenlet for greenlet in greenlets if greenlet.state in (SUSPENDED, RUNNING_GREENLET)]
    if not alive:
        return []
    reader = WaitReader(target, python)
    managers = ContextManagers(reader)
    links: dict[int, list[GreenletWaker]] = {}
    if is_module_imported(target, python, "gevent"):
        instances = shared_instances(target, python)
        links = GreenletWakers(
            reader, instances, frozenset(greenlet.address for greenlet in greenlets)
        ).wakers_by_greenlet()
    waits = [_greenlet_wait(reader, managers, each, links.get(each.address, [])) for each in alive]
    return add_lock_holders(reader, waits)


def _greenlet_wait(
    reader: WaitReader,
    managers: ContextManagers,
    greenlet: Greenlet,
    links: Sequence[GreenletWaker],
) -> UnfinishedTask:
    unfinished = UnfinishedTask(
        id=greenlet.address,
        framework=greenlet_framework(greenlet),
        name=greenlet_name(greenlet),
        running=greenlet.state == RUNNING_GREENLET,
        tid=None,
        stack=greenlet.stack,
    )
    if unfinished.running:
        return unfinished
    wait = reader.wait_of_stack(greenlet.stack)
    if links:
        wait = _complete_wait_by_wakers(reader, wait, greenlet, links)
    certainty, wakers = UNKNOWN, tuple(link.task for link in links if link.task)
    if wait is not None and wait.kind in (wait_rules.TASK, wait_rules.TASKS):
        if not wakers and wait.kind == wait_rules.TASK:
            wakers = (wait.address,)  # eventlet's GreenThread.wait()
        if not wakers:
            wakers = reader.set_members(wait.address, "greenlets", "coroutines_running")
        certainty = CERTAIN if wakers else UNKNOWN
    elif wait is not None and wait.kind in wait_rules.FROM_OUTSIDE:
        certainty, wakers = OUTSIDE, ()
    else:
        wakers = ()
    holds = managers.managers_entered_by_stack(greenlet.stack, wait)
    needs = "any" if wait is None or wait.kind != wait_rules.TASK else "all"
    return unfinished._replace(
        wait=wait, wakers=wakers, certainty=certainty, needs=needs, holds=holds
    )


def _complete_wait_by_wakers(
    reader: WaitReader, wait: TaskWait | None, greenlet: Greenlet, links: Sequence[GreenletWaker]
) -> TaskWait:
    """Return the wait that the frames show, completed by the objects linked to the greenlet."""
    first = links[0].wait
    fd = next((link.wait.fd for link in links if link.wait.fd is not None), None)
    left = next((link.wait.remaining for link in links if link.wait.remaining is not None), None)
    if wait is not None and wait.kind != wait_rules.OTHER:
        if wait.kind == wait_rules.SLEEP:
            return wait._replace(remaining=left)
        return wait._replace(fd=fd if wait.fd is None else wait.fd)
    first = next((link.wait for link in links if link.wait.kind != wait_rules.SLEEP), first)
    outside = next((frame for frame in greenlet.stack if not is_library_frame(frame)), None)
    if sum(1 for link in links if link.task) > 1:
        return TaskWait(wait_rules.TASKS, name=reader.name_in_frame(first.address, outside))
    return first._replace(name=reader.name_in_frame(first.address, outside))


def greenlet_framework(greenlet: Greenlet) -> str:
    """Return "gevent", "eventlet" or "greenlet", by its class and by whose frames it runs."""
    names = [greenlet.shown, *(frame.module or "" for frame in greenlet.stack)]
    tops = [name.partition(".")[0] for name in names]
    return next((top for top in tops if top in ("gevent", "eventlet")), "greenlet")


def greenlet_name(greenlet: Greenlet) -> str:
    """Return a name for a greenlet: the function that it was made of, or its class."""
    own = [frame for frame in greenlet.stack if not is_library_frame(frame)]
    start = own[-1] if own else greenlet.stack[-1] if greenlet.stack else None
    what = greenlet.shown.rpartition(".")[2]
    if start is None or start.hole is not None:
        return f"{what} at {greenlet.address:#x}"
    return f"{what} of {start.qualname or start.name}() at {greenlet.address:#x}"


def _future_wait(reader: WaitReader, task: Task, awaited: tuple[int, ...]) -> TaskWait | None:
    """Return the wait of a task whose own code awaits a future, a task or a gather()."""
    if not task.waits_for:
        return None
    classes = reader.class_names(task.waits_for)
    name = reader.name_in_frame(task.waits_for, task.stack[0] if task.stack else None)
    kind, place = wait_rules.TASKS if awaited else wait_rules.FUTURE, ""
    if task.waits_for in awaited:
        kind = wait_rules.TASK
    elif _GATHERING in classes:
        kind, place = wait_rules.TASKS, "asyncio.gather"
    return TaskWait(kind, task.waits_for, classes[0] if classes else "", name, place)


class ContextManagers:
    """The context managers that suspended stacks are inside of."""

    def __init__(self, reader: WaitReader) -> None:
        context = reader.context
        self._waits = reader
        self._slots = FrameSlots(context.reader)
        self._coroutines = CoroutineReader(context.reader, context.objects, context.types)

    def managers_entered_by_stack(
        self, stack: Sequence[PyFrame], wait: TaskWait | None
    ) -> tuple[int, ...]:
        """Return the objects whose `with` blocks a stack is inside of, the innermost first.

        A condition that it waits for gave its lock away.
        """
        managers: dict[int, None] = {}
        todo = _own_frames_with_inward(stack)
        generators = 0
        while todo and len(managers) < MAX_MANAGERS:
            for manager in self._managers_of_frame(*todo.pop(0)):
                if manager in managers:
                    continue
                managers[manager] = None
                generator = self._waits.attribute(manager, "gen")
                if generators < MAX_GENERATORS and self._coroutines.ident(generator) in COROUTINES:
                    generators += 1
                    todo += _own_frames_with_inward(
                        self._coroutines.suspended_chain(generator).frames
                    )
        awaited_object = wait.address if wait is not None else 0
        held: dict[int, None] = {}
        for manager in managers:
            if manager == awaited_object:
                continue
            held[manager] = None
            lock = self._waits.attribute(manager, "_lock", "_block")
            if lock and self._waits.wait_kind_by_class(manager) in (
                wait_rules.CONDITION,
                wait_rules.LOCK,
            ):
                held[lock] = None
        return tuple(held)

    def _managers_of_frame(self, frame: PyFrame, inward: PyFrame | None) -> list[int]:
        try:
            return self._slots.entered_managers(frame, inward)[::-1]
        except EpiError:
            return []


def _own_frames_with_inward(stack: Sequence[PyFrame]) -> list[tuple[PyFrame, PyFrame | None]]:
    """Return the program's own frames of a stack, each with the frame inward of it."""
    pairs = [(frame, stack[place - 1] if place else None) for place, frame in enumerate(stack)]
    return [pair for pair in pairs if not is_library_frame(pair[0])]


def add_lock_holders(
    reader: WaitReader, unfinished: Sequence[UnfinishedTask]
) -> list[UnfinishedTask]:
    """Return the same with the holders of locks: by what the lock says, else by frames."""
    ids = {each.id for each in unfinished}
    holders: dict[int, list[int]] = {}
    for each in unfinished:
        for held in each.holds:
            holders.setdefault(held, []).append(each.id)
    return [_add_holder(reader, each, ids, holders) for each in unfinished]


def _add_holder(
    reader: WaitReader,
    unfinished: UnfinishedTask,
    ids: Iterable[int],
    holders: Mapping[int, list[int]],
) -> UnfinishedTask:
    wait = unfinished.wait
    if wait is None or not wait.address or unfinished.wakers or unfinished.certainty == OUTSIDE:
        return unfinished
    owner = reader.lock_owner(wait.address)
    if owner and owner in ids:
        return unfinished._replace(wakers=(owner,), certainty=CERTAIN)
    by_frames = [holder for holder in holders.get(wait.address, ()) if holder != unfinished.id]
    if by_frames:
        return unfinished._replace(wakers=tuple(by_frames), certainty=BY_FRAMES)
    return unfinished
