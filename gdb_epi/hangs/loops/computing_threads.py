# SPDX-License-Identifier: Apache-2.0
"""Threads that compute: whether what they run is seen to come to an end.

A `for` in no `while` goes on to the next member, a loop that compares a clock ends when its time
has come, and one that nothing leads out of is meant to go on. Of another `while` one core cannot
tell whether it ends, nor of native code of the program's own: of 12 and 3 programs that nobody here
had seen 7 and 3 were endless (tests/bench/gallery.md). Those are said to be unsure. What dry_run.py
can follow was answered before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.fault.signal_sender import SIGNALLING
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import library_frames_called
from gdb_epi.hangs.loops.endless_loops import does_dry_run_end, is_ended_by_error
from gdb_epi.hangs.loops.futile_polls import find_polled_condition
from gdb_epi.hangs.loops.library_retries import diagnose_library_retry
from gdb_epi.hangs.loops.recursive_queries import UnlimitedRecursion, find_running_recursion
from gdb_epi.hangs.loops.walks_through_circular_links import is_circular, years_of_walk
from gdb_epi.hangs.system_calls import MAY_LAST
from gdb_epi.hangs.tasks import event_loop_module, name_task, own_frames
from gdb_epi.hangs.types import (
    GIL,
    HANG,
    IN_CALL,
    LONG_QUERY,
    NO_FAULT,
    RUNNING,
    UNSEEN_END,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.locks.python.call_sites import loop_ends_by_clock
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import counted, default_when_unreadable

_YIELDS = "__sleep0"  # what sleep(0) awaits (Lib/asyncio/tasks.py, 3.8 to 3.15)
NO_END_SEEN = "nothing shows that this comes to an end"
_DOUBT = "one look cannot tell a loop that never ends from a long computation"
MAX_FRAMES, MAX_TEXTS, MAX_TEXT = 8, 256, 4096
ENOUGH_CALLS = 3  # of a recursion whose loops end: so does that of its outer calls
_CLOSES = "close"
_SOCKETS = ("socket", "ssl")
_WITHOUT_END = ("itertools.count", "itertools.cycle")
_TAKES = frozenset(("get", "acquire", "wait", "recv"))
_SHARED = frozenset((
    "Queue", "LifoQueue", "PriorityQueue", "SimpleQueue", "JoinableQueue", "Semaphore",
    "BoundedSemaphore", "Condition", "Event", "Barrier", "Connection",
))  # fmt: skip
_SQLITE = ("libsqlite3", "_sqlite3")
_RECURSIVE = re.compile(r"\bWITH\s+RECURSIVE\b", re.IGNORECASE)
_INSTALLED = re.compile(r"/(?:site|dist)-packages/")
_GROWS = ("append", "extend", "insert")
MAX_NAMED = 2  # other threads that run
# They run as a part of the loop that stands around them in the source.
_COMPREHENSION = re.compile(r"<(?:genexpr|(?:list|set|dict)comp)>\Z")


def diagnose_computing_threads(context: HangContext) -> HangDiagnosis | None:
    """Threads of the program run: it computes.

    A thread that has just sent a signal does not: it may be the one that ended the process.
    """
    sent = {
        thread.tid for thread in context.target.threads() if thread.system_call_name in SIGNALLING
    }
    running = [
        d for d in context.activities if d.kind in RUNNING and d.frames and d.tid not in sent
    ]
    if not running:
        return None
    holder = context.gil_holder
    running.sort(key=lambda d: (d.tid != holder, d.tid != context.main_tid))
    first = running[0]._replace(key_frames=context.frames_from_outermost_loop(running[0].frames))
    code = f" in {first.module}" if first.module else ""
    does = f"{IN_CALL}{first.call}" if first.call in MAY_LAST else f"was computing{code}"
    sentence = f"{first.who()} {does} at {first.where()}"
    others = [activity.who() for activity in running[1:]]
    if others:
        named = ", ".join(others[:MAX_NAMED])
        more = len(others) - MAX_NAMED
        rest = f" and {counted(more, 'more thread')}" if more > 0 else ""
        sentence += f", and {named}{rest} {'was' if len(others) == 1 else 'were'} running too"
    waiting = sum(d.kind == GIL for d in context.activities)
    seen = [_running_evidence(activity) for activity in running[:4]]
    if waiting:
        does = "waits for its turn" if waiting == 1 else "wait for their turn"
        seen.append(f"{counted(waiting, 'thread')} {does} with the GIL")
    ruled_out = ("a circle of locks", "a GIL that is held asleep")
    asks_them = bool(waiting) and find_polled_condition(context, first) is not None
    if (
        not others
        and first.call == _CLOSES
        and _is_innermost_frame_in_modules(context, first.tid, _SOCKETS)
    ):
        return wait_diagnosis(
            HANG, "peer does not read",
            f"{first.who()} waits in close() of a socket at {first.where()} until the other side "
            "has taken what was sent: SO_LINGER is set, for without it close() returns at once",
            first, ruled_out=ruled_out, doubts=("for how long it waits is not in this core",),
        )  # fmt: skip
    queries = (
        _strings_of_frame(context, first.frames[0]) if first.module.startswith(_SQLITE) else ()
    )
    endless = find_running_recursion(queries)
    if endless is not None:
        return _diagnose_recursive_query(first, endless, tuple(seen))
    years = max(map(years_of_walk, _strings_of_innermost_frames(context, first)), default=0.0)
    if years:
        why = (
            "links lead from its folders back to those above by several ways, so that there are "
            f"paths for at least {years:.2g} years"
        )
        return HangDiagnosis(
            HANG, "endless walk", f"{first.who()} is in a walk through folders that does not end "
            f"at {first.where()}: {why}", (first,), PROBABLE, (*seen, why),
            (*ruled_out, "a walk that knows what it has visited"), ("who stops it before that",),
        )  # fmt: skip
    retries = diagnose_library_retry(context, first)
    if retries is not None:
        return retries._replace(ruled_out=(*retries.ruled_out, *ruled_out))
    without_end = "" if others or asks_them else _code_without_seen_end(context, first)
    if without_end:
        return HangDiagnosis(
            HANG, UNSEEN_END, f"{sentence}{without_end}", (first,), INFO, tuple(seen), ruled_out,
            (_DOUBT,),
        )  # fmt: skip
    kind = "busy native" if first.module else "busy"
    return HangDiagnosis(
        NO_FAULT, kind, sentence, (first,), PROBABLE, tuple(seen), ruled_out, (_DOUBT,)
    )


def _is_innermost_frame_in_modules(
    context: HangContext, tid: int, modules: Collection[str]
) -> bool:
    frames = context.view.frames(tid)
    return bool(frames) and frames[0].module in modules


def _diagnose_recursive_query(
    activity: ThreadActivity, endless: UnlimitedRecursion, seen: tuple[str, ...]
) -> HangDiagnosis:
    """Return the answer for a thread that computes a recursive query without a limit."""
    ends = "so it never ends"
    if endless.by_rows:
        ends = "and over rows that lead back to each other it never ends"
    return HangDiagnosis(
        HANG, "recursive query", f"{activity.who()} is in a recursive query of SQLite at "
        f"{activity.where()}: nothing in its text limits its table {endless.table}, "
        f"{ends}", (activity,), PROBABLE,
        (*seen, f"its query makes rows of {endless.table} out of rows of {endless.table}"),
        ("a comparison, a LIMIT or a UNION that ends it",),
        outside=LONG_QUERY if endless.by_rows else "",
    )  # fmt: skip


def _code_without_seen_end(context: HangContext, activity: ThreadActivity) -> str:
    """Return in words what a thread runs that may have no end; "" where its end is seen."""
    if activity.call == _CLOSES:  # of a socket with SO_LINGER: as long as the other side likes
        return f"; {NO_END_SEEN}"
    if activity.module.startswith(_SQLITE) and any(
        _RECURSIVE.search(text) for text in _strings_of_frame(context, activity.frames[0])
    ):
        return "; its query is recursive, and ends only when that gives no more new rows"
    if any(map(is_circular, _strings_of_innermost_frames(context, activity))):
        return "; the path that it is at goes in a circle, as links to folders above make it"
    # A library's function returns; what calls it again and again may be further out.
    called = sorted(context.native_modules(activity.tid, within_call=True))
    own = next((name for name in called if _is_own_code(context, name)), "")
    if own:
        return f"{'' if own == activity.module else f', for code of {own}'}; {NO_END_SEEN}"
    if activity.module and not _is_standard_library(context, activity.module):
        return ""
    ended: dict[int, int] = {}  # by code, in how many calls its loop came to its end
    for number, frame in enumerate(activity.frames):
        loops = context.loop_bodies(frame)
        if loops and _iterates_over_growing_list(context, activity.frames[: number + 1]):
            return f", in a loop over a list that grows meanwhile; {NO_END_SEEN}"
        if _COMPREHENSION.match(frame.name) and _iterates_without_end(context, frame):
            return f", in a search that has no last member; {NO_END_SEEN}"
        if not loops or _COMPREHENSION.match(frame.name):
            continue
        if not any(_is_while_with_end(context, frame, loop) for loop in loops):
            given = _place_of_generator_taken_in_while(context, frame)
            return f", in a loop over what {given} gives; {NO_END_SEEN}" if given else ""
        if _waits_in_each_turn(context, activity, frame):
            return ""
        if ended.get(frame.code, 0) >= ENOUGH_CALLS or does_dry_run_end(context, activity, frame):
            ended[frame.code] = ended.get(frame.code, 0) + 1
            continue
        where = "" if frame is activity.frames[0] else f" of {function_and_line(frame)}"
        return f", in a `while` loop{where}; {NO_END_SEEN}"
    return _task_without_seen_end(context, activity)


@default_when_unreadable(False)
def _iterates_without_end(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether a comprehension takes members of an iterator that always has another one."""
    words = context.view.slots.words_of_frame(frame)
    held = [word for word in (*words.stack, *words.variables[:1]) if word and not word & 7]
    return any(context.view.type_name(word) in _WITHOUT_END for word in held)


