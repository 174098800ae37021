# SPDX-License-Identifier: Apache-2.0
"""Work that is stuck behind a loop that sleeps as it should: a lock or a pool is exhausted.

A server's event loop waits for clients whether or not the requests behind it go on. This module
finds locks that no task will release, and pools of threads or connections that are used up entirely
by code that is itself waiting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdb_epi.cpython.running.executors import Executor, read_executors_and_queues
from gdb_epi.cpython.running.unfinished_tasks import UNKNOWN, UnfinishedTask
from gdb_epi.cpython.running.wait_rules import (
    CONDITION,
    EVENT,
    FREE_THREAD,
    LOCK,
    QUEUE_JOIN,
    QUEUE_PUT,
    SEMAPHORE,
    TASK,
    TASKS,
)
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.hang_context import HangContext, threads_held_up_by
from gdb_epi.hangs.idleness import (
    is_computing_or_waiting_for_work,
    is_in_request_handler,
    seconds_of_library_timeout,
)
from gdb_epi.hangs.library_calls import FREE_CONNECTION, FUTURES, RUNS_JOB_OF_ANYIO
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.tasks import (
    ENDERS,
    MAX_SETTERS,
    activity_of_task,
    describe_waiting_task,
    event_loop_module,
    frame_taking_from_pool,
    has_timeout,
    name_task,
    own_frames,
    packages_called,
)
from gdb_epi.hangs.types import (
    DEADLOCK,
    HANG,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.hangs.wakers import find_wakers, is_shutdown_name, name_awaited_object
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.util import counted, default_when_unreadable, duration_words

_RELEASES = "release"
_HELD = (LOCK, SEMAPHORE)
_FROM_TASKS = (QUEUE_PUT, QUEUE_JOIN, EVENT, CONDITION, SEMAPHORE, LOCK)  # kinds of waits
# Of anyio and of trio (0.20 to 0.35): where a thread runs a job, where it waits for a call into the
# loop, and the function in which a task runs what was called.
_RUNS_JOB_OF_LOOP = {RUNS_JOB_OF_ANYIO, ("trio._threads", "worker_fn")}
_CALLS_LOOP = {("anyio.from_thread", "run"), ("trio._threads", "from_thread_run")}
_ASKED_BY_THREAD = ("run_async_from_thread.<locals>.task_wrapper", "unprotected_afn")


def diagnose_task_lock_never_released(context: HangContext) -> HangDiagnosis | None:
    """Tasks wait for a lock that no remaining code will release.

    asyncio's Lock does not say who took it. Nobody is inside its `async with` block (then the task
    would be known), and no other task or thread has a call of its release() ahead.
    """
    waiting: dict[int, list[UnfinishedTask]] = {}
    for task in context.tasks:
        if _awaits_lost_lock(context, task) and task.wait is not None:
            waiting.setdefault(task.wait.address, []).append(task)
    for lock, tasks in waiting.items():
        ids = {task.id for task in tasks}
        others = [task.stack for task in context.tasks if task.id not in ids]
        others += [context.view.frames(d.tid) for d in context.activities]
        if _may_any_frame_release_lock(
            context, lock, (frame for frames in others for frame in frames)
        ):
            continue
        if context.foreign_threads or context.live_code.is_method_kept(lock, ENDERS[LOCK]):
            continue  # somebody keeps its release(), as call_later() does
        activity = context.loop_thread
        if activity is None:
            return None
        more = f", and {counted(len(tasks) - 1, 'more task')} too" if len(tasks) > 1 else ""
        sentence = (
            f"{describe_waiting_task(tasks[0], context.installed)}{more}; no task or thread holds "
            "it in `async with` or has a call of its release() ahead: it was taken and not released"
        )
        return HangDiagnosis(
            HANG, "lock never released", sentence,
            (activity_of_task(activity, tasks[0], context.installed),), PROBABLE,
            (f"{counted(len(tasks), 'task')} of {tasks[0].framework} wait for the lock",),
            ("a task inside `async with` of it", "code that has yet to call its release()"),
            ("a callback, or a task that starts later, could release it",),
        )  # fmt: skip
    return None


def _awaits_lost_lock(context: HangContext, task: UnfinishedTask) -> bool:
    if task.wait is None or task.wait.kind != LOCK or not task.wait.address or task.running:
        return False
    if task.certainty != UNKNOWN or not own_frames(task, context.installed):
        return False
    return not has_timeout(task, context.tasks, context.view)


def _may_any_frame_release_lock(context: HangContext, lock: int, frames: Iterable[PyFrame]) -> bool:
    """Tell whether any frame has a call of a lock's release() ahead; True where it is too much."""
    for number, frame in enumerate(frames):
        if number >= MAX_SETTERS:
            return True
        try:
            if any(call == (lock, _RELEASES) for call in context.acquire_calls.calls_ahead(frame)):
                return True
        except (UnreadableMemory, LayoutError):
            return True
    return False


