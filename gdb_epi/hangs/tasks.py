# SPDX-License-Identifier: Apache-2.0
"""Tasks and greenlets that wait for each other, of asyncio, trio, gevent and eventlet alike.

What each waits for, and who would wake it, is `cpython/running/unfinished_tasks.py`; here the
circles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf

from gdb_epi.cpython.frames.frame_slots import FrameSlots
from gdb_epi.cpython.running.unfinished_tasks import (
    BY_CODE,
    BY_FRAMES,
    CERTAIN,
    OUTSIDE,
    UNKNOWN,
    UnfinishedTask,
    read_unfinished_tasks,
)
from gdb_epi.cpython.running.wait_rules import (
    CONDITION,
    EVENT,
    FROM_OUTSIDE,
    FUTURE,
    LOCK,
    QUEUE_GET,
    QUEUE_JOIN,
    QUEUE_PUT,
    SEMAPHORE,
    WORDS,
)
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.installed_packages import InstalledPackages
from gdb_epi.hangs.library_calls import split_library_frames
from gdb_epi.hangs.types import ThreadActivity, function_and_line
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.target.api import Target
from gdb_epi.util import counted, natural_sort_key, quoted_name

NAMELESS = "a task without a name"
MAX_TASKS = 20_000
MAX_CIRCLE = 64
MAX_TEXTS = 3
_EVENT_LOOP_MODULES = (
    "asyncio.base_events", "asyncio.runners", "uvloop", "trio._core._run",
    "trio._core._io_epoll", "gevent.hub", "gevent._hub_primitives", "eventlet.hubs",
)  # fmt: skip
_UVLOOP_FILES = ("loop.cpython-", "loop.abi3")  # uvloop's only extension module

MAX_SETTERS = 2_000  # frames of a task, and of all threads, whose calls are read
SETTERS = frozenset(("set", "set_result", "set_exception", "send", "send_exception"))
_METHODS_THAT_END = {EVENT: SETTERS, FUTURE: SETTERS, QUEUE_PUT: frozenset(("get", "get_nowait"))}

# Methods that end a wait for an object, in whatever code.
ENDERS: Mapping[str, frozenset[str]] = {
    EVENT: SETTERS | {"cancel"}, FUTURE: SETTERS | {"cancel"},
    CONDITION: frozenset(("notify", "notify_all")),
    QUEUE_GET: frozenset(("put", "put_nowait", "shutdown")),
    QUEUE_PUT: frozenset(("get", "get_nowait", "shutdown")),
    QUEUE_JOIN: frozenset(("task_done", "shutdown")),
    SEMAPHORE: frozenset(("release",)), LOCK: frozenset(("release",)),
}  # fmt: skip

# What ends waits by another object than the one that is waited for.
CANCELS = frozenset(("cancel", "kill", "killall", "killone", "throw"))

_WAIT_FOR = ("asyncio.tasks", "wait_for")
_TIMEOUTS = ("Timeout", "CancelScope")  # of asyncio and async_timeout, of anyio
_FROM_POOLS = (EVENT, CONDITION, SEMAPHORE, FUTURE, QUEUE_GET)
_TAKE_OUT = frozenset(("acquire", "checkout", "getconn"))
_WAIT_FOR_ONE = frozenset(("get", "wait", "available", "free"))
# Functions that connect, or await a future of their own until another one gives a connection back.
_AWAIT_THEIR_TURN = (("aiohttp.connector", "connect"),)
_WAITERS = frozenset(("wait", "get"))  # of a class of the library's own around an event or queue
_LOOP_PACKAGES = frozenset(("", "asyncio", "anyio", "trio", "gevent", "eventlet", "contextlib"))
_ENTERING = frozenset(("acquire", "__enter__"))  # methods that `with` may call of a lock


def event_loop_module(frames: Sequence[PyFrame], native: str = "") -> str:
    """Return the module of the event loop that a thread runs; "" for none.

    `native` is the file whose code sleeps: a loop of uvloop may have no frame of Python.
    """
    if native.startswith(_UVLOOP_FILES):
        return "uvloop"
    for frame in frames:
        module = frame.module or ""
        if module.startswith(_EVENT_LOOP_MODULES):
            return module
    return ""


def unfinished_tasks(target: Target, python: PythonState) -> tuple[UnfinishedTask, ...]:
    """Return every task and greenlet that has not ended."""
    return read_unfinished_tasks(target, python).tasks[:MAX_TASKS]


def find_task_cycle(tasks: Sequence[UnfinishedTask]) -> tuple[UnfinishedTask, ...]:
    """Return tasks that wait for each other, the first such circle, or one that waits for itself.

    A task that needs all of its wakers waits for each; one that needs any single waker counts only
    if it has just one.
    """
    by_id = {task.id: task for task in tasks}
    following: dict[int, list[int]] = {}
    for task in tasks:
        if task.certainty not in (CERTAIN, BY_FRAMES, BY_CODE) or task.running:
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
                ids = [member for member, _ in path]
                return tuple(by_id[member] for member in ids[ids.index(other) :][:MAX_CIRCLE])
            if state.get(other, 0) == 0:
                path.append((other, 0))
    return ()


def add_wakers_from_code(
    tasks: Sequence[UnfinishedTask],
    threads: Iterable[PyFrame],
    calls_ahead: Callable[[PyFrame], Iterable[tuple[int, str]]],
    installed: InstalledPackages,
) -> list[UnfinishedTask]:
    """Return the tasks, with the wakers of those that wait for an event, a future or room.

    A waker is a task whose own code has yet to call `set()` or its like on it, of a full queue
    `get()`; a task that waits for an item may simply have no work, and waits for nobody. Nothing is
    added to a task that code of `threads` would wake, nor to one whose own code calls `set()`
    later: it counts on others. Nothing at all is added where code cannot be read or is too long: it
    may be what wakes the task. Wakers in code that does not run yet, a callback or a task that
    starts later, are not known.
    """
    waits = [task.wait for task in tasks if task.certainty == UNKNOWN]
    wanted = {
        wait.address: _METHODS_THAT_END[wait.kind]
        for wait in waits if wait is not None and wait.address and wait.kind in _METHODS_THAT_END
    }  # fmt: skip
    if not wanted:
        return list(tasks)

    def objects_ended_by(frames: Iterable[PyFrame]) -> set[int]:
        calls = (call for frame in frames for call in calls_ahead(frame))
        return {address for address, method in calls if method in wanted.get(address, ())}

    of_threads = tuple(frame for frame in threads if not installed.contains_frame(frame))
    of_tasks = [(task.id, own_frames(task, installed)) for task in tasks]
    if any(len(frames) > MAX_SETTERS for frames in (of_threads, *(own for _, own in of_tasks))):
        return list(tasks)
    setters: dict[int, list[int]] = {}
    try:
        by_threads = objects_ended_by(of_threads)
        for id, own in of_tasks:
            for address in objects_ended_by(own) - by_threads:
                setters.setdefault(address, []).append(id)
    except (UnreadableMemory, LayoutError):
        return list(tasks)
    return [_task_with_wakers(task, setters) for task in tasks]


def _task_with_wakers(task: UnfinishedTask, setters: Mapping[int, Sequence[int]]) -> UnfinishedTask:
    wakers = setters.get(task.wait.address, ()) if task.wait is not None else ()
    if task.certainty != UNKNOWN or not wakers or task.id in wakers:
        return task
    return task._replace(wakers=tuple(wakers), certainty=BY_CODE)


def waits_for_itself(task: UnfinishedTask, slots: FrameSlots, installed: InstalledPackages) -> bool:
    """Tell whether a task waits for a lock whose `async with` block it is inside of."""
    if task.wait is None or task.wait.kind != LOCK or not task.wait.address:
        return False
    inward = None
    for frame in task.stack:
        try:
            entered = (
                [] if installed.contains_frame(frame) else slots.entered_managers(frame, inward)
            )
        except (UnreadableMemory, LayoutError):
            entered = []
        # A lock may be entered by its acquire() too; whether this one is the second is not known.
        if inward is not None and inward.name in _ENTERING and entered[-1:] == [task.wait.address]:
            entered.pop()
        if task.wait.address in entered:
            return True
        inward = frame
    return False


def has_timeout(task: UnfinishedTask, tasks: Iterable[UnfinishedTask], view: PythonView) -> bool:
    """Tell whether a timeout ends what a task waits for.

    Before 3.12 wait_for() runs what it is given in a task of its own, and awaits that. One of None
    is no timeout.
    """
    calling = (other for other in tasks if other.id == task.id or task.id in other.wakers)
    limits = (
        view.variable(f, "timeout")
        for other in calling for f in other.stack if (f.module, f.name) == _WAIT_FOR
    )  # fmt: skip
    if any(not limit or view.type_name(limit) != "NoneType" for limit in limits):
        return True
    return any(
        view.type_name(held) in _TIMEOUTS and not _is_without_limit(held, view)
        for held in task.holds
    )


def _is_without_limit(scope: int, view: PythonView) -> bool:
    """Tell whether a timeout was given None, or a scope no deadline."""
    for name in ("_when", "_deadline"):
        limit = view.attribute(scope, name)
        kind = view.type_name(limit)
        if kind == "NoneType" or (kind == "float" and limit and view.float_value(limit) == inf):
            return True
    return False


def own_frames(task: UnfinishedTask, installed: InstalledPackages) -> tuple[PyFrame, ...]:
    """Return the program's own frames of a task, innermost first."""
    return tuple(f for f in task.stack if f.hole is None and not installed.contains_frame(f))


