# SPDX-License-Identifier: Apache-2.0
"""Circles in which each thread, pool or task waits for the next; and a GIL held asleep."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice, pairwise

from gdb_epi.cpython.running.executors import read_executors_and_queues
from gdb_epi.cpython.running.unfinished_tasks import BY_CODE, BY_FRAMES, CERTAIN, UnfinishedTask
from gdb_epi.cpython.running.wait_rules import TASK, WORDS
from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.library_calls import (
    FUTURES,
    POOL_RESULTS,
    PROCESS_ROOM,
    RUNS_JOB,
    RUNS_JOB_OF_ANYIO,
    frames_running,
)
from gdb_epi.hangs.live.awaited_futures import (
    JOB_OF_PROCESSES,
    futures_awaited_by,
    futures_of_jobs,
    objects_in_future_callbacks,
    threads_by_future,
)
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.processes.shared_locks import times_taken_by
from gdb_epi.hangs.tasks import (
    NAMELESS,
    activity_of_task,
    describe_waiting_task,
    event_loop_module,
    find_task_cycle,
    has_timeout,
    name_task,
    own_frames,
    waits_for_holder,
    waits_for_itself,
)
from gdb_epi.hangs.types import DEADLOCK, HANG, HangDiagnosis, ThreadActivity, function_and_line
from gdb_epi.hangs.wakers import find_wakers
from gdb_epi.locks import types as lock_types
from gdb_epi.locks.python.lock_objects import SEMLOCK
from gdb_epi.locks.types import INFO, INITIALISED, PROBABLE, SELF_DEADLOCK, LockWait, lock_phrase
from gdb_epi.locks.waits.wait_graph import DEADLOCK_WORDS, deadlock_kind
from gdb_epi.util import counted, default_when_unreadable

_FETCHES = ("run", "_queue_management_worker")  # before 3.9 a function
_GIVES_BACK = frozenset(("release", "notify", "notify_all", "close"))
MAX_CHAIN = 64  # threads, each of which waits for the next
MAX_JOBS = 2_000  # of all pools
MAX_SHOWN = 4  # members of a circle that the sentence names
# Calls that keep all other threads from running when made with the GIL held.
_SLEEPS = (hang_types.SLEEP, hang_types.READ, hang_types.WRITE, hang_types.POLL, hang_types.CHILD,
           hang_types.ACCEPT, hang_types.FILE_LOCK, hang_types.DATABASE, hang_types.SIGNAL,
           hang_types.LOCK)  # fmt: skip


def describe_awaited_lock(context: HangContext, activity: ThreadActivity) -> str:
    """Return how a sentence names what a thread waits for."""
    wait = context.waits.get(activity.tid)
    if wait is None:
        return activity.what
    if activity.kind in (hang_types.JOIN, hang_types.GIL):
        return activity.what
    name = wait.name or (
        context.frame_references.variable_name(wait.object, activity.tid) if wait.object else ""
    )
    return lock_phrase(wait.kind, name, with_kind=True)


def diagnose_lock_cycle(context: HangContext) -> HangDiagnosis | None:
    """Threads wait for each other's locks (locks/waits/wait_graph.py)."""
    for cycle in context.locks.cycles:
        members = tuple(
            d for tid in cycle.tids if (d := context.activity_of_thread(tid)) is not None
        )
        if len(members) < 2:
            continue
        parts = [
            f"{d.who()} waits for {describe_awaited_lock(context, d)} at {d.where()}"
            + (f", in {d.module}" if d.module and d.frames else "")
            for d in members
        ]
        if len(parts) > MAX_SHOWN:
            parts[MAX_SHOWN:] = [f"and {len(parts) - MAX_SHOWN} more"]
        count, kind = len(cycle.tids), DEADLOCK_WORDS[deadlock_kind(cycle)]
        evidence = [line for d in members for line in context.waits[d.tid].evidence[-2:]]
        timed = [d for d in members if d.timed and d.kind != hang_types.GIL]
        ends = next((d for d in timed if not _waits_again_after_timeout(context, d.frames)), None)
        limit = f", {ends.who()} with a timeout, which ends that" if ends is not None else ""
        sentence = f"{count} threads wait for each other{limit}: {'; '.join(parts)}"
        if ends is not None:
            return HangDiagnosis(DEADLOCK, kind, sentence, members, INFO, tuple(evidence))
        sure, ruled_out = cycle.confidence, ["a lock given up in wait()"]
        if timed:
            sure = PROBABLE
            sentence += f"; {timed[0].who()} has a timeout and tries again in a loop"
        else:
            ruled_out.insert(0, "a timeout of one of the waits")
        return HangDiagnosis(
            DEADLOCK, kind, sentence, members, sure, tuple(evidence), tuple(ruled_out)
        )
    return None


