# SPDX-License-Identifier: Apache-2.0
"""Which threads will wake another one, by the calls that their frames' code has yet to make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.library_calls import (
    FUTURES,
    MANAGED_ITEM,
    POOL_RESULTS,
    PROCESS_QUEUE,
    QUEUE_END,
    QUEUE_ITEM,
    QUEUE_ROOM,
)
from gdb_epi.hangs.tasks import SETTERS
from gdb_epi.hangs.types import DEADLOCK, HangDiagnosis, ThreadActivity, function_and_line
from gdb_epi.locks.python.call_sites import CLOCKS
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import default_when_unreadable

MAX_SETTING = 16  # frames of a thread whose calls are read
MAX_OUTER = 64  # frames of a waiting thread that are looked at
MAX_THREADS = 256  # that are looked at
_SET = ("threading.Event", "threading.Condition", "Future")  # kinds of waits that set() may end
_GIVES = SETTERS | {"notify", "notify_all", "release"}
_PUTS = frozenset(("put", "put_nowait"))
_ENDS = {  # methods that end a wait for a queue
    QUEUE_ITEM: _PUTS, QUEUE_ROOM: frozenset(("get", "get_nowait")),
    QUEUE_END: frozenset(("task_done",)), PROCESS_QUEUE: _PUTS, MANAGED_ITEM: _PUTS,
}  # fmt: skip
_OF_WAITERS = ("wait", "is_set")
_SIMPLE_QUEUE = "queue.SimpleQueue"
_SEMAPHORE = "Semaphore"
MAX_DEPTH = 2  # functions that functions call
# What functions of CPython's library call their own events: no reader knows these names.
_OF_CPYTHON = frozenset(("waiter.event", "server._BaseServer__is_shut_down"))
_EVENT = "threading"  # the module whose frames wait
MAX_DIGITS = 3  # behind the point of a number of seconds that somebody wrote
# An object with such a name is set to end the program: waiting for it is waiting for work.
_ENDS_PROGRAM = ("stop", "shut", "exit", "quit", "term", "kill", "clos", "forever", "interrupt",
         "sigint", "halt")  # fmt: skip


def name_awaited_object(context: HangContext, activity: ThreadActivity) -> tuple[str, str]:
    """Return what the program calls the object that a thread waits for, and the wait with it."""
    name = (
        context.frame_references.variable_name(activity.object, activity.tid)
        if activity.object
        else ""
    )
    if activity.awaits == POOL_RESULTS:
        name = name.removesuffix("._event").removesuffix("self")  # an event of the pool's own
    is_new = bool(name) and name not in activity.what and name not in _OF_CPYTHON
    return name, f"{activity.what} ({name})" if is_new else activity.what


def is_shutdown_name(name: str) -> bool:
    """Tell whether an object has the name of something that ends the program."""
    return any(word in name.lower().rpartition(".")[2] for word in _ENDS_PROGRAM)


def is_waiting_for_event_nobody_sets(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether it is threading.Event().wait(): nobody can ever set it, nor was meant to.

    So is an event with a name whose function does nothing with it but wait for it.
    """
    if (
        activity.tid != context.main_tid
        or activity.kind != hang_types.EVENT
        or activity.awaits in (POOL_RESULTS, *FUTURES)  # a library's, which has no name
        or not activity.object
    ):
        return False
    name = name_awaited_object(context, activity)[0]
    return not name or _is_variable_only_waited_for(context, activity, name)


def _is_variable_only_waited_for(context: HangContext, activity: ThreadActivity, name: str) -> bool:
    """Tell whether a variable of the program's innermost code is handed to nobody.

    It is a local, or a global of the module that runs, of which no function of the program has the
    name.
    """
    if not activity.frames:
        return False
    frame, load = activity.frames[0], "fast"
    try:
        if frame.name == "<module>" and name.startswith(f"{frame.module}."):
            name, load = name[len(frame.module or "") + 1 :], "name"
            functions = context.live_code.own_codes - {frame.code}
            if any(name in context.call_sites.name_tuple(code, "co_names") for code in functions):
                return False
        uses = list(context.call_sites.names_used_by_instructions(frame.code))
    except (UnreadableMemory, LayoutError, IndexError):
        return False
    after = [following for use, following in pairwise(uses) if use[2] == name and use[1]]
    loads = [(does, used) for _, does, used in after]
    is_own = all(does in (load, "") for _, does, used in uses if used == name)
    return (
        is_own
        and bool(loads)
        and all(does in ("attr", "method") and used in _OF_WAITERS for does, used in loads)
    )


def find_wakers(
    context: HangContext, activity: ThreadActivity, *, surely: bool = False
) -> set[int]:
    """Return the other threads whose code sets, puts or releases later what a thread waits for.

    `surely`: only those whose own frames call set() and the like.
    """
    if not activity.object:
        return set()
    names, depth = (SETTERS, 0) if surely else (methods_ending_wait(context, activity), MAX_DEPTH)
    others = [d for d in context.activities[:MAX_THREADS] if d.tid != activity.tid and d.frames]
    return {
        d.tid for d in others
        # One that failed to take the lock does not release it.
        if not context.acquire_calls.failed_to_take(d.tid, activity.object)
        and any(
            at == activity.object and does in names
            for at, does in _calls_ahead_in_own_frames(context, d, depth)
        )
    }  # fmt: skip