def frame_taking_from_pool(task: UnfinishedTask, installed: InstalledPackages) -> PyFrame | None:
    """Return a library's frame in which a task waits for what a pool gives: a connection, mostly.

    Neither time nor a peer ends that wait, but whoever gives one back. What a pool calls may wait
    for a server instead: its own function has to await the event.
    """
    if task.wait is None or task.wait.kind not in _FROM_POOLS or task.running:
        return None
    inner = _package_frames(task, installed)
    frame = next((each for each in inner if each.name.strip("_") not in _WAITERS), None)
    words = set(frame.name.lower().split("_")) if frame is not None else set[str]()
    if frame is not None and (frame.module, frame.name) in _AWAIT_THEIR_TURN:
        own = frame.address == task.stack[0].address  # what it calls waits for a server
        words |= {"acquire"} if own else set()
    takes = words & _TAKE_OUT or ("connection" in words and words & _WAIT_FOR_ONE)
    return frame if takes and own_frames(task, installed) else None


def packages_called(
    task: UnfinishedTask, installed: InstalledPackages
) -> frozenset[tuple[str, str]]:
    """Return the packages, but those of event loops, that a task's wait is in: name and folder."""
    packages = set[tuple[str, str]]()
    for frame in _package_frames(task, installed):
        top = (frame.module or "").partition(".")[0]
        before, folder, _ = frame.filename.rpartition(f"/{top}/")
        if folder:
            packages.add((top, before + folder))
    return frozenset(packages)