def diagnose_task_deadlock_by_held_lock(context: HangContext) -> HangDiagnosis | None:
    """A task waits for what another one would give, and all others wait for what it holds itself.

    It need not be known who would take from the queue, set the event or release the lock: only a
    task that has not started yet could still do it. They wait for each other where one of those
    that it holds up has code that does; else nobody would end its wait, locked out or not.
    """
    own = [task for task in context.tasks if own_frames(task, context.installed)]
    activity = context.loop_thread
    if activity is None or any(task.running for task in own):
        return None
    if any(d.frames for d in context.activities if d.tid != activity.tid):
        return None
    for holder in own:
        kind = holder.wait.kind if holder.wait is not None else ""
        if holder.certainty != UNKNOWN or kind not in _FROM_TASKS:
            continue
        if has_timeout(holder, context.tasks, context.view) or _may_callback_end_wait(
            context, holder
        ):
            continue
        held_up = _tasks_waiting_for(holder, own)
        first = next((task for task in held_up if task.wait and task.wait.kind in _HELD), None)
        if first is None or len(held_up) + 1 < len(own):
            continue
        at = function_and_line(own_frames(first, context.installed)[0])
        direct = sum(
            1 for t in held_up if holder.id in t.wakers and t.wait and t.wait.kind in _HELD
        )
        behind = len(held_up) - direct  # they wait for the tasks that wait for it
        more = f" and {counted(direct - 1, 'more task')}" if direct > 1 else ""
        others = f" (and {counted(behind, 'task')} for these tasks)" if behind else ""
        sentence = (
            f"{describe_waiting_task(holder, context.installed)}, and holds what "
            f"{name_task(first)} at {at}{more} wait{'' if more else 's'} for{others}; "
            "no task is left that could end this"
        )
        members = tuple(
            activity_of_task(activity, task, context.installed) for task in (holder, first)
        )
        going, awaited = (
            UnblockedThreads(context),
            holder.wait.address if holder.wait is not None else 0,
        )
        is_circle = kind in (QUEUE_PUT, QUEUE_JOIN, *_HELD) or any(
            going.effects_of_task(task).calls_any(awaited, ENDERS[kind]) for task in held_up
        )
        return HangDiagnosis(
            DEADLOCK if is_circle else HANG, "tasks", sentence, members, PROBABLE,
            (f"all {len(own)} tasks of the program wait for that one, or for what it holds",),
            ("a timeout", "another thread that runs code of the program"),
            ("a task that starts later, as for a new client",),
            hang_types.WAIT_WITHOUT_LOCK,
        )  # fmt: skip
    return None


def _may_callback_end_wait(context: HangContext, task: UnfinishedTask) -> bool:
    """Tell whether a function that somebody keeps, or a library, may end what a task waits for."""
    if task.wait is None or context.foreign_threads:
        return True
    at, enders = task.wait.address, ENDERS[task.wait.kind]
    return context.live_code.is_method_kept(
        at, enders
    ) or context.live_code.effects_of_kept_functions.calls_any(at, enders)


def _tasks_waiting_for(
    holder: UnfinishedTask, tasks: Sequence[UnfinishedTask]
) -> list[UnfinishedTask]:
    """Return the tasks that wait for one, or for one that does, and so on."""
    reached, held_up = {holder.id}, list[UnfinishedTask]()
    while new := [
        task for task in tasks
        if task.id not in reached and reached.intersection(task.wakers)
        and (task.needs == "all" or len(task.wakers) == 1)
    ]:  # fmt: skip
        held_up += new
        reached |= {task.id for task in new}
    return held_up


