# SPDX-License-Identifier: Apache-2.0
"""Jobs behind a wait: those not reported as done to a queue, and those queued in a thread pool."""

from __future__ import annotations

from collections.abc import Iterable

from gdb_epi.cpython.running.executors import read_executors_and_queues
from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.types import ThreadActivity
from gdb_epi.util import counted

_UNFINISHED = {"queue": "unfinished_tasks", "asyncio.queues": "_unfinished_tasks"}  # by module


def unfinished_queue_jobs_clause(context: HangContext, frames: Iterable[PyFrame]) -> str:
    """Say how many jobs the join() of a queue waits for; "" for other waits and where unknown.

    put() counts a job and task_done() takes it off (Lib/queue.py, Lib/asyncio/queues.py, 3.8 to
    3.15).
    """
    for frame in frames:
        attribute = _UNFINISHED.get(frame.module or "")
        if attribute is None or frame.name != "join":
            continue
        count = context.view.integer_attribute(context.view.variable(frame, "self"), attribute)
        if count and count > 0:
            return f"task_done() was not called for {counted(count, 'job')} of it"
    return ""


def queued_pool_jobs_clause(context: HangContext, activity: ThreadActivity) -> str:
    """Say that jobs wait for the worker of a thread pool that waits; "" where one is free."""
    for pool in read_executors_and_queues(context.target, context.python).pools:
        if (
            pool.shut_down
            or not pool.queued
            or all(worker.tid != activity.tid for worker in pool.workers)
        ):
            continue
        if any(worker.idle for worker in pool.workers):
            return ""
        more = pool.max_workers is None or len(pool.workers) < pool.max_workers
        taken = "" if more else "all workers of its thread pool are taken, "
        return f"{taken}{counted(pool.queued, 'job')} of its thread pool queued"
    return ""