def _calls_ahead_in_own_frames(
    context: HangContext, activity: ThreadActivity, depth: int
) -> frozenset[tuple[int, str]]:
    """Return (object, method) of the calls that the program's frames of a thread have to make."""
    key = activity.tid, depth
    if key not in context.ahead:
        calls: set[tuple[int, str]] = set()
        running = 0
        for frame in activity.frames[:MAX_SETTING]:
            with suppress(UnreadableMemory, LayoutError):
                calls.update(context.acquire_calls.calls_ahead(frame, depth, running))
            with suppress(UnreadableMemory, LayoutError):
                calls.update(_calls_at_exit_of_with_blocks(context, frame, depth))
            running = frame.code
        context.ahead[key] = frozenset(calls)
    return context.ahead[key]


def _calls_at_exit_of_with_blocks(
    context: HangContext, frame: PyFrame, depth: int
) -> Iterator[tuple[int, str]]:
    """Yield (object, method) of the calls that are made when a frame leaves its `with` blocks.

    A semaphore is released, and the function behind `@contextmanager` goes on. Raises
    UnreadableMemory, LayoutError.
    """
    for _, manager in context.view.slots.entered_with_blocks((frame,)):
        if context.view.type_name(manager).endswith(_SEMAPHORE):
            yield manager, "release"
        resting = context.view.frame_of_manager(manager)
        if resting is not None:
            yield from context.acquire_calls.calls_ahead(resting, depth)


@default_when_unreadable(False)
def _may_frame_end_wait_on(context: HangContext, frame: PyFrame, address: int) -> bool:
    return any(
        at == address and name in SETTERS for at, name in context.acquire_calls.calls_ahead(frame)
    )


def methods_ending_wait(context: HangContext, activity: ThreadActivity) -> frozenset[str]:
    """Return the methods that end a thread's wait, of the object that it waits for."""
    wait = context.waits.get(activity.tid)
    if wait is not None and wait.kind == _SIMPLE_QUEUE:
        return _PUTS
    return _ENDS.get(activity.awaits, _GIVES)