def _place_of_generator_taken_in_while(context: HangContext, frame: PyFrame) -> str:
    """Return "function (file:line)" of a generator that a frame goes over, in a `while` of its own.

    "" where it goes over none, over one of a library, or over one that itself goes over something.
    """
    slots = context.view.slots
    for _ in range(MAX_FRAMES):
        with suppress(UnreadableMemory, LayoutError):
            words = slots.words_of_frame(frame)
            most = words.deep + len(context.loop_bodies(frame))  # above it are those of before
            held = (w for w in words.stack[:most] if w and not w & 7)
            generators = (w for w in held if context.view.type_name(w) == "generator")
            resting = next(filter(None, map(slots.frame_of_suspended_generator, generators)), None)
            if resting is None or context.installed.contains_frame(resting):
                return ""
            loops = context.loop_bodies(resting)
            if loops and any(_is_while_with_end(context, resting, loop) for loop in loops):
                return f"{function_and_line(resting)} in its `while` loop"
            frame = resting
    return ""


@default_when_unreadable(False)
def _iterates_over_growing_list(context: HangContext, frames: Sequence[PyFrame]) -> bool:
    """Tell whether the last of some frames goes over a list to which they add.

    After the head of a list's iterator come an index and the list (Objects/listobject.c). Sets,
    dicts and deques raise an error where they grow meanwhile.
    """
    words = [
        word
        for word in context.view.slots.words_of_frame(frames[-1]).stack
        if word and not word & 7
    ]
    of_lists = (word for word in words if context.view.type_name(word) == "list_iterator")
    lists = {context.view.reader.u64(iterator + 24) for iterator in of_lists} - {0}
    return bool(lists) and any(
        of in lists and method in _GROWS
        for frame in frames
        for of, method, _ in context.acquire_calls.calls_with_times(frame)
    )


