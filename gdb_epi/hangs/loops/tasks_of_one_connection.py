# SPDX-License-Identifier: Apache-2.0
"""Tasks of one asyncio loop that have both ends of a connection, and each waits for the other.

A transport knows both addresses of its socket (`_extra`, Lib/asyncio/transports.py, 3.8 to 3.15;
of a Unix socket one of the two has no address). Where what one transport calls itself another one
calls its peer, and the other way round, they are the two ends of one connection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.running.wait_rules import CONDITION, EVENT, FUTURE, READ, WRITE
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.hangs.descriptors import Address, read_socket_address
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import is_in_serving_loop
from gdb_epi.hangs.live.effects import CodeEffects
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.tasks import (
    ENDERS,
    activity_of_task,
    describe_waiting_task,
    has_timeout,
    own_frames,
)
from gdb_epi.hangs.types import DEADLOCK, GIL, HANG, RUNNING, HangDiagnosis
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.locks.types import PROBABLE
from gdb_epi.typing_lite import NamedTuple

MAX_FRAMES = 500  # of other tasks that are examined
_WRITES = frozenset(("write", "writelines", "send", "sendall", "write_eof", "close", "abort"))
_READS = frozenset(("read", "readline", "readexactly", "readuntil", "close", "abort"))
_RESUMES = "resume_reading"
_TAKE_DATA = frozenset(("data_received", "buffer_updated"))  # of protocols (asyncio.protocols)
_STREAMS = {READ: "StreamReader", WRITE: "StreamWriter"}


class TaskAtEnd(NamedTuple):
    """A task that waits to read or write, the addresses of its end, and what came and was not read.

    `is_paused`: more has come than the stream takes before somebody reads (StreamReader._paused).
    """

    task: UnfinishedTask
    own: Address
    peer: Address
    transport: int  # PyObject *
    stream: int  # PyObject * of its StreamReader
    arrived: int  # bytes
    is_paused: bool


def diagnose_tasks_reading_from_each_other(context: HangContext) -> HangDiagnosis | None:
    """Two tasks wait to read from each other, over a connection both of whose ends are here.

    Two that both read in loops without an end may be idle, as both ends of a channel of messages
    are. One that reads once, or a certain number of times, waits for answers; and where a part of
    a message has come, whoever sent it waits for the other to have read it. The loop has to sleep.
    """
    activity = context.loop_thread
    if activity is None or activity.kind in (*RUNNING, GIL):  # what was sent may not be read yet
        return None
    for first, second in readers_of_both_ends(context):
        pair = sorted((first, second), key=lambda each: -each.arrived)
        idle = all(
            is_in_serving_loop(context, own_frames(each.task, context.installed)) for each in pair
        )
        if (idle and not pair[0].arrived) or may_ends_be_written(
            context, {each.transport for each in pair}, {each.task.id for each in pair}
        ):
            continue
        parts = []
        for each in pair:
            came = f" ({each.arrived} bytes have come, not yet all)" if each.arrived else ""
            parts.append(describe_waiting_task(each.task, context.installed) + came)
        sentence = (
            "two tasks wait for each other, each to read from its end of one connection: "
            f"{'; '.join(parts)}"
        )
        return HangDiagnosis(
            DEADLOCK, "tasks", sentence,
            tuple(activity_of_task(activity, each.task, context.installed) for each in pair),
            PROBABLE,
            ("the address of each transport is that of the other one's peer",
             "nothing is left to be sent in the transports' buffers"),
            ("a timeout of one of the two", "two tasks that read messages in loops without an end",
             "another task, thread or callback whose code could write to it"),
            ("a task that starts later could write to the connection",),
        )  # fmt: skip
    return None


def diagnose_tasks_writing_to_each_other(context: HangContext) -> HangDiagnosis | None:
    """Two tasks wait until their ends of one connection take more, and nobody reads either end.

    A stream stops to read from its socket once it has twice its limit (Lib/asyncio/streams.py);
    what the other side writes then stays in that side's buffers, and drain() waits for those.
    """
    activity = context.loop_thread
    if activity is None or activity.kind in (*RUNNING, GIL):
        return None
    for pair in _pairs_at_both_ends(context, WRITE):
        ends = {at for each in pair for at in (each.transport, each.stream)}
        of_pair = {each.task.id for each in pair}
        if all(each.is_paused for each in pair) and not may_ends_be_used(
            context, ends, of_pair, _READS
        ):
            sentence = (
                "two tasks wait for each other, each to write to its end of one connection, and "
                "neither reads: "
                + "; ".join(describe_waiting_task(each.task, context.installed) for each in pair)
            )
            return HangDiagnosis(
                DEADLOCK, "writers", sentence,
                tuple(activity_of_task(activity, each.task, context.installed) for each in pair),
                PROBABLE,
                ("the address of each transport is that of the other one's peer",
                 "both streams have stopped to read: more has come than their limit"),
                ("a timeout of one of the two",
                 "another task, thread or callback whose code could read"),
                ("a task that starts later could read from the connection",),
            )  # fmt: skip
    return None


def readers_of_both_ends(context: HangContext) -> Iterator[tuple[TaskAtEnd, TaskAtEnd]]:
    """Yield the pairs of tasks that wait to read from the two ends of one connection."""
    return _pairs_at_both_ends(context, READ)


def _pairs_at_both_ends(context: HangContext, kind: str) -> Iterator[tuple[TaskAtEnd, TaskAtEnd]]:
    waiting = {(each.own, each.peer): each for each in _tasks_at_ends(context, kind)}
    for (own, peer), first in waiting.items():
        second = waiting.get((peer, own))
        if second is not None and second.task.id != first.task.id:
            yield first, second


def _tasks_at_ends(context: HangContext, kind: str) -> Iterator[TaskAtEnd]:
    """Yield the tasks that wait to read or write without a timeout, with their ends."""
    for task in context.tasks:
        wait = task.wait
        if task.running or wait is None or wait.kind != kind or not wait.address:
            continue
        if context.view.type_name(wait.address).rpartition(".")[2] != _STREAMS[kind]:
            continue
        if not own_frames(task, context.installed):
            continue
        if has_timeout(task, context.tasks, context.view):
            continue
        try:
            end = _end_of_connection(context, task, wait.address)
        except EpiError:  # a transport of another kind, or what cannot be read
            continue
        if end is not None:
            yield end


def _end_of_connection(context: HangContext, task: UnfinishedTask, stream: int) -> TaskAtEnd | None:
    """Return the end that a task reads or writes; None where it reads, and bytes are to be sent.

    Raises EpiError where the transport has no two addresses.
    """
    process_values = get_process_values(
        context.target, context.python
    ).context  # transports have slots
    transport = process_values.attribute(stream, "_transport")
    writes = task.wait is not None and task.wait.kind == WRITE
    if bool(_length_of_buffer(context, process_values.attribute(transport, "_buffer"))) != writes:
        return None
    reader = process_values.attribute(stream, "_reader") if writes else stream
    extra = process_values.attribute(transport, "_extra")
    words = (context.view.objects.dict_get(extra, name) for name in ("sockname", "peername"))
    own, peer = (
        None if isinstance(w, Absent) else read_socket_address(context.view, w) for w in words
    )
    if own is None or peer is None:
        raise UnreadableMemory(extra, 8, "no two addresses")
    arrived = _length_of_buffer(context, process_values.attribute(reader, "_buffer"))
    is_paused = context.view.objects.integer(process_values.attribute(reader, "_paused")) == 1
    return TaskAtEnd(task, own, peer, transport, reader, arrived, is_paused)


def may_ends_be_written(context: HangContext, ends: Collection[int], but: Collection[int]) -> bool:
    """Tell whether code that goes on may write to one of some transports; True if not known."""
    return may_ends_be_used(context, ends, but, _WRITES)


def may_ends_be_used(
    context: HangContext, ends: Collection[int], but: Collection[int], methods: Collection[str]
) -> bool:
    """Tell whether code that goes on may call such methods of transports or streams.

    That is code of another task than some, of a thread, or of a callback. A function that is called
    later gets its own connection: of those only one that has a transport counts.
    """
    view, code = context.view, context.live_code

    def leads_to_end(at: int) -> bool:
        return at in ends or view.attribute(at, "_transport") in ends

    def uses_an_end(effects: CodeEffects, *, certainly: bool) -> bool:
        return effects.unbounded or any(
            name in methods and (leads_to_end(at) if at else not certainly)
            for at, name in effects.calls
        )

    others = [task for task in context.tasks if task.id not in but]
    frames = [frame for task in others for frame in own_frames(task, context.installed)]
    if len(frames) > MAX_FRAMES or any(
        leads_to_end(at)
        for frame in frames
        for _, held in view.variable_addresses(frame)
        for at in object_and_its_attributes(view, held)
    ):
        return True
    loop_thread = context.loop_thread
    unblocked = UnblockedThreads(context)
    threads = unblocked.effects_of_threads(but=loop_thread.tid if loop_thread is not None else 0)
    return (
        any(map(leads_to_end, code.bound_objects(methods)))
        or uses_an_end(code.effects_of_kept_functions, certainly=True)
        or any(uses_an_end(unblocked.effects_of_task(task), certainly=False) for task in others)
        or any(uses_an_end(effects, certainly=False) for effects in threads)
    )


def object_and_its_attributes(view: PythonView, value: int) -> list[int]:
    """Return the object that a variable holds, and those that are its attributes."""
    near = [] if value & 7 else [value, *(at for _, at in view.attributes(value))]
    return [at for at in near if not at & 7]


def _length_of_buffer(context: HangContext, buffer: int) -> int:
    """Return the length of a bytearray, or of the deque that transports have since 3.12."""
    is_deque = context.view.type_name(buffer) == "collections.deque"
    struct = "dequeobject" if is_deque else "PyByteArrayObject"
    return ContainerReader(context.view.reader).length(buffer, struct)


def diagnose_task_awaiting_paused_reading(context: HangContext) -> HangDiagnosis | None:
    """A task waits for what comes over a connection whose reading was paused until it goes on.

    A Protocol pauses the reading of its transport where it holds much (Lib/asyncio/transports.py,
    pause_reading(); 3.8 to 3.15). Where the task that resumes it waits for one message more, which
    is larger than that limit, nothing comes any more.
    Nobody else may give it: who pauses while another one works is told when that is done.
    """
    activity = context.loop_thread
    if activity is None or activity.kind in (*RUNNING, GIL):
        return None
    for task in context.tasks:
        wait = task.wait
        if wait is None or wait.kind not in (EVENT, CONDITION, FUTURE) or not wait.address:
            continue
        for frame in own_frames(task, context.installed):
            if not _alone_resumes_paused_reading(context, frame, wait.address):
                continue
            if has_timeout(task, context.tasks, context.view) or _may_other_code_end_wait(
                context, task
            ):
                continue
            sentence = (
                f"{describe_waiting_task(task, context.installed)}, which is to come over a "
                "connection whose reading is paused (pause_reading()); only this task's own code "
                "resumes it, behind that wait"
            )
            return HangDiagnosis(
                HANG, "paused reading", sentence,
                (activity_of_task(activity, task, context.installed),), PROBABLE,
                ("the transport of its protocol says that it is paused",),
                ("a timeout", "other code of the program that calls resume_reading()"),
                ("whether what it waits for comes with the data of that connection",),
            )  # fmt: skip
    return None


def _may_other_code_end_wait(context: HangContext, task: UnfinishedTask) -> bool:
    """Tell whether other code than what takes the data of a connection may end a task's wait."""
    if task.wait is None or context.foreign_threads:
        return True
    at, enders, code, unblocked = (
        task.wait.address, ENDERS[task.wait.kind], context.live_code, UnblockedThreads(context)
    )  # fmt: skip
    try:
        kept = [
            each
            for each, _ in code.functions_kept_to_be_called
            if code.name_of_code(each.code) not in _TAKE_DATA
        ]
        if code.is_method_kept(at, enders):
            return True
    except (UnreadableMemory, LayoutError, IndexError):
        return True
    others = [each for each in context.tasks if each is not task and task.id not in each.wakers]
    loop_thread = context.loop_thread.tid if context.loop_thread is not None else 0
    reaches = chain(
        map(unblocked.effects_of_task, others), unblocked.effects_of_threads(but=loop_thread),
        (code.effects_of_callable(each.address, surely=True) for each in kept),
    )  # fmt: skip

    def may_end_wait(effects: CodeEffects) -> bool:
        # The loop may call what takes data only when the reading goes on.
        return effects.unbounded or (at, "*") in effects.calls or (
            effects.calls_any(at, enders)
            and any(
                code.name_of_code(body.code) not in _TAKE_DATA
                and not enders.isdisjoint(context.call_sites.name_tuple(body.code, "co_names"))
                for body in effects.bodies
            )
        )  # fmt: skip

    try:
        return len(context.tasks) > MAX_FRAMES or any(map(may_end_wait, reaches))
    except (UnreadableMemory, LayoutError):
        return True


def _alone_resumes_paused_reading(context: HangContext, frame: PyFrame, awaited: int) -> bool:
    """Tell whether a frame's code resumes the reading of a protocol that has what a task awaits."""
    view, sites = context.view, context.call_sites
    try:
        if not context.may_frame_call_any(frame, (_RESUMES,)):
            return False
        others = context.live_code.own_codes - {frame.code}
        if any(_RESUMES in sites.name_tuple(code, "co_names") for code in others):
            return False
    except (UnreadableMemory, LayoutError):
        return False
    for _, at in view.variable_addresses(frame):
        values = dict(view.attributes(at)) if at and not at & 7 else {}
        if awaited not in values.values():
            continue
        for transport in values.values():
            paused = view.attribute(transport, "_paused") if not transport & 7 else None
            if paused and view.objects.integer(paused) == 1:
                return True
    return False
