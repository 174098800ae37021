# SPDX-License-Identifier: Apache-2.0
"""A forked child waits for a job of a thread pool whose threads fork() did not copy.

The pool came with its idle threads counted (ThreadPoolExecutor: `_threads`, `_idle_semaphore`), so
submit() starts no other (Lib/concurrent/futures/thread.py, _adjust_thread_count(), 3.8 to 3.15).
"""

from __future__ import annotations

from gdb_epi.cpython.running.executors import read_executors_and_queues
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.library_calls import FUTURES
from gdb_epi.hangs.live.awaited_futures import JOB_OF_THREADS, futures_awaited_by, futures_of_jobs
from gdb_epi.hangs.types import HANG, HangDiagnosis, wait_diagnosis
from gdb_epi.util import counted


def diagnose_job_of_workers_left_by_fork(context: HangContext) -> HangDiagnosis | None:
    """Return the answer for a thread that waits for a job which no thread is left to run."""
    if not context.locks.fork.forked:
        return None
    pools = [
        pool
        for pool in read_executors_and_queues(context.target, context.python).pools
        if pool.kind == "threads" and pool.queued
    ]
    # In which queue a job lies is not read: each pool that has any must be without threads.
    full = [pool.max_workers is None or len(pool.workers) >= pool.max_workers for pool in pools]
    if not pools or not all(full) or any(w.tid is not None for p in pools for w in p.workers):
        return None
    jobs = futures_of_jobs(context, JOB_OF_THREADS) or set()
    for activity in context.activities:
        if activity.kind != hang_types.EVENT or activity.timed or activity.awaits not in FUTURES:
            continue
        futures = futures_awaited_by(context, activity.tid)
        pending = (
            future in jobs and context.view.text_attribute(future, "_state") == "PENDING"
            for future in futures.awaited
        )  # fmt: skip
        if not futures.of(pending):
            continue
        pool = pools[0]
        sentence = (
            f"{activity.waits()} for the result of a job of a thread pool that was made before "
            f"fork(): the child has none of its {counted(len(pool.workers), 'thread')}, so nobody "
            f"runs its {counted(pool.queued or 0, 'queued job')}"
        )
        return wait_diagnosis(
            HANG, "pool left by fork", sentence, activity,
            evidence=(f"the pool counts {len(pool.workers)} threads, and none of them is here",),
            ruled_out=("a living worker", "room for another worker", "a timeout"),
        )  # fmt: skip
    return None