@default_when_unreadable(False)
def _waits_in_each_turn(context: HangContext, activity: ThreadActivity, frame: PyFrame) -> bool:
    """Tell whether a frame's loop takes its work, or its turn, from other threads each time."""
    if context.is_only_python_thread(activity.tid):
        return False
    bodies = context.loop_bodies(frame)
    inside = (
        c for c in context.call_sites.calls_of(frame.code).calls if any(c.at in b for b in bodies)
    )
    takes = {call.path[-1] for call in inside if call.path} & _TAKES
    return any(
        method in takes and context.view.type_name(of).rpartition(".")[2] in _SHARED
        for of, method, _ in context.acquire_calls.calls_with_times(frame)
    )


def _task_without_seen_end(context: HangContext, activity: ThreadActivity) -> str:
    """Return in words which task keeps an event loop awake that is between two of its turns."""
    if not event_loop_module(library_frames_called(context, activity)):
        return ""
    awake = [task for task in context.tasks if task.stack and task.stack[0].name == _YIELDS]
    for task in awake:
        for frame in own_frames(task, context.installed):
            if any(_is_while_with_end(context, frame, loop) for loop in context.loop_bodies(frame)):
                return (
                    f", in the event loop; {name_task(task)} is always ready, in a `while` loop "
                    f"of {function_and_line(frame)}; {NO_END_SEEN}"
                )
    return ""