@default_when_unreadable(False)
def _waits_again_after_timeout(context: HangContext, frames: Sequence[PyFrame]) -> bool:
    """Tell whether code whose wait has a timeout waits again, and holds on to what it has.

    So does a loop that nothing certain ends, and that gives nothing back.
    """
    if not frames:
        return False
    frame = frames[0]
    loop = context.acquire_calls.innermost_loop(frame)
    if loop is None or context.is_in_bounded_loop(frame, loop):
        return False
    return not context.live_code.does_code_enter_with_block(
        frame.code, range(loop[0], loop[1] + 1)
    ) and (context.names_called_in_loop(frame, loop).isdisjoint(_GIVES_BACK))


def diagnose_self_deadlock(context: HangContext) -> HangDiagnosis | None:
    """A thread waits for a lock that it holds itself."""
    for wait in context.locks.waits:
        activity = context.activity_of_thread(wait.tid)
        if wait.verdict == SELF_DEADLOCK and activity is not None and not wait.timed:
            by_hand = wait.confidence != lock_types.CERTAIN and wait.kind not in INITIALISED
            if by_hand and UnblockedThreads(context).is_lock_released_by_others(activity):
                continue
            name = describe_awaited_lock(context, activity)
            does = "initialises" if wait.kind in INITIALISED else "holds"
            sentence = f"{activity.waits()} for {name}, which it {does} itself"
            if wait.in_handler:
                sentence += f": {wait.evidence[-1]}"
            handler = _handler_frame_inside_block(context, activity, wait)
            if handler is not None:
                sentence += f": {function_and_line(handler)} handles a signal that came meanwhile"
            in_handler = wait.in_handler or handler is not None
            return HangDiagnosis(
                DEADLOCK, "self", sentence, (activity,), wait.confidence, wait.evidence[-2:],
                ("a recursive lock", "another thread that took it"),
                fix=hang_types.ONLY_SET_FLAG if in_handler else "", by_itself=True,
            )  # fmt: skip
    return None


def _handler_frame_inside_block(
    context: HangContext, activity: ThreadActivity, wait: LockWait
) -> PyFrame | None:
    """Return the frame of a signal's handler that ran while its thread was in `with` of a lock."""
    blocks = context.view.with_blocks_of_lock(wait.object or 0)
    outer = {block.frame.address for block in blocks if block.tid == wait.tid}
    for place, frame in enumerate(activity.frames if outer else ()):
        if context.view.handled_signal(frame) is not None:
            behind = {each.address for each in activity.frames[place + 1 :]}
            return frame if outer <= behind else None
    return None


def diagnose_process_lock_self_deadlock(context: HangContext) -> HangDiagnosis | None:
    """A multiprocessing lock counts how often its last owner here took it, and says who that is."""
    for wait in context.locks.waits:
        activity = context.activity_of_thread(wait.tid)
        if wait.kind != SEMLOCK or not wait.object or activity is None or wait.timed:
            continue
        count = times_taken_by(context, wait.tid, wait.object)
        if activity.awaits == PROCESS_ROOM or not count:
            continue
        sentence = f"{activity.waits()} for a multiprocessing lock that it took itself"
        evidence = (f"the lock itself says: taken {count} times by this thread",)
        return HangDiagnosis(
            DEADLOCK, "self", sentence, (activity,), PROBABLE, evidence,
            (), ("another process released and took it meanwhile",), by_itself=True,
        )  # fmt: skip
    return None