def _package_frames(task: UnfinishedTask, installed: InstalledPackages) -> list[PyFrame]:
    """Return the frames of libraries, but those of event loops, that the program called."""
    inner, _ = split_library_frames(task.stack, installed.contains_frame)
    return [f for f in inner if (f.module or "").partition(".")[0] not in _LOOP_PACKAGES]


def name_task(task: UnfinishedTask) -> str:
    """Return how a sentence calls a task: no address, which says nothing to a reader."""
    name = task.name.partition(" at 0x")[0]
    if name.startswith(("task 0x", "0x")):
        return NAMELESS
    shown = quoted_name(name)
    return shown if shown.startswith("task") else f"task {shown}"


def describe_waiting_task(task: UnfinishedTask, installed: InstalledPackages) -> str:
    """Return "task NAME waits at f (file:line) for a lock (x)" for a sentence."""
    return f"{name_task(task)} waits{_wait_words(task, installed)}"


def _wait_words(task: UnfinishedTask, installed: InstalledPackages) -> str:
    own = own_frames(task, installed) or task.stack
    place = f" at {function_and_line(own[0])}" if own else ""
    if task.wait is not None and task.wait.place and own:
        place = f" in {task.wait.place.rpartition('.')[2]}(){place}"
    reason = (
        f" for {task.wait.text(several=True, addresses=False)}" if task.wait is not None else ""
    )
    return f"{place}{reason}"


def held_up_clause(tasks: Sequence[UnfinishedTask], installed: InstalledPackages) -> str:
    """Return "4 tasks wait for a lock that task a holds, which waits for an event at f (file:1)".

    Of the holders that hold up most tasks, and wait for no lock themselves; "" without any.
    """
    by_id = {task.id: task for task in tasks}
    held_up: dict[tuple[str, tuple[int, ...]], list[UnfinishedTask]] = {}
    for task in tasks:
        holders = [by_id.get(waker) for waker in task.wakers] if waits_for_holder(task) else []
        if holders and all(
            holder is not None and not waits_for_holder(holder) for holder in holders
        ):
            kind = task.wait.kind if task.wait is not None else ""
            held_up.setdefault((kind, task.wakers), []).append(task)
    if not held_up:
        return ""
    (kind, wakers), waiting = max(held_up.items(), key=lambda pair: len(pair[1]))
    holding = [by_id[waker] for waker in wakers]
    who = name_task(waiting[0]) if len(waiting) == 1 else counted(len(waiting), "task")
    waits = "waits" if len(waiting) == 1 else "wait"
    holders_wait = {_plain_wait_words(task, installed) for task in holding}
    names, s = _names_of_tasks(list(map(name_task, holding))), "s" if len(holding) == 1 else ""
    why = f", which wait{s}{holders_wait.pop()}" if len(holders_wait) == 1 else ""
    return f"{who} {waits} for {WORDS[kind]} that {names} hold{s}{why}"


