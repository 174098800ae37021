# SPDX-License-Identifier: Apache-2.0
"""A wait for a child process: a queue nobody reads until then, what is sent after it, a kill.

A process does not end before what it put into a multiprocessing.Queue is in the pipe, which has
room for 64 KiB. So a parent that joins first and reads later waits for ever ("Joining processes
that use queues", multiprocessing's programming guidelines).
"""

from __future__ import annotations

from itertools import chain, islice

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import EpiError, LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.types import ThreadActivity
from gdb_epi.locks.python.acquire_calls import AHEAD, MAX_DEPTH
from gdb_epi.typing_lite import NamedTuple

MAX_FRAMES = 2_000  # of other threads that are examined
MAX_ATTRIBUTES = 64  # of one object in a variable
_READS = frozenset(("get", "get_nowait"))
_GIVES = frozenset(("set", "release", "notify", "notify_all", "put", "send", "send_bytes"))
_KILLS = frozenset(("terminate", "kill"))
_AWAITS = frozenset(("join", "wait"))
_NEVER_PUT = "NoneType"  # Queue._thread of a process that has put nothing: it has no feeder


class UnreadQueue(NamedTuple):
    """A queue that nobody reads for now, and how many items lie in it; None: that is not known."""

    name: str
    items: int | None


def find_unread_queue(context: HangContext, activity: ThreadActivity) -> UnreadQueue | None:
    """Return a queue that a waiting thread's code reads later or never; None for none.

    Only queues into which this process put nothing: what is in them its children put there. None
    that another thread has at hand: it may read it. One that is known to hold items may have been
    read before.
    """
    for frame in activity.frames:
        try:
            calls = list(context.acquire_calls.calls_with_times(frame))
            later = [
                at
                for at, how in context.acquire_calls.calls_ahead(frame, MAX_DEPTH)
                if how in _READS
            ]
        except EpiError:
            continue
        names = {at: name for name, at in context.view.variable_addresses(frame)}
        for word, owner in list(names.items())[:MAX_ATTRIBUTES]:
            attributes = islice(context.view.attributes(word), MAX_ATTRIBUTES)
            names.update(
                (at, f"{owner}.{name}") for name, at in attributes
                if at not in names and _count_items_in_queue(context, at)
            )  # fmt: skip
        read_here = (at for at, how, _ in calls if how in _READS)
        for queue in dict.fromkeys((*names, *read_here, *later)):
            if not _do_others_put_into_queue(context, queue):
                continue
            items = _count_items_in_queue(context, queue)
            reads = [when for at, method, when in calls if at == queue and method in _READS]
            if (
                items == 0
                or not (items or all(when == AHEAD for when in reads))
                or _do_other_threads_use_queue(context, activity.tid, queue)
            ):
                continue
            name = names.get(queue) or context.frame_references.variable_name(queue, activity.tid)
            return UnreadQueue(name or "multiprocessing.Queue", items)
    return None


def _count_items_in_queue(context: HangContext, queue: int) -> int | None:
    """Return how many items were put into a queue and not taken; None where that is not known.

    put() takes a place of the queue's semaphore before it does anything else, get() gives it back
    (Lib/multiprocessing/queues.py, 3.8 to 3.15). Its value is in memory that processes share.
    """
    semlock = context.view.attribute(queue, "_sem", "_semlock")
    lock = context.view.locks.lock_at(semlock) if semlock else None
    if not semlock or lock is None:
        return None
    try:
        places = context.view.reader.field32(semlock, "SemLockObject", "maxvalue")
    except (UnreadableMemory, LayoutError):
        return None
    left = read_u32(context.target, lock.start)
    return places - left if left is not None and 0 <= left <= places else None


def sent_only_after_child_clause(context: HangContext, activity: ThreadActivity) -> str:
    """Say what a thread gives to children only when the one that it waits for has ended.

    "" for nothing: also where it waits for further children after that, as for consumers that
    are told to stop when the producers are done; and where another thread may give it.
    """
    for frame in activity.frames:
        try:
            ahead = [
                (at, how)
                for at, how, when in context.acquire_calls.calls_with_times(frame)
                if when == AHEAD
            ]
        except EpiError:
            return ""
        for place, (receiver, method) in enumerate(ahead):
            if method not in _GIVES or not _is_synchronizing_processes(context, receiver):
                continue
            if any(how in _AWAITS for _, how in ahead[place:]):
                return ""
            if _do_other_threads_use_queue(context, activity.tid, receiver):
                return ""
            name = context.frame_references.variable_name(receiver, activity.tid)
            return f"{name}.{method}()" if name else f"{method}() of what processes share"
    return ""


def find_kill_call(context: HangContext, frame: PyFrame) -> str:
    """Return "terminate()" or "kill()" where code of a frame has called that of a process."""
    try:
        calls_made = [
            (at, how)
            for at, how, when in context.acquire_calls.calls_with_times(frame)
            if when != AHEAD
        ]
    except EpiError:
        return ""
    processes = (how for at, how in calls_made if context.view.attribute(at, "_popen") is not None)
    return next((f"{method}()" for method in processes if method in _KILLS), "")


def _is_synchronizing_processes(context: HangContext, address: int) -> bool:
    """Tell whether an object is one by which processes wait for each other.

    A lock, semaphore, event or condition of multiprocessing has a SemLock, directly or in one of
    its parts; queues and connections have descriptors.
    """
    names = dict(context.view.attributes(address))
    if names.keys() & {"_semlock", "_handle"} or {"_reader", "_writer"} <= names.keys():
        return True
    inner = (names.get(name, 0) for name in ("_flag", "_lock", "_cond"))
    return any(at and context.view.attribute(at, "_semlock") for at in inner)


def _do_other_threads_use_queue(context: HangContext, tid: int, queue: int) -> bool:
    """Tell whether code that another thread runs has a queue in a variable or calls a method of it.

    Also where that code cannot be read, or is too much to read.
    """
    others = (
        context.view.frames(activity.tid) for activity in context.activities if activity.tid != tid
    )
    for number, frame in enumerate(chain.from_iterable(others)):
        if number == MAX_FRAMES:
            return True
        try:
            called = {receiver for receiver, _, _ in context.acquire_calls.calls_with_times(frame)}
        except EpiError:
            return True
        if queue in called or any(at == queue for _, at in context.view.variable_addresses(frame)):
            return True
    return False


def _do_others_put_into_queue(context: HangContext, queue: int) -> bool:
    if context.view.type_name(queue) not in ("Queue", "JoinableQueue"):
        return False
    attributes = dict(context.view.attributes(queue))
    if not {"_reader", "_writer", "_opid", "_thread"} <= attributes.keys():
        return False  # a queue.Queue
    return context.view.type_name(attributes["_thread"]) == _NEVER_PUT