def _strings_of_frame(
    context: HangContext, frame: PyFrame, *, variables_only: bool = False
) -> Iterator[str]:
    """Yield the strings that a frame has in its variables, or that its code may use."""
    view = context.view
    words = [word for _, word in view.variable_addresses(frame)]
    with suppress(UnreadableMemory, LayoutError, IndexError):
        if not variables_only:
            yield from context.call_sites.name_tuple(frame.code, "co_consts")
            used = {
                name
                for _, does, name in context.call_sites.names_used_by_instructions(frame.code)
                if does == "global"
            }
            variables = view.frame_variables_reader.global_addresses(frame)
            words += [word for name, word in variables if name in used]
        for word in words[:MAX_TEXTS]:
            if view.type_name(word) == "str":
                text = view.reader.string(word, MAX_TEXT)
                if not isinstance(text, Absent):
                    yield text


def _strings_of_innermost_frames(context: HangContext, activity: ThreadActivity) -> Iterator[str]:
    """Yield the strings in the variables of a thread's innermost frames."""
    for frame in context.view.frames(activity.tid)[:MAX_FRAMES]:
        yield from _strings_of_frame(context, frame, variables_only=True)


def _is_standard_library(context: HangContext, file_name: str) -> bool:
    """Tell whether a library is a module of the standard library, whose calls soon return."""
    paths = (module.path for module in context.target.modules())
    return any(path.endswith(f"/lib-dynload/{file_name}") for path in paths)


def _is_own_code(context: HangContext, file_name: str) -> bool:
    """Tell whether a library is the program's own: no system's, CPython's or package's."""
    paths = [module.path for module in context.target.modules()]
    return any(
        path.rpartition("/")[2] == file_name
        and is_own_library(path)
        and not _INSTALLED.search(path)
        and not context.installed.contains_file(path)
        for path in paths
    )


@default_when_unreadable(False)
def _is_while_with_end(context: HangContext, frame: PyFrame, loop: range) -> bool:
    """Tell whether a loop is no `for`, and has a condition on which it is left, but no clock's."""
    head = context.call_sites.running_instruction(frame.code, loop.start)
    return (
        (head is None or head.operation != "next")
        and (
            context.call_sites.can_leave_loop(frame.code, loop)
            or is_ended_by_error(context, frame.code, (loop.start, loop.stop))
        )
        and not loop_ends_by_clock(frame.code, loop, context.call_sites)
    )


def _running_evidence(activity: ThreadActivity) -> str:
    if activity.call in MAY_LAST:
        return f"thread {activity.tid} is in {activity.call}, or just back from it"
    if activity.call:
        return (
            f"thread {activity.tid} is in {activity.call}, which waits for no other thread or "
            f"process"
        )
    return f"thread {activity.tid} runs: no system call at its instruction pointer"
