# SPDX-License-Identifier: Apache-2.0
"""What the threads of a multiprocessing.Pool say of its processes, and of its jobs.

Reference: Lib/multiprocessing/pool.py, 3.8 to 3.15.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.running.executors import read_executors_and_queues
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext, WaitChain
from gdb_epi.hangs.library_calls import ASKS_FOR_JOBS, frames_running
from gdb_epi.hangs.types import HANG, RUNNING, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.locks.types import INFO
from gdb_epi.util import counted

MAX_WORKERS = 4096
_WORKER = ("concurrent.futures.thread", "_worker")
_MODULE = "multiprocessing.pool"


def diagnose_wait_for_pool_results(
    context: HangContext, activity: ThreadActivity, waits: str, chain: WaitChain,
) -> HangDiagnosis | None:  # fmt: skip
    """Return the answer for a thread that waits for results of a pool of processes or threads."""
    pool = _pool_awaited_by_thread(context, activity)
    runner = _thread_feeding_pool(context, pool) or _thread_with_job(context, pool)
    if runner is not None and runner.tid not in (activity.tid, *chain.tids):
        does = (
            "awaits jobs from code of the program in"
            if _asks_program_for_jobs(context, runner)
            else "runs a job in"
        )
        answer = chain.diagnose_through(activity, runner.tid, f"{activity.what}, which {does}")
        if answer is not None:
            return answer
    if _lacks_result_handler(context):
        return wait_diagnosis(
            HANG, "process pool", f"{waits}; the pool's thread that takes results "
            "(_handle_results) has ended, so that none arrives: an exception ended it, such as "
            "that of a result which cannot be unpickled", activity,
            evidence=("the pool's other threads are there, that one is not",),
            ruled_out=("a timeout", "a job that still runs"), settled=True,
        )  # fmt: skip
    replaced = _pid_of_replacement_worker(context)
    if replaced:
        return wait_diagnosis(
            HANG, "process pool", f"{waits}; its process {replaced} was started after the pool "
            "was, in place of one that ended: a job was lost with the process that ran it, or "
            "none takes jobs, as when the pool's initializer raises", activity,
            evidence=(f"the number of process {replaced} is above those of the pool's threads, "
                      "which start after its first processes, and it has no maxtasksperchild",),
            ruled_out=("a timeout", "a callback that waits for its own pool"),
            doubts=("numbers of processes that began anew", "a job that still runs"),
        )._replace(look_at=replaced)  # fmt: skip
    if _is_thread_pool(context, pool):
        sentence = f"{waits}; none of the pool's threads runs a job"
        return wait_diagnosis(HANG, "process pool", sentence, activity, INFO)
    return wait_diagnosis(
        HANG, "process pool", f"{waits}; what its processes do is not in this core: one may "
        "still run the job, or a job was lost with the process that ran it",
        activity, INFO, ruled_out=("a timeout", "a callback that waits for its own pool"),
        doubts=("whether the pool's processes work, which their own cores tell",),
    )  # fmt: skip


def find_busy_pool_thread(context: HangContext, chain_tids: Sequence[int]) -> ThreadActivity | None:
    """Return an executor's thread that runs a job of the program, preferably one that goes on."""
    workers = [
        d for d in context.activities if d.frames and d.tid not in chain_tids
        if any(frames_running(context.view.frames(d.tid), (_WORKER,)))
    ]  # fmt: skip
    return min(workers, key=lambda d: d.kind not in RUNNING and not d.timed, default=None)


def diagnose_wait_for_process_futures(
    context: HangContext, activity: ThreadActivity, waits: str
) -> HangDiagnosis | None:
    """Return the answer where futures may come from processes of an executor, None without one."""
    pools = read_executors_and_queues(context.target, context.python).pools
    pool = next((pool for pool in pools if pool.kind == "processes" and pool.calls), None)
    if pool is None:
        return None
    if not pool.workers and not pool.forgot_workers:
        count = counted(len(pool.calls), "call")
        return wait_diagnosis(
            HANG, "process pool", f"{waits}; its pool has {count} to do, of {pool.calls[0]}(), and "
            "no process left that could", activity,
            evidence=(f"_processes of the {pool.shown} is empty, _pending_work_items is not",),
            ruled_out=("a timeout", "a process of the pool that works"),
            doubts=("whether a new process was about to be started",), settled=True,
        )  # fmt: skip
    return wait_diagnosis(
        HANG, "process pool", f"{waits}; the processes of its pool have {pool.calls[0]}() to do, "
        "and whether they do it is not in this core", activity, INFO, ruled_out=("a timeout",),
        doubts=("whether the pool's processes work, which their own cores tell",),
    )  # fmt: skip


def _pool_awaited_by_thread(context: HangContext, activity: ThreadActivity) -> int:
    """Return the Pool (PyObject *) whose results a thread waits for; 0 where it is not known."""
    view = context.view
    results = (view.variable(f, "self") for f in view.frames(activity.tid) if f.module == _MODULE)
    return next((pool for r in results if r and (pool := view.attribute(r, "_pool"))), 0)


def _is_thread_pool(context: HangContext, pool: int) -> bool:
    return bool(pool) and context.view.type_name(pool).rpartition(".")[2] == "ThreadPool"


def _thread_feeding_pool(context: HangContext, pool: int) -> ThreadActivity | None:
    """Return the thread that hands out a pool's jobs, where it asks the program for the next one.

    imap() and its like go over an iterable of the program in that thread.
    """
    workers = context.view.attribute(pool, "_pool")
    return next(
        (d for d in context.activities
         if _asks_program_for_jobs(context, d) and workers in (None, *(
            context.view.variable(f, "pool") for f in context.view.frames(d.tid)
            if (f.module, f.name) == (_MODULE, "_handle_tasks")))), None,
    )  # fmt: skip


def _asks_program_for_jobs(context: HangContext, activity: ThreadActivity) -> bool:
    return any(frames_running(context.view.frames(activity.tid), (ASKS_FOR_JOBS,)))


def _thread_with_job(context: HangContext, pool: int) -> ThreadActivity | None:
    """Return a thread of a ThreadPool that runs code of the program."""
    if not _is_thread_pool(context, pool):
        return None
    jobs = (
        d for d in context.activities if d.frames
        if any(frames_running(context.view.frames(d.tid), ((_MODULE, "worker"),)))
    )  # fmt: skip
    return next(jobs, None)


def _lacks_result_handler(context: HangContext) -> bool:
    """Whether fewer threads take results of process pools than hand out their jobs.

    A pool has one of each while anybody may wait for it.
    """
    running = [
        frame.name for frames in context.view.all_frames().values() for frame in frames
        if frame.module == _MODULE
    ]  # fmt: skip
    return running.count("_handle_results") < running.count("_handle_tasks")


def _pid_of_replacement_worker(context: HangContext) -> int | None:
    """Return the pid of a process that a pool started in place of another; None without any.

    A pool starts its processes first, then its threads; one of these replaces processes that ended.
    """
    view = context.view
    for tid, frames in view.all_frames().items():
        for frame in frames:
            if (frame.module, frame.name) != (_MODULE, "_handle_workers"):
                continue
            limit, workers = view.variable(frame, "maxtasksperchild"), view.variable(frame, "pool")
            if not workers or not limit or view.type_name(limit) != "NoneType":
                continue
            try:
                for worker in ContainerReader(view.reader).list_items(workers)[:MAX_WORKERS]:
                    pid = view.integer_attribute(view.attribute(worker, "_popen"), "pid")
                    if pid is not None and pid > tid:
                        return pid
            except (UnreadableMemory, LayoutError):
                continue
    return None