def _plain_wait_words(task: UnfinishedTask, installed: InstalledPackages) -> str:
    """Return " for an event at f (file:1)"."""
    own = own_frames(task, installed) or task.stack
    at = f" at {function_and_line(own[0])}" if own else ""
    return f"{f' for {WORDS[task.wait.kind]}' if task.wait and task.wait.kind in WORDS else ''}{at}"


def waits_for_holder(task: UnfinishedTask) -> bool:
    """Tell whether a task waits for what another one holds, not for what it will do."""
    return task.wait is not None and task.wait.kind in (LOCK, SEMAPHORE)


def texts_of_tasks(
    tasks: Sequence[UnfinishedTask],
    installed: InstalledPackages,
    among: Sequence[UnfinishedTask] = (),
) -> list[str]:
    """Return what tasks wait for, those that wait alike in one text.

    With who holds it, where that is one of the tasks `among`.
    """
    names_by_id = {task.id: name_task(task) for task in among}
    alike: dict[str, list[str]] = {}
    for task in tasks:
        words = _wait_words(task, installed)
        if task.wakers and waits_for_holder(task) and names_by_id.keys() >= {*task.wakers}:
            words += f", held by {_names_of_tasks([names_by_id[waker] for waker in task.wakers])}"
        alike.setdefault(words, []).append(name_task(task))
    return [
        f"{_names_of_tasks(names)} wait{'s' if len(names) == 1 else ''}{words}"
        for words, names in alike.items()
    ]


def _names_of_tasks(phrases: Sequence[str]) -> str:
    """Return "tasks a and b", or "5 tasks" where names do not tell them apart."""
    if len(phrases) == 1:
        return phrases[0]
    named = [phrase.removeprefix("task ") for phrase in sorted({*phrases}, key=natural_sort_key)]
    if len(named) < len(phrases) or NAMELESS in named:
        return f"{len(phrases)} tasks"
    if len(named) > MAX_TEXTS:
        named[MAX_TEXTS:] = [f"{len(named) - MAX_TEXTS} more"]
    return f"tasks {', '.join(named[:-1])} and {named[-1]}"


def activity_of_task(
    thread: ThreadActivity, task: UnfinishedTask, installed: InstalledPackages
) -> ThreadActivity:
    """Return what the thread of a loop does for a task that waits: a member of an answer."""
    kind = task.wait.kind if task.wait is not None else "?"
    frames = own_frames(task, installed) or task.stack
    return thread._replace(frames=frames, label=f"task:{kind}", task=(task.id, task.name))


def sort_own_tasks_first(
    tasks: Sequence[UnfinishedTask], installed: InstalledPackages
) -> list[UnfinishedTask]:
    """Return the tasks that have frames of the program, those that matter before idle consumers.

    A consumer waits for the next item, as it should, unless a task waits for its end. Who holds the
    lock that others wait for, and waits for no task itself, comes first. Then those with most
    frames.
    """
    awaited = {waker for task in tasks for waker in task.wakers}
    holders = {waker for task in tasks if waits_for_holder(task) for waker in task.wakers}

    def sort_rank(task: UnfinishedTask) -> tuple[bool, bool, int]:
        consumes = task.wait is not None and task.wait.kind == QUEUE_GET
        behind = task.id not in holders or bool(task.wakers)
        frames = -len(own_frames(task, installed))
        return consumes and task.id not in awaited, behind, frames

    return sorted((task for task in tasks if own_frames(task, installed)), key=sort_rank)


def tasks_clause(
    tasks: Sequence[UnfinishedTask], installed: InstalledPackages, of_first: str = ""
) -> str:
    """Return what tasks, in sort_own_tasks_first()'s order, wait for; `of_first` follows the first.

    If any task waits for a thing with a name, one of these is among them: the name says what the
    waiting is about.
    """
    ranked = sort_own_tasks_first(tasks, installed)
    first = ranked[:MAX_TEXTS]
    named = (task for task in ranked if task.wait is not None and task.wait.name)
    telling = next(named, None)
    if telling is not None and telling not in first:
        first[-1] = telling
    alike = {_wait_words(task, installed) for task in first}
    first += [t for t in ranked if t not in first and _wait_words(t, installed) in alike]
    shown = texts_of_tasks(first, installed, tasks)
    more = len(ranked) - len(first)
    shown[1:1] = filter(None, [of_first])
    return "; ".join(shown) + (f"; and {counted(more, 'more task')}" if more > 0 and shown else "")


def count_woken_from_outside(tasks: Sequence[UnfinishedTask]) -> dict[str, int]:
    """Count the tasks that something outside of all tasks wakes, by the kind of their wait."""
    kinds: dict[str, int] = {}
    for task in tasks:
        if task.wait is not None and (task.certainty == OUTSIDE or task.wait.kind in FROM_OUTSIDE):
            kinds[task.wait.kind] = kinds.get(task.wait.kind, 0) + 1
    return kinds
