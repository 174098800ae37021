# SPDX-License-Identifier: Apache-2.0
"""Threads of a library that serve a pool of processes, and whether it has a job for any.

Reference: Lib/concurrent/futures/process.py, Lib/multiprocessing/pool.py, 3.8 to 3.15.
"""

from __future__ import annotations

from gdb_epi.hangs.hang_context import HangContext

_POOL, _EXECUTOR = "multiprocessing.pool", "concurrent.futures.process"
_RESULTS = "_handle_results"
_SERVES = ("_handle_tasks", "_handle_workers", _RESULTS)


def serves_pool_without_jobs(context: HangContext, tid: int) -> bool:
    """Tell whether a thread serves a pool of processes that has no job to do.

    A thread that keeps the processes of a Pool going, or hands out their jobs, calls nobody.
    """
    view = context.view
    for frame in view.frames(tid):
        if frame.module == _POOL and frame.name in _SERVES:
            open_jobs = view.variable(frame, "cache") if frame.name == _RESULTS else 0
            return not (open_jobs and any(True for _ in view.objects.dict_items(open_jobs)))
        if frame.module == _EXECUTOR:
            manager = view.variable(frame, "self")  # before 3.9 a function
            pending = view.attribute(manager, "pending_work_items") if manager else (
                view.variable(frame, "pending_work_items")
            )  # fmt: skip
            if pending:
                return not any(True for _ in view.objects.dict_items(pending))
    return False