@process_rule_from_thread_rule
def diagnose_deadlocked_pool_callback(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A callback of a multiprocessing pool waits for a result of that pool.

    Callbacks run in the one thread that fetches results, so nobody is left to fetch this one. The
    jobs that are open stand in a dict of the pool, which the thread and each job refer to
    (Lib/multiprocessing/pool.py, _handle_results and ApplyResult, 3.8 to 3.15).
    """
    if activity.awaits != POOL_RESULTS or activity.timed or not activity.frames:
        return None
    frames = context.view.frames(activity.tid)
    own = [f for f in frames if f.module == "multiprocessing.pool"]
    fetching = next((f for f in own if f.name == "_handle_results"), None)
    waiting = next((f for f in own if f.name in ("get", "next", "wait")), None)
    if fetching is None or waiting is None:
        return None
    open_jobs = context.view.attribute(context.view.variable(waiting, "self"), "_cache")
    if not open_jobs or context.view.variable(fetching, "cache") != open_jobs:
        return None
    callback = activity.frames[-1].qualname or activity.frames[-1].name
    others = [
        d
        for d in context.threads_by_importance
        if d.awaits == POOL_RESULTS and d.tid != activity.tid
    ]
    beside = "".join(f"; {d.who()} waits for such a result at {d.where()}" for d in others[:2])
    sentence = (
        f"the callback {callback} waits at {activity.where()} for a result of its own pool, in "
        f"{activity.who()}, the only thread that fetches results of that pool, so that it "
        f"waits for itself{beside}"
    )
    evidence = (
        f"thread {activity.tid} runs _handle_results, and the job it waits for is of that pool",
    )
    return HangDiagnosis(
        DEADLOCK, "pool callback", sentence, (activity, *others[:MAX_SHOWN]), PROBABLE,
        evidence, ("a timeout", "another pool"), by_itself=True,
    )  # fmt: skip


@process_rule_from_thread_rule
def diagnose_deadlocked_future_callback(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A callback of a future waits, in the thread that fetches results of processes, for another.

    The executor of processes has one such thread, which calls the callbacks of its futures
    (Lib/concurrent/futures/process.py, 3.8 to 3.15).
    """
    if activity.awaits not in FUTURES or activity.timed or not activity.frames:
        return None
    frames = context.view.frames(activity.tid)
    if not any(f.module == "concurrent.futures.process" and f.name in _FETCHES for f in frames):
        return None
    pools = read_executors_and_queues(context.target, context.python).pools
    awaited = futures_awaited_by(context, activity.tid).awaited[0]
    jobs = futures_of_jobs(context, JOB_OF_PROCESSES)
    if awaited and jobs is not None and awaited not in jobs:
        return None
    if awaited in threads_by_future(context) or any(
        pool.kind == "threads" and pool.queued != 0 for pool in pools
    ):
        return None
    callback = activity.frames[-1].qualname or activity.frames[-1].name
    sentence = (
        f"the callback {callback} waits at {activity.where()} for another future, in "
        f"{activity.who()}, the only thread that fetches results of its pool of processes, so "
        "that it waits for itself"
    )
    return HangDiagnosis(
        DEADLOCK, "pool callback", sentence, (activity,), PROBABLE,
        (f"thread {activity.tid} runs a pool's own thread, below the callback",),
        ("a timeout", "a job of a thread pool"),
        ("a future of another pool of processes",) if len(pools) > 1 else (), by_itself=True,
    )  # fmt: skip


def diagnose_notifier_blocked_by_waiter(context: HangContext) -> HangDiagnosis | None:
    """A thread waits to be notified, and whoever could do so waits for a lock that it holds."""
    blocked = {
        d.tid: wait.owner.tid for d in context.activities
        if d.kind in (hang_types.LOCK, hang_types.JOIN) and not d.timed
            and (wait := context.waits.get(d.tid))
        and wait.owner.state == "live" and not wait.doubt
    }  # fmt: skip
    if not blocked:
        return None
    for activity in context.activities:
        if (
            activity.kind != hang_types.EVENT
            or not activity.object
            or activity.timed
            or not activity.frames
        ):
            continue
        referring = context.frame_references.threads_referring_to(activity.object) - {activity.tid}
        others = [d for d in context.activities if d.tid in referring]
        # Who waits for the same could not give it either.
        if any(d.kind == hang_types.LOCK for d in others):
            others = [
                d for d in others if d.kind != hang_types.EVENT or d.object != activity.object
            ]
        if not all(_do_waits_lead_from_thread_to(blocked, d.tid, activity.tid) for d in others):
            continue
        # One that waits for this thread itself comes first: a lock rather than its end.
        others.sort(key=lambda d: (blocked[d.tid] != activity.tid, d.kind != hang_types.LOCK))
        if not others or blocked[others[0].tid] != activity.tid:
            continue
        if UnblockedThreads(context).signal_handler_that_may_end_wait(activity):
            continue  # where a signal comes
        members = (activity, *others)
        other = members[1]
        # Who has nothing to give when the other ends is no part of a circle.
        gives = other.kind == hang_types.LOCK or other.tid in find_wakers(context, activity)
        sentence = (
            f"{activity.waits()} for {activity.what}, and {other.who()}, which "
            f"{'could end this wait' if gives else 'uses it too'}, waits at {other.where()} for "
        )
        sentence += (
            f"the end of {activity.who()}" if other.kind == hang_types.JOIN
            else f"{describe_awaited_lock(context, other)}, which {activity.who()} holds"
        )  # fmt: skip
        evidence = context.waits[other.tid].evidence[-1:]
        sort = "event and lock" if other.kind == hang_types.LOCK else "event and join"
        return HangDiagnosis(
            DEADLOCK if gives else HANG, sort, sentence, members,
            INFO if context.foreign_threads else PROBABLE, evidence,
            ("a timeout", "another thread that refers to it"),
            ("code that reaches it through a global",),
        )  # fmt: skip
    return None


def _do_waits_lead_from_thread_to(blocked: Mapping[int, int | None], tid: int, end: int) -> bool:
    """Tell whether a thread waits for another one, itself or by those that it waits for."""
    for _ in range(MAX_CHAIN):
        following = blocked.get(tid)
        if following is None or following == end:
            return following == end
        tid = following
    return False


def diagnose_task_cycle(context: HangContext) -> HangDiagnosis | None:
    """Tasks or greenlets wait for each other, or one for itself."""
    alone = (
        task
        for task in context.tasks
        if waits_for_itself(task, context.view.slots, context.installed)
    )
    circle = find_task_cycle(context.tasks_with_wakers) or tuple(islice(alone, 1))
    if not circle:
        return None
    activity = context.loop_thread
    if activity is None:
        return None
    named = next((at for at, task in enumerate(circle) if task.wait and task.wait.name), 0)
    circle = (*circle[named:], *circle[:named])  # it begins with what the sentence can name
    following = (*circle[1:], circle[0])
    clauses, named_before = [], dict[str, int]()
    for task, other in zip(circle[:MAX_SHOWN], following, strict=False):
        clause = describe_waiting_task(task, context.installed)
        at = task.wait.address if task.wait is not None else 0
        if task.wait and task.wait.name and named_before.setdefault(task.wait.name, at) != at:
            _, _, noun = WORDS.get(task.wait.kind, "").partition(" ")
            clause = clause.replace(f" for a {noun} (", f" for another {noun} (")
        if waits_for_holder(task) and len(circle) > 1:
            clause += f", held by {_name_of_holder(task, other)}"
        elif name_task(other) not in (NAMELESS, name_task(task)):
            clause = clause.replace(f" for {WORDS[TASK]}", f" for {name_task(other)}")
        clauses.append(clause)
    shown = "; ".join(clauses)
    kind = circle[0].framework
    ends = next(
        (task for task in circle if has_timeout(task, context.tasks, context.view)
         and not _waits_again_after_timeout(context, own_frames(task, context.installed))), None,
    )  # fmt: skip
    limit = f", {name_task(ends)} with a timeout, which ends that" if ends is not None else ""
    by_itself, fix = len(circle) == 1, ""
    if by_itself:
        holds = waits_for_holder(circle[0])
        itself = "which it holds itself" if holds else "of which it is one itself"
        sentence, fix = f"{shown}, {itself} ({kind}){limit}", "" if holds else hang_types.LEAVE_OUT
    else:
        sentence = f"{len(circle)} tasks of {kind} wait for each other{limit}: {shown}"
    members = tuple(activity_of_task(activity, task, context.installed) for task in circle)
    if ends is not None:
        return HangDiagnosis(
            DEADLOCK, "tasks", sentence, members, INFO, fix=fix, by_itself=by_itself
        )
    sure = lock_types.CERTAIN if all(task.certainty == CERTAIN for task in circle) else PROBABLE
    return HangDiagnosis(
        DEADLOCK, "tasks", sentence, members, sure,
        tuple(
            f"{name_task(task)}: who wakes it is {_BASIS.get(task.certainty, task.certainty)}"
            for task in circle[:MAX_SHOWN]
        ),
        ("a task that something outside wakes",), _doubts_about_cycle(circle),
        fix=fix, by_itself=by_itself,
    )  # fmt: skip


def diagnose_task_and_thread_cycle(context: HangContext) -> HangDiagnosis | None:
    """A task waits for a job in a thread, and that for a task which the first one holds up.

    So it is where a job of run_in_executor() asks its loop by run_coroutine_threadsafe() for what
    needs the lock that its caller holds meanwhile, or itself takes a lock of threading that its
    caller holds across `await`.
    """
    loop = context.loop_thread
    if loop is None:
        return None
    for activity in context.activities:
        for_lock = activity.kind == hang_types.LOCK
        waits = (for_lock or activity.awaits == FUTURES[0]) and not activity.timed
        results = _futures_settled_by_job(context, activity) if waits else set[int]()
        if not results:
            continue
        asked = set() if for_lock else objects_in_future_callbacks(context, activity.object)
        first = next(
            (task for task in context.tasks_with_wakers
             if task.id in asked or (for_lock and activity.object in task.holds)), None,
        )  # fmt: skip
        path = _task_chain_to_awaited_future(context, first, results)
        if not path:
            continue
        clauses = [f"{activity.waits()} for {name_task(path[0])}"]
        if for_lock:
            lock = describe_awaited_lock(context, activity)
            clauses = [f"{activity.waits()} for {lock}, held by {name_task(path[0])}"]
        for task, giver in pairwise(path):
            held = f", held by {name_task(giver)}" if waits_for_holder(task) else ""
            clauses.append(f"{describe_waiting_task(task, context.installed)}{held}")
        at = function_and_line((own_frames(path[-1], context.installed) or path[-1].stack)[0])
        last = f"{name_task(path[-1])} waits at {at}"
        clauses.append(f"{last} for the job that {activity.who()} runs")
        return HangDiagnosis(
            DEADLOCK, "tasks",
            f"{hang_types.THREAD_AND_TASKS}{counted(len(path), 'task')} wait for each other: "
            f"{'; '.join(clauses)}",
            (activity, *(activity_of_task(loop, task, context.installed) for task in path)),
            PROBABLE,
            ("the futures of the thread and of the loop refer to each other (_chain_future)",),
            ("a timeout of one of the waits",),
            ("code that cancels one of the tasks",),
        )  # fmt: skip
    return None


def _futures_settled_by_job(context: HangContext, activity: ThreadActivity) -> set[int]:
    """Return what tasks wait for until a thread of a pool has done its job (PyObject *).

    The futures of concurrent.futures and of the loop; of anyio's pool (3 and 4) the function too,
    which is what a task in to_thread.run_sync() waits for.
    """
    for frame in frames_running(context.view.frames(activity.tid), (RUNS_JOB, RUNS_JOB_OF_ANYIO)):
        if (frame.module, frame.name) == RUNS_JOB_OF_ANYIO:
            results = {context.view.variable(frame, name) for name in ("future", "func")}
            return {at for at in results if at}
        job = context.view.attribute(context.view.variable(frame, "self"), "future")
        return {job, *objects_in_future_callbacks(context, job)} if job else set()
    return set()


def _task_chain_to_awaited_future(
    context: HangContext, first: UnfinishedTask | None, results: Collection[int]
) -> list[UnfinishedTask]:
    """Return tasks, each of which waits for the next alone, and the last for one of some futures.

    Empty where no such way leads from the first, or one of them waits with a timeout.
    """
    path, tasks = list[UnfinishedTask](), context.tasks_with_wakers
    while first is not None and first not in path and not has_timeout(first, tasks, context.view):
        path.append(first)
        if first.waits_for in results or (first.wait and first.wait.address in results):
            return path
        wakers = [task for task in tasks if task.id in first.wakers]
        first = wakers[0] if len(first.wakers) == 1 and wakers else None
    return []


def _name_of_holder(task: UnfinishedTask, holder: UnfinishedTask) -> str:
    if name_task(holder) != name_task(task):
        return name_task(holder)
    return "another one" if name_task(task) == NAMELESS else "another of that name"


@process_rule_from_thread_rule
def diagnose_lock_held_by_suspended_task(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A thread waits for a lock that a task or greenlet holds which only that thread could resume.

    A lock of threading stops the whole thread: `with lock: await ...` in one task, and another one
    that takes it, or two greenlets around a lock that was not patched.
    """
    if activity.kind != hang_types.LOCK or activity.timed or not activity.object:
        return None
    holder = next((t for t in context.tasks if activity.object in t.holds and not t.running), None)
    if holder is None or not _is_only_event_loop_thread(context, activity, holder.framework):
        return None
    frames = own_frames(holder, context.installed)
    if not frames:
        return None
    sentence = (
        f"{activity.waits()} for {describe_awaited_lock(context, activity)}, held by "
        f"{name_task(holder)}, which is suspended at {function_and_line(frames[0])} and goes "
        f"on only in that same thread, so that the thread waits for itself"
    )
    member = activity_of_task(activity, holder, context.installed)
    return HangDiagnosis(
        DEADLOCK, "tasks", sentence, (activity, member), PROBABLE,
        (f"a frame of {name_task(holder)} is inside `with` of it",),
        ("a timeout", "a frame of another thread inside `with` of it"), by_itself=True,
    )  # fmt: skip


def _is_only_event_loop_thread(
    context: HangContext, activity: ThreadActivity, framework: str
) -> bool:
    """Tell whether a thread runs one of a framework's tasks, and no other has an event loop."""
    runs = any(
        task.running and task.framework == framework and task.tid in (None, activity.tid)
        for task in context.tasks
    )
    return runs and not any(
        d.tid != activity.tid and event_loop_module(context.view.frames(d.tid), d.module)
        for d in context.activities
    )


def _doubts_about_cycle(circle: Sequence[UnfinishedTask]) -> tuple[str, ...]:
    by_code = any(task.certainty == BY_CODE for task in circle)
    return ("a callback, or a task that starts later, could set it",) if by_code else ()


_BASIS = {
    CERTAIN: "certain",
    BY_FRAMES: "known by the `with` blocks of frames",
    BY_CODE: "known by the calls that its code has yet to make",
}


def diagnose_gil_held_while_sleeping(context: HangContext) -> HangDiagnosis | None:
    """The thread that holds the GIL sleeps in the kernel: nobody else can run Python."""
    holder = context.activity_of_thread(context.gil_holder)
    if holder is None or holder.kind not in _SLEEPS:
        return None
    waiting = [d for d in context.activities if d.kind == hang_types.GIL]
    if len(context.view.all_frames()) < 2 and not waiting:  # no other thread is held up
        return None
    by_foreign_function = holder.module.startswith(("libffi", "_ctypes", "_cffi"))
    code = f" of {holder.module}" if holder.module and not by_foreign_function else ""
    sentence = (
        f"{holder.who()} holds the GIL and waits in native code{code} ({holder.call}) at "
        f"{holder.where()}; "
        "no other thread can run Python until that returns"
    )
    evidence = [f"the GIL names thread {holder.tid} as its holder, which is in {holder.call}"]
    if waiting:
        evidence.append(f"{len(waiting)} threads wait for the GIL")
    sure = lock_types.CERTAIN if waiting else PROBABLE
    doubt = ("a short call, seen at this moment: it ends by itself" if holder.timed else "",)
    ruled_out = ("native code that released the GIL",)
    return HangDiagnosis(
        HANG, "GIL held", sentence, (holder,), sure, tuple(evidence), ruled_out,
        tuple(filter(None, doubt)), ends="that call ends" if holder.timed else "",
    )  # fmt: skip