def diagnose_event_loop_threads_exhausted(context: HangContext) -> HangDiagnosis | None:
    """Threads that run jobs for an event loop wait for calls into it, which want a free thread.

    Starlette and FastAPI run every plain function in such a thread. A thread that called
    from_thread.run() waits for a task of the loop; all these tasks wait for a thread to be free.
    A place of trio's CapacityLimiter may also be taken by a task: no other one of the program may
    be left that does anything but to wait for those.
    """
    wanting = [task for task in context.tasks if task.wait and task.wait.kind == FREE_THREAD]
    asked = [
        task for task in context.tasks
        if any((frame.qualname or "").endswith(_ASKED_BY_THREAD) for frame in task.stack)
    ]  # fmt: skip
    called = {
        d.tid: {(f.module, f.name) for f in context.view.frames(d.tid)}
        for d in context.activities if d.frames
    }  # fmt: skip
    workers = [
        d for d in context.activities
        if _RUNS_JOB_OF_LOOP & called.get(d.tid, set())  # anyio.run() has such a function too
        and not event_loop_module(context.view.frames(d.tid), d.module)
    ]  # fmt: skip
    waiting = [
        d for d in workers
        if d.kind == hang_types.EVENT and not d.timed and _CALLS_LOOP & called[d.tid]
    ]  # fmt: skip
    wanting_ids = {task.id for task in wanting}
    if not waiting or len(waiting) < len(workers) or not asked:
        return None
    others, of_jobs = asked, (FREE_THREAD, TASK, TASKS)
    if asked[0].framework == "trio":
        others = [
            task for task in context.tasks
            if (task.wait is None or task.wait.kind not in of_jobs)
            and own_frames(task, context.installed)
        ]  # fmt: skip
    limited = any(has_timeout(task, context.tasks, context.view) for task in asked)
    if limited or any(task.id not in wanting_ids for task in others):
        return None
    first = waiting[0]
    sentence = (
        f"{counted(len(waiting), 'thread')} that run jobs for the event loop wait for calls into "
        f"it, and those for a free thread: {first.waits()}; "
        f"{describe_waiting_task(asked[0], context.installed)}"
    )
    return HangDiagnosis(
        DEADLOCK, "pool", sentence, tuple(waiting), PROBABLE,
        (f"{counted(len(wanting), 'task')} wait for a free thread of the loop's pool",),
        ("a thread of the pool that does other work", "a call that waits for anything else"),
    )  # fmt: skip


def diagnose_thread_pool_exhausted(context: HangContext) -> HangDiagnosis | None:
    """All threads of a pool that is full wait, without a timeout, for what may never come."""
    waiting = {
        d.tid: d for d in context.activities
        if d.frames and not d.timed and d.kind in (hang_types.READ, hang_types.WRITE,
            hang_types.LOCK, hang_types.DATABASE, hang_types.FILE_LOCK)
        and not is_computing_or_waiting_for_work(context, d)
        and not _may_be_serving_client(context, d)
    }  # fmt: skip
    if not waiting:
        return None
    for pool in read_executors_and_queues(context.target, context.python).pools:
        members = _waits_of_all_workers(pool, waiting)
        if not members:
            continue
        first = members[0]
        those = {1: "the only thread", 2: "both threads"}.get(
            len(members), f"all {len(members)} threads"
        )
        waits = "waits" if len(members) == 1 else "wait"
        sentence = (
            f"{those} of a thread pool {waits} without a timeout, and none is left for other work: "
            f"{first.waits()} for {first.what}"
        )
        return HangDiagnosis(
            HANG, "pool taken", sentence, members, PROBABLE,
            (f"the pool may have {pool.max_workers} threads, and none is idle",),
            ("an idle worker", "room for another worker", "a timeout"),
            ("whether the answers come soon is not in the core",), hang_types.SET_TIMEOUT,
        )  # fmt: skip
    return None


def diagnose_requests_waiting_for_same_object(context: HangContext) -> HangDiagnosis | None:
    """Threads of a server wait in the middle of requests for one object that nobody else has.

    A future in a cache that who was to settle it left behind by an exception, an event that was
    never set: the server goes on, and each request for it takes one more of its threads.
    """
    waiting: dict[int, list[ThreadActivity]] = {}
    for activity in context.activities:
        if (
            activity.kind == hang_types.EVENT and not activity.timed and activity.object
            and _is_called_by_library_in_thread(context, activity)
            and not is_computing_or_waiting_for_work(context, activity)
        ):  # fmt: skip
            waiting.setdefault(activity.object, []).append(activity)
    for awaited, members in waiting.items():
        tids = {d.tid for d in members}
        if len(members) < 2 or context.frame_references.threads_referring_to(awaited) - tids:
            continue
        of_library = members[0].awaits in FUTURES
        if not of_library and UnblockedThreads(context).may_unblocked_code_end_wait(members[0]):
            continue
        if find_wakers(context, members[0]) - tids:
            continue
        sentence = (
            f"{len(members)} threads that serve requests wait at {members[0].where()} for "
            f"{members[0].what}, the same for all: no frame of another thread leads to it"
        )
        return HangDiagnosis(
            HANG, "requests wait", sentence, tuple(members), PROBABLE,
            ("no thread that goes on refers to it",),
            ("a timeout", "another thread that has it at hand"),
            ("code of a later request that settles it",) if of_library else (),
            hang_types.SET_TIMEOUT,
        )  # fmt: skip
    return None


