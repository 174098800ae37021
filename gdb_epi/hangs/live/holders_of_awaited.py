# SPDX-License-Identifier: Apache-2.0
"""Who has what tasks wait for: where nobody who can still run has it, the wait is for ever.

No code is read here. trio's and anyio's limiters and locks name the tasks that have them, and a
task that has ended gives nothing back. Their channels count open ends; an end that no object
stands for any more was dropped without being closed, and neither sends nor closes. How many refer
to an object stands in its head: where the frames of those that wait for it are all, no code is left
that could get at it, by whatever name.

Reference: trio/_sync.py, trio/_channel.py (0.22 to 0.35); anyio/_backends/_asyncio.py,
anyio/streams/memory.py (3.7 to 4.16).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.running.wait_rules import LOCK, QUEUE_GET, QUEUE_PUT, READ, SEMAPHORE
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.live.effects import CodeEffects, is_byte_in_ranges
from gdb_epi.hangs.live.futures_made_here import variables_stored
from gdb_epi.hangs.tasks import (
    MAX_TASKS,
    activity_of_task,
    describe_waiting_task,
    has_timeout,
    own_frames,
)
from gdb_epi.hangs.types import HANG, POLL, HangDiagnosis
from gdb_epi.locks.types import CERTAIN, PROBABLE
from gdb_epi.util import counted, default_when_unreadable

MAX_BORROWERS = 1_000
MAX_COUNTED = 1 << 20  # above it is no reference count
_STARTS = frozenset(("spawn", "spawn_later", "create_task", "ensure_future"))  # and return a task
_BOUNDS = ("_bound_value", "_initial_value")
_FUTURE_ITERATOR = "_asyncio.FutureIter"  # the future is its first field
_ARGUMENTS = ("co_argcount", "co_kwonlyargcount", "co_flags")
_VARARGS, _VARKEYWORDS = 4, 8  # of co_flags
_INNER = ("_CapacityLimiter__original", "_limiter", "_Lock__original", "_lock")  # anyio's of trio's
_OWNERS = ("_owner", "_owner_task")
_RECEIVING = ("trio.MemoryReceiveChannel", "trio._channel.MemoryReceiveChannel",
              "anyio.streams.memory.MemoryObjectReceiveStream")  # fmt: skip
_SENDING = ("trio.MemorySendChannel", "trio._channel.MemorySendChannel",
            "anyio.streams.memory.MemoryObjectSendStream")  # fmt: skip
# What a task waits for: the classes of the other ends, and what one is called.
_OTHER_ENDS = {QUEUE_GET: (_SENDING, "sending"), QUEUE_PUT: (_RECEIVING, "receiving")}


def reference_count(context: HangContext, address: int) -> int | None:
    """Return how many references an object counts; None where that is not all of them.

    An immortal object counts none, and a free-threaded build keeps two counts.
    """
    layout = context.view.reader.layout
    if layout.offset("PyObject", "ob_ref_local") is not None:
        return None
    count = context.view.reader.word(address)
    if layout.offset("PyObject", "ob_overflow") is not None:
        count &= 0xFFFFFFFF  # 3.14
    return count if 0 < count < MAX_COUNTED else None


@default_when_unreadable(False)
def is_referenced_only_by(
    context: HangContext, address: int, stacks: Iterable[Sequence[PyFrame]], awaiting: int = 0
) -> bool:
    """Tell whether all references to an object are words of some stacks, which wait for it.

    A weak one would give it to others. Of a future of asyncio `awaiting` tasks have one each
    (`_fut_waiter`), and so has the iterator on the stack of a coroutine that awaits it
    (Modules/_asynciomodule.c, 3.8 to 3.15).
    """
    counted_there, iterators = awaiting, set[int]()
    reader, locks = context.view.reader, context.view.locks
    if reader.layout.offset("_PyInterpreterFrame", "f_executable.bits") is not None:
        return False  # 3.14: variables may borrow what they refer to, and count nothing
    weak = reader.signed_field(reader.type_of(address), "PyTypeObject", "tp_weaklistoffset")
    if weak and reader.u64(address + weak):
        return False
    for frame in (frame for stack in stacks for frame in stack if frame.hole is None):
        words = context.view.slots.words_of_frame(frame)
        in_call = context.view.slots.value_stack_in_call(frame) or ()
        counted_there += words.variables.count(address) + in_call.count(address)
        for word in words.stack if awaiting else ():
            if locks.type_name(word) == _FUTURE_ITERATOR:
                held = reader.u64(word + reader.layout.require("PyMethodObject", "im_func"))
                iterators |= {word} if held == address else set()
    return counted_there + len(iterators) == reference_count(context, address)


def lost_permits_clause(context: HangContext, semaphore: int) -> str:
    """Say how many permits a semaphore had, of which nobody can give one back; "" where unknown.

    One that is bounded keeps the number that it began with (asyncio, threading).
    """
    counts = (context.view.integer_attribute(semaphore, name) for name in _BOUNDS)
    permits = next((count for count in counts if count is not None and count > 0), None)
    if permits is None:
        return ""
    return f" ({'its only permit is' if permits == 1 else f'all {permits} permits are'} lost)"


def name_of_replaced_object(context: HangContext, frame: PyFrame, awaited: int) -> str:
    """Return by what attribute a frame got at an object that waits there no more; "" for none.

    Another object of that class is in its place: who gives to the attribute gives to that one.
    """
    calls, view = context.live_code.calls, context.view
    with suppress(UnreadableMemory, LayoutError, IndexError):
        running = context.acquire_calls.running_byte_offset(frame) or 0
        made = [call for call in calls.sites.calls_of(frame.code).calls if call.at <= running]
        if not made or len(made[-1].path) < 2:
            return ""
        names = dict(view.variable_addresses(frame))
        now = calls.receiver_of_call(made[-1], names, calls.globals_of(frame))
        if now not in (0, awaited) and view.type_name(now) == view.type_name(awaited):
            return ".".join((made[-1].root[1], *made[-1].path[:-1]))
    return ""


def may_code_cancel_task(
    context: HangContext, effects: CodeEffects, task: UnfinishedTask, cancels: Collection[str]
) -> bool:
    """Tell whether some code may cancel a task: any but those that it starts itself, or has."""
    others = {each.id for each in context.tasks if each.id != task.id}
    seen = set[str]()
    try:
        for body in effects.bodies if any(name in cancels for _, name in effects.calls) else ():
            started, before = set[str](), ""
            for at, does, name in context.call_sites.names_used_by_instructions(body.code):
                if (
                    does in ("attr", "method")
                    and name in cancels
                    and is_byte_in_ranges(body.live, at)
                ):
                    started = started or _variables_with_started_tasks(context, body.code)
                    receiver = body.names.get(before, 0)
                    if receiver not in others and (receiver or before not in started):
                        return True
                    seen.add(name)
                if does not in ("nothing", "extended"):
                    before = name if does.startswith("fast") else ""
    except (UnreadableMemory, LayoutError, IndexError):
        return True
    return any(name in cancels and name not in seen for _, name in effects.calls)


def _variables_with_started_tasks(context: HangContext, code: int) -> set[str]:
    """Return the variables of code that hold nothing but tasks which that code starts itself."""
    started, others = set[str](), set[str]()
    for variable, called in variables_stored(context, code):
        (started if called in _STARTS else others).add(variable)
    positional, named, flags = (
        context.view.reader.field32(code, "PyCodeObject", member) for member in _ARGUMENTS
    )
    given = positional + named + bool(flags & _VARARGS) + bool(flags & _VARKEYWORDS)
    return started - others - set(context.call_sites.name_tables(code).variables[:given])


def diagnose_permits_of_ended_tasks(context: HangContext) -> HangDiagnosis | None:
    """A task waits for a limiter or lock all of whose takers have ended without giving it back."""
    if len(context.tasks) >= MAX_TASKS:
        return None
    alive = {task.id for task in context.tasks}
    for task in _tasks_waiting_without_timeout(context, (SEMAPHORE, LOCK)):
        takers = _tasks_holding_all_places(
            context, task.wait.address if task.wait is not None else 0
        )
        if not takers or not all(_is_task(context, at) and at not in alive for at in takers):
            continue
        whose = "the task that has it has" if len(takers) == 1 else (
            f"all {len(takers)} tasks that have a place of it have"
        )  # fmt: skip
        return _hang_of_task_without_giver(
            context, task, CERTAIN, "lock never released",
            f"{whose} ended and not given it back",
            f"it names {counted(len(takers), 'taker')}, and no task of that address is left",
            "code that gives it back for another task (release_on_behalf_of)",
        )  # fmt: skip
    return None


def diagnose_channel_without_other_end(context: HangContext) -> HangDiagnosis | None:
    """A task waits at one end of a channel all of whose other ends were dropped, not closed.

    The close of the last one would have woken it. Beside tasks that serve clients such a task is
    left over, and nobody waits for it.
    """
    thread = context.loop_thread
    if thread is None or thread.kind != POLL or any(
        task.wait is not None and task.wait.kind == READ and own_frames(task, context.installed)
        for task in context.tasks
    ):  # fmt: skip
        return None
    for task in _tasks_waiting_without_timeout(context, tuple(_OTHER_ENDS)):
        if task.wait is None:
            continue
        state = context.view.attribute(task.wait.address, "_state") or 0
        others, called = _OTHER_ENDS[task.wait.kind]
        instances = shared_instances(context.target, context.python)
        ends = [end for end in instances.instances_of((*_SENDING, *_RECEIVING))
                if state and context.view.attribute(end.address, "_state") == state]  # fmt: skip
        closed = (context.view.attribute(e.address, "_closed") for e in ends if e.kind in others)
        if not ends or any(not at or context.view.objects.integer(at) != 1 for at in closed):
            continue
        try:
            complete = len(ends) == reference_count(context, state)
        except UnreadableMemory:
            continue
        if complete:
            return _hang_of_task_without_giver(
                context, task, PROBABLE, "nobody gives it",
                f"nobody has an open {called} end of that channel any more: the last was dropped "
                "without being closed",
                f"all {counted(len(ends), 'reference')} to the channel's state are of its own ends",
                "native code that kept one",
            )  # fmt: skip
    return None


def _tasks_waiting_without_timeout(
    context: HangContext, kinds: Sequence[str]
) -> Iterable[UnfinishedTask]:
    """Yield the tasks that wait for an object of some kinds without a timeout."""
    for task in context.tasks:
        if task.wait is None or task.wait.kind not in kinds or not task.wait.address:
            continue
        if not task.running and own_frames(task, context.installed) and not has_timeout(
            task, context.tasks, context.view
        ):  # fmt: skip
            yield task


def _tasks_holding_all_places(context: HangContext, address: int) -> list[int]:
    """Return the tasks that have all places of a limiter, or a lock; [] where some are left.

    Also where the object does not say it.
    """
    view = context.view
    for at in (address, *(view.attribute(address, name) for name in _INNER)):
        if not at:
            continue
        owner = next(filter(None, (view.attribute(at, name) for name in _OWNERS)), 0)
        if owner and view.type_name(owner) != "NoneType":
            return [owner]
        borrowers, total = view.attribute(at, "_borrowers"), view.attribute(at, "_total_tokens")
        if borrowers and total and view.type_name(borrowers) == "set":
            try:
                containers = ContainerReader(view.reader)
                takers = list(containers.set_items(borrowers))[:MAX_BORROWERS]
                places = (
                    view.float_value(total) if view.type_name(total) == "float"
                    else view.objects.integer(total)
                )  # fmt: skip
            except (UnreadableMemory, LayoutError):
                continue
            return takers if len(takers) == places else []
    return []


def _is_task(context: HangContext, address: int) -> bool:
    return context.view.type_name(address).rpartition(".")[2] == "Task"


def _hang_of_task_without_giver(
    context: HangContext,
    task: UnfinishedTask,
    sure: str,
    kind: str,
    why: str,
    evidence: str,
    doubt: str,
) -> HangDiagnosis | None:
    activity = context.loop_thread
    if activity is None:
        return None
    return HangDiagnosis(
        HANG, kind, f"{describe_waiting_task(task, context.installed)}; {why}",
        (activity_of_task(activity, task, context.installed),), sure, (evidence,),
        ("a timeout", "a task that has it and can still run"), (doubt,), settled=True,
    )  # fmt: skip
