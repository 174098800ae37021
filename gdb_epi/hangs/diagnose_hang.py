# SPDX-License-Identifier: Apache-2.0
"""One answer for a process that was ended from outside or looked at as it ran.

Rules in order, the first that holds decides. Circles come first: they are proven by who holds what.
Then a GIL that is held asleep, loops that cannot end, then threads that run (nothing else is
stuck that still computes), then what the main thread waits for, followed through the threads that
it waits for. What only some other process can end is called a hang where the program waits for it
without a timeout, and no fault where waiting for work is what such code is for. Where it is read
in a loop, that is not told apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, EpiError
from gdb_epi.hangs import deadlocks, single_wait
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import classify_idle_process, strengthen_timed_diagnosis
from gdb_epi.hangs.live.exhausted_pools import diagnose_pool_self_deadlock
from gdb_epi.hangs.live.holders_of_awaited import (
    diagnose_channel_without_other_end,
    diagnose_permits_of_ended_tasks,
)
from gdb_epi.hangs.live.stuck_tasks import diagnose_main_task
from gdb_epi.hangs.live.who_may_end_waits import add_who_may_end_wait
from gdb_epi.hangs.loops.computing_threads import diagnose_computing_threads
from gdb_epi.hangs.loops.condition_waits import diagnose_missed_notification
from gdb_epi.hangs.loops.endless_climbs import diagnose_search_past_root_folder
from gdb_epi.hangs.loops.endless_loops import diagnose_endless_loop
from gdb_epi.hangs.loops.endless_matches import diagnose_endless_match
from gdb_epi.hangs.loops.endless_repetitions import diagnose_endless_repetition
from gdb_epi.hangs.loops.endless_walks import (
    diagnose_endless_search_in_count,
    diagnose_endless_walk,
)
from gdb_epi.hangs.loops.futile_polls import diagnose_futile_poll
from gdb_epi.hangs.loops.long_computations import diagnose_long_computation
from gdb_epi.hangs.loops.long_iterations import diagnose_too_long_iteration
from gdb_epi.hangs.loops.polled_waits import (
    diagnose_giver_that_loops,
    diagnose_poll_in_vain,
    diagnose_tasks_polling_futilely,
)
from gdb_epi.hangs.loops.reads_at_end_of_file import diagnose_loop_reading_at_end_of_file
from gdb_epi.hangs.loops.resource_exhaustion import (
    diagnose_connection_pool_exhausted,
    diagnose_connection_pool_held_by_caller,
    diagnose_event_loop_threads_exhausted,
    diagnose_requests_waiting_for_same_object,
    diagnose_server_request_never_ending,
    diagnose_task_deadlock_by_held_lock,
    diagnose_task_lock_never_released,
    diagnose_thread_pool_exhausted,
)
from gdb_epi.hangs.loops.shared_spins import diagnose_spin_on_shared_memory
from gdb_epi.hangs.loops.tasks_of_one_connection import (
    diagnose_task_awaiting_paused_reading,
    diagnose_tasks_reading_from_each_other,
    diagnose_tasks_writing_to_each_other,
)
from gdb_epi.hangs.native.native_loops import diagnose_endless_native_code
from gdb_epi.hangs.processes.child_processes import diagnose_poll_for_process
from gdb_epi.hangs.processes.workers_left_by_fork import diagnose_job_of_workers_left_by_fork
from gdb_epi.hangs.signal_waits import diagnose_wait_in_signal_handler
from gdb_epi.hangs.types import (
    DEADLOCK,
    HANG,
    MAY_BE_IDLE,
    NO_FAULT,
    HangDiagnosis,
    ThreadActivity,
    wait_diagnosis,
)
from gdb_epi.hangs.wakers import diagnose_event_set_by_caller, diagnose_queue_cycle
from gdb_epi.locks.types import INFO, INHERITED_VERDICTS, LOST_WAKEUP, LockReport, LockWait
from gdb_epi.target.api import Target, Thread


def diagnose_hang(
    target: Target, python: PythonState | Absent, locks: LockReport, threads: Sequence[Thread]
) -> HangDiagnosis | Absent:
    """Return what a process that did not fail by itself was doing.

    `threads` are as they were before a handler ran. Absent without a decoded CPython.
    """
    if isinstance(python, Absent):
        return Absent("not_available", f"no Python: {python.detail}")
    context = HangContext(target, python, locks, threads)
    try:
        answer = _first_diagnosis(context)
        if answer is None:
            return Absent("not_available", "no thread of the program is known well enough")
        return add_who_may_end_wait(context, answer)
    except EpiError as error:
        return Absent("unreadable", str(error))
    finally:
        vars(
            context
        ).clear()  # its parts name it: the garbage collector would have to find that out


def _first_diagnosis(context: HangContext) -> HangDiagnosis | None:
    inherited = [
        wait for wait in context.locks.waits
        if wait.confidence != INFO and wait.verdict in (*INHERITED_VERDICTS, LOST_WAKEUP)
    ]  # fmt: skip
    if inherited or context.locks.handlers is not None:
        return _diagnose_inherited_locks(context, inherited)
    for rule in (
        deadlocks.diagnose_lock_cycle,
        deadlocks.diagnose_self_deadlock,
        deadlocks.diagnose_process_lock_self_deadlock,
        diagnose_pool_self_deadlock,
        diagnose_job_of_workers_left_by_fork,
        deadlocks.diagnose_deadlocked_pool_callback,
        deadlocks.diagnose_deadlocked_future_callback,
        diagnose_event_set_by_caller,
        diagnose_queue_cycle,
        diagnose_missed_notification,
        deadlocks.diagnose_notifier_blocked_by_waiter,
        deadlocks.diagnose_task_cycle,
        deadlocks.diagnose_task_and_thread_cycle,
        deadlocks.diagnose_lock_held_by_suspended_task,
        diagnose_tasks_reading_from_each_other,
        diagnose_tasks_writing_to_each_other,
        diagnose_task_awaiting_paused_reading,
        _diagnose_in_signal_handler,
        deadlocks.diagnose_gil_held_while_sleeping,
        diagnose_endless_native_code,
        diagnose_endless_walk,
        diagnose_endless_search_in_count,
        diagnose_search_past_root_folder,
        diagnose_poll_for_process,
        diagnose_futile_poll,
        diagnose_poll_in_vain,
        diagnose_giver_that_loops,
        diagnose_tasks_polling_futilely,
        diagnose_loop_reading_at_end_of_file,
        single_wait.diagnose_busy_wait,
        diagnose_endless_loop,
        diagnose_endless_match,
        diagnose_spin_on_shared_memory,
        diagnose_long_computation,
        diagnose_too_long_iteration,
        diagnose_endless_repetition,
        diagnose_computing_threads,
        single_wait.diagnose_blocked_event_loop,
        diagnose_event_loop_threads_exhausted,
        diagnose_task_deadlock_by_held_lock,
        diagnose_task_lock_never_released,
        diagnose_permits_of_ended_tasks,
        diagnose_channel_without_other_end,
        diagnose_connection_pool_exhausted,
        diagnose_connection_pool_held_by_caller,
        _diagnose_any_stuck_thread,
        _diagnose_main_thread,
    ):
        answer = rule(context)
        if answer is not None:
            answer = strengthen_timed_diagnosis(context, classify_idle_process(context, answer))
            behind = None
            if answer.kind == MAY_BE_IDLE:
                behind = (
                    diagnose_thread_pool_exhausted(context)
                    or diagnose_requests_waiting_for_same_object(context)
                    or diagnose_server_request_never_ending(context)
                )
            unsure = answer.label == NO_FAULT or answer.sure == INFO
            if behind is None and unsure:
                behind = diagnose_main_task(context)
            return behind or answer
    return None


def _diagnose_inherited_locks(
    context: HangContext, waits: Sequence[LockWait]
) -> HangDiagnosis | None:
    """Locks that fork() copied while held: other detectors report them, the keys need frames."""
    activity = context.activity_of_thread(waits[0].tid) if waits else None
    if activity is None:
        return None
    sentence = f"{activity.waits()} for {activity.what}, since the fork"
    return HangDiagnosis(
        hang_types.INHERITED,
        "inherited",
        sentence,
        (activity,),
        waits[0].confidence,
        waits[0].evidence,
    )


def _diagnose_in_signal_handler(context: HangContext) -> HangDiagnosis | None:
    return diagnose_wait_in_signal_handler(context, single_wait.diagnose_thread_wait)


def _diagnose_any_stuck_thread(context: HangContext) -> HangDiagnosis | None:
    """Any thread of the program that waits for what threads should not wait long for.

    One that may wait its turn goes before a main thread that is fine, and behind one that is not.
    """
    unsure = None
    for kind in (hang_types.FILE_LOCK, hang_types.DATABASE, hang_types.LOCK, hang_types.WRITE):
        for activity in context.threads_by_importance:
            if activity.kind == kind and activity.frames and not activity.timed:
                answer = single_wait.diagnose_thread_wait(context, activity)
                if answer is None or answer.sure != INFO:
                    return answer
                unsure = unsure or answer
    main = _diagnose_main_thread(context) if unsure is not None else None
    stuck = main is not None and main.label in (HANG, DEADLOCK) and main.sure != INFO
    return main if stuck else unsure


def _diagnose_main_thread(context: HangContext) -> HangDiagnosis | None:
    """What the main thread waits for; without one that is known, the first with own frames."""
    candidates: Sequence[ThreadActivity] = context.threads_by_importance
    first = next((d for d in candidates if d.tid == context.main_tid), None)
    if first is None or (not first.frames and not first.place):
        first = next((d for d in candidates if d.frames), first)
    if first is None:
        return None
    answer = single_wait.diagnose_thread_wait(context, first)
    # It is in a circle that no rule knows.
    if answer is None and first.kind in (hang_types.LOCK, hang_types.EVENT, hang_types.JOIN):
        waits = f"{first.waits()} for {first.what}"
        return wait_diagnosis(HANG, first.kind, waits, first, INFO)
    return answer