def diagnose_server_request_never_ending(context: HangContext) -> HangDiagnosis | None:
    """A thread of a server waits in the middle of a request for what no code can give any more.

    Its pool has lost what was lent, or who worked for it has ended. The server goes on.
    """
    unblocked = UnblockedThreads(context)
    for activity in context.threads_by_importance:
        if (
            activity.kind != hang_types.EVENT or activity.timed
            or not is_in_request_handler(activity.frames, context.view.frames(activity.tid))
            or unblocked.may_unblocked_code_end_wait(activity)
        ):  # fmt: skip
            continue
        name, what = name_awaited_object(context, activity)
        if is_shutdown_name(name):
            continue  # what ends the program may come from anywhere
        sentence = (
            f"{activity.waits()} for {what}, in the middle of a request: no code that can still "
            "run gives it, that of later requests neither"
        )
        return wait_diagnosis(
            HANG, "requests wait", sentence, activity,
            ruled_out=("a timeout", "another thread whose code gives it",
                       "code of later requests that gives it without having taken it"),
            doubts=("native code that gives it",),
        )  # fmt: skip
    return None


def _is_called_by_library_in_thread(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a library called the program's code in a thread, as servers and pools do."""
    frames = context.view.frames(activity.tid)
    outward = frames[frames.index(activity.frames[-1]) + 1 :] if activity.frames else ()
    return any(frame.module != "threading" for frame in outward)


def _may_be_serving_client(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread reads in a loop, as one does that has a client; no library asked."""
    asked = activity.what == activity.awaits
    return (
        activity.kind == hang_types.READ
        and not asked
        and any(map(context.acquire_calls.is_running_in_loop, activity.frames))
    )


def _waits_of_all_workers(
    pool: Executor, waiting: dict[int, ThreadActivity]
) -> tuple[ThreadActivity, ...]:
    """Return what the workers of a full pool of threads wait for; () unless all do."""
    if pool.max_workers is None or len(pool.workers) < pool.max_workers:
        return ()
    members = tuple(waiting[w.tid] for w in pool.workers if w.tid is not None and w.tid in waiting)
    return members if len(members) == len(pool.workers) else ()


def diagnose_connection_pool_exhausted(context: HangContext) -> HangDiagnosis | None:
    """Threads wait for a free connection of a pool, and no thread is left to give one back.

    With a timeout too: it ends each wait by an error, not by a connection. Who has one and waits
    for a lock of such a thread is in a circle with it.
    """
    # The same functions of libraries also connect: that waits for a server.
    waiting = [
        d for d in context.activities
        if d.awaits == FREE_CONNECTION and d.kind == hang_types.EVENT and d.frames
    ]  # fmt: skip
    if not waiting:
        return None
    tids = {d.tid for d in waiting}
    held_up = threads_held_up_by(context, tids) - tids
    others = [d for d in context.activities if d.tid not in tids | held_up and d.frames]
    # Those wait for such a thread, or in a library for clients: not in the middle of a request.
    if not all(
        d.kind in (hang_types.EVENT, hang_types.JOIN)
        or (d.place and is_computing_or_waiting_for_work(context, d))
        for d in others
    ):
        return None
    if any(own_frames(task, context.installed) for task in context.tasks):
        return None
    first = waiting[0]
    if len(waiting) == 1:
        text = f"{first.waits()} for a free connection of a pool"
    else:
        text = (
            f"{len(waiting)} threads wait for a free connection of a pool, {first.who()} at "
            f"{first.where()}"
        )
    seconds = seconds_of_library_timeout(context, first) if first.timed else 0.0
    after = f", after {duration_words(seconds)}" if seconds else ""
    ends = f"; a timeout ends the wait with an error{after}" if first.timed else ""
    locked = [
        d for d in context.activities
        if d.tid in held_up and d.kind == hang_types.LOCK and d.target in tids
    ]  # fmt: skip
    having = [d for d in locked if _has_object_of_waited_library(context, d, first)]
    if having:
        holder = context.activity_of_thread(having[0].target) or first
        more = f", and {counted(len(having) - 1, 'more thread')} too" if having[1:] else ""
        text = (
            f"{text}; {having[0].who()}, which has a connection, waits at {having[0].where()} for "
            f"{having[0].what}, held by {holder.who()}{more}"
        )
    sentence = f"{text}; no other thread is left that could give one back{ends}"
    return HangDiagnosis(
        DEADLOCK if having else HANG, "event and lock" if having else "pool taken", sentence,
        (*waiting, *having), INFO if context.foreign_threads else PROBABLE,
        (f"thread {first.tid} is in {first.place}",),
        ("a thread that works with a connection",),
        ("connections that were given to another process",),
        ends=f"a timeout ends the wait with an error{after}" if first.timed else "",
    )  # fmt: skip


@default_when_unreadable(False)
def _has_object_of_waited_library(
    context: HangContext, activity: ThreadActivity, waiting: ThreadActivity
) -> bool:
    """Tell whether a thread has an object of the library in which another one waits for a free one.

    What both have is the pool itself, or who made it.
    """
    packages = frozenset(((waiting.place.partition(".")[0], "\0"),))
    frames = context.view.frames(waiting.tid)
    shared = {word for frame in frames for _, word in context.view.variable_addresses(frame)}
    return any(
        word not in shared and _is_with_manager_of_packages(context, word, packages)
        for frame in activity.frames
        for _, word in context.view.variable_addresses(frame)
    )


def diagnose_connection_pool_held_by_caller(context: HangContext) -> HangDiagnosis | None:
    """A task waits until a pool has something, inside of a block that has what the pool gave.

    That block ends only when the call has returned. So it is with a request for which there is no
    connection, made while an answer is read from the last one. Nobody else is left who has
    anything of that pool.
    """
    waiting = [
        task for task in context.tasks
        if frame_taking_from_pool(task, context.installed)
        and not has_timeout(task, context.tasks, context.view)
    ]  # fmt: skip
    activity = context.loop_thread
    if not waiting or activity is None:
        return None
    held = {task.id: _caller_in_with_block_of_library(context, task, task) for task in waiting}
    ids = {task.id for task in waiting}
    for task in waiting:
        block, frame = held[task.id], frame_taking_from_pool(task, context.installed)
        if block is None or frame is None:
            continue
        others = [other for other in context.tasks if other.id not in ids]
        if any(_uses_same_library(context, other, task) for other in others):
            continue
        folders = tuple(folder for _, folder in packages_called(task, context.installed))
        threads = (context.view.frames(d.tid) for d in context.activities if d.tid != activity.tid)
        if any(frame.filename.startswith(folders) for frames in threads for frame in frames):
            continue
        own = own_frames(task, context.installed)
        sentence = (
            f"{name_task(task)} waits at {function_and_line(own[0])}, in "
            f"{frame.module}.{frame.qualname or frame.name}(), for what a pool is to give; its "
            f"caller {function_and_line(block)} is inside `async with` of that library, and gives "
            "back what it has only when this call has returned; no other task has any of it"
        )
        return wait_diagnosis(
            HANG, "pool taken", sentence, activity_of_task(activity, task, context.installed),
            PROBABLE, evidence=(f"{function_and_line(block)} has entered a block of that library",),
            ruled_out=("a timeout", "another task or thread that uses that library"),
            doubts=("connections that nobody's frames have",), fix=hang_types.LEAVE_BLOCK,
        )  # fmt: skip
    return None


def _caller_in_with_block_of_library(
    context: HangContext, task: UnfinishedTask, waiting: UnfinishedTask
) -> PyFrame | None:
    """Return the frame of a task that is inside a block of the library in which another waits.

    A client or pool is not what the pool gave: its own methods run in that wait.
    """
    packages = packages_called(waiting, context.installed)
    called = {context.view.variable(frame, "self") for frame in waiting.stack}
    blocks = context.view.slots.entered_with_blocks(own_frames(task, context.installed))
    return next(
        (frame for frame, manager in blocks
         if manager not in called
         and _is_with_manager_of_packages(context, manager, packages)), None,
    )  # fmt: skip


def _uses_same_library(context: HangContext, task: UnfinishedTask, waiting: UnfinishedTask) -> bool:
    """Tell whether a task is in code of the library in which another one waits, or has a block."""
    folders = tuple(folder for _, folder in packages_called(waiting, context.installed))
    within = any(frame.filename.startswith(folders) for frame in task.stack)
    return within or _caller_in_with_block_of_library(context, task, waiting) is not None


@default_when_unreadable(False)
def _is_with_manager_of_packages(
    context: HangContext, manager: int, packages: frozenset[tuple[str, str]]
) -> bool:
    """Tell whether a context manager is of one of some packages: its class, or its function."""
    frame = context.view.frame_of_manager(manager)
    if frame is not None:
        return frame.filename.startswith(tuple(folder for _, folder in packages))
    kind = get_process_values(context.target, context.python).context.obj(manager).type
    return kind.module.partition(".")[0] in {name for name, _ in packages}