@process_rule_from_thread_rule
def diagnose_event_set_by_caller(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A thread waits for an event that a function further out on its own stack sets later.

    The outer function continues only when the waiting one returns, and that waits for the outer
    one. So does shutdown() that a handler of serve_forever() calls (Lib/socketserver.py, 3.8 to
    3.15).
    """
    wait = context.waits.get(activity.tid)
    if activity.kind != hang_types.EVENT or not activity.object or activity.timed:
        return None
    if wait is not None and wait.kind not in _SET:  # most threads of a process wait for jobs
        return None
    frames = context.view.frames(activity.tid)[:MAX_OUTER]
    outer = next(
        (
            f
            for f in _frames_outside_wait(frames)
            if _may_frame_end_wait_on(context, f, activity.object)
        ),
        None,
    )
    if outer is None or find_wakers(context, activity):
        return None
    _, what = name_awaited_object(context, activity)
    caller = function_and_line(outer)
    sentence = (
        f"{activity.waits()} for {what} that is to come from {caller}, which goes on only when "
        f"this call returns, so that the thread waits for itself"
    )
    evidence = (f"thread {activity.tid} runs {caller}, whose code has yet to set it",)
    return HangDiagnosis(
        DEADLOCK, "own caller", sentence, (activity,),
        INFO if context.foreign_threads else PROBABLE, evidence,
        ("a timeout", "code of another thread's frames that sets it"),
        ("a callback, or code that runs later in another thread, could set it",),
        by_itself=True,
    )  # fmt: skip


def diagnose_queue_cycle(context: HangContext) -> HangDiagnosis | None:
    """Threads that put into full queues or wait for items, each needing the next one to act.

    Workers without work wait in circles too, but a thread that waits for room is stuck until
    somebody takes an item. Every thread that has one of these queues at hand must wait in such a
    circle, or for a member of it.
    """
    waiting = {
        d.tid: d for d in context.activities
        if d.kind == hang_types.EVENT and d.object and d.frames and not d.timed
    }  # fmt: skip
    full = [tid for tid, d in waiting.items() if d.awaits == QUEUE_ROOM]
    if not full or len(context.activities) > MAX_THREADS:
        return None
    givers = {
        tid: [other for other in sorted(find_wakers(context, d))
              if other not in waiting or not _do_threads_await_same_object(d, waiting[other])]
        for tid, d in waiting.items()
    }  # fmt: skip
    able = {
        tid: {*context.frame_references.threads_referring_to(d.object), *givers[tid]}
        for tid, d in waiting.items()
    }
    joins = {
        d.tid: {d.target} for d in context.activities
        if d.kind == hang_types.JOIN and not d.timed and d.target not in (None, d.tid)
    }  # fmt: skip
    needs = {**joins, **{tid: others for tid, others in able.items() if givers[tid]}}
    stuck = set(needs)
    while ends := {tid for tid in stuck if not needs[tid] <= stuck}:
        stuck -= ends
    for start in full:
        path = [start]
        while path[-1] in stuck and len(set(path)) == len(path):
            path.append(next((tid for tid in givers[path[-1]] if tid in waiting), 0))
        if path[-1] in path[:-1]:
            circle = path[path.index(path[-1]) : -1]
            return _diagnose_cycle_of_queues([waiting[tid] for tid in circle], context)
    return None


def _do_threads_await_same_object(first: ThreadActivity, second: ThreadActivity) -> bool:
    return (first.object, first.awaits) == (second.object, second.awaits)


def _diagnose_cycle_of_queues(
    circle: Sequence[ThreadActivity], context: HangContext
) -> HangDiagnosis:
    parts, evidence = [], []
    for activity, giver in zip(circle, (*circle[1:], circle[0]), strict=True):
        _, what = name_awaited_object(context, activity)
        parts.append(f"{activity.waits()} for {what}, which is to come from {giver.who()}")
        evidence.append(
            f"code of {giver.who()} calls "
            f"{_calls_joined_by_or(methods_ending_wait(context, activity))} of it"
        )
    return HangDiagnosis(
        DEADLOCK, "queues", f"{len(circle)} threads wait for each other: {'; '.join(parts)}",
        tuple(circle), INFO if context.foreign_threads else PROBABLE, tuple(evidence),
        ("a timeout", "another thread that has one of the queues at hand"),
        ("code that reaches a queue through a global, or a signal handler",),
    )  # fmt: skip


def _calls_joined_by_or(methods: Iterable[str]) -> str:
    return " or ".join(f"{name}()" for name in sorted(methods))


def _frames_outside_wait(frames: Sequence[PyFrame]) -> Iterator[PyFrame]:
    """Yield the frames outward of the one that called wait()."""
    inner = 0
    while inner < len(frames) and frames[inner].module == _EVENT:
        inner += 1
    yield from frames[inner + 1 :]


def find_thread_called_by_same_library(
    context: HangContext, activity: ThreadActivity, chain_tids: Sequence[int]
) -> ThreadActivity | None:
    """Return a thread whose Python code the native library called in which another one waits."""
    if not activity.module:
        return None
    return next(
        (d for d in context.activities if d.frames and d.tid not in (activity.tid, *chain_tids)
         and not any(f.module == "threading" for f in context.view.frames(d.tid)[-2:])
         and activity.module in context.native_modules(d.tid)), None,
    )  # fmt: skip


def other_stuck_thread_clause(
    context: HangContext, activity: ThreadActivity, same: Sequence[ThreadActivity],
    chain_tids: Sequence[int],
) -> str:  # fmt: skip
    """Say of another thread that waits too, for something else: what that gives may be missing."""
    stuck = next(
        (d for d in context.threads_by_importance
         if d.frames and not d.timed and d.tid not in (activity.tid, *chain_tids)
         and d not in same and d.kind in (hang_types.LOCK, hang_types.EVENT, hang_types.JOIN,
         hang_types.READ, hang_types.WRITE)), None,
    )  # fmt: skip
    return f"{stuck.waits()} for {stuck.awaited_text()}; " if stuck else ""


def find_timer_of_thread(context: HangContext, activity: ThreadActivity) -> int:
    """Return the threading.Timer (PyObject *) whose thread waits for its time; 0 for others.

    Reference: Lib/threading.py, 3.8 to 3.15.
    """
    if activity.frames or not activity.timed:
        return 0
    frames = context.view.frames(activity.tid)
    runs = (f for f in frames if (f.module, f.name) == ("threading", "run"))
    timers = filter(None, (context.view.variable(frame, "self") for frame in runs))
    return next((timer for timer in timers if context.view.attribute(timer, "interval")), 0)


@default_when_unreadable(False)
def has_clock_deadline(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a wait has a timeout that its loop computes by the clock, as schedulers do.

    Such a loop does something when the time has come. A constant is a round number.
    """
    waits = next((f for f in context.view.frames(activity.tid) if f.module == _EVENT), None)
    word = context.view.variable(waits, "timeout") if waits is not None and activity.timed else None
    if not activity.frames or not word or context.view.type_name(word) != "float":
        return False
    seconds = context.view.float_value(word)
    by_clock = context.names_called_in_loop(activity.frames[0]) & CLOCKS
    return bool(by_clock) and seconds != round(seconds, MAX_DIGITS)


@default_when_unreadable(False)
def does_timer_restart_itself(context: HangContext, timer: int) -> bool:
    """Tell whether the function of a Timer starts another one, if its code can be read."""
    function = context.view.attribute(timer, "function")
    return function is not None and "Timer" in context.acquire_calls.names_called(
        function, MAX_DEPTH
    )
