# SPDX-License-Identifier: Apache-2.0
"""Pools of threads whose workers all wait for what a job behind them in the queue would bring.

A worker waits for the result of such a job, or for an event, an item or a notification that only a
thread or task could give which waits for the job itself: an event loop looks up names in its pool
(loop.getaddrinfo(), Lib/asyncio/base_events.py, 3.8 to 3.15).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from gdb_epi.cpython.running.executors import Executor, read_executors_and_queues
from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.library_calls import FUTURES
from gdb_epi.hangs.live.awaited_futures import (
    JOB_OF_THREADS,
    futures_awaited_by,
    futures_of_jobs,
    objects_in_future_callbacks,
    threads_by_future,
)
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.tasks import (
    activity_of_task,
    describe_waiting_task,
    event_loop_module,
    has_timeout,
    name_task,
)
from gdb_epi.hangs.types import DEADLOCK, HangDiagnosis, ThreadActivity
from gdb_epi.hangs.wakers import is_shutdown_name, methods_ending_wait, name_awaited_object
from gdb_epi.locks.types import INFO, PROBABLE

MAX_JOBS = 2_000  # of all pools
MAX_SHOWN = 4  # members that the sentence names


def diagnose_pool_self_deadlock(context: HangContext) -> HangDiagnosis | None:
    """Workers of executors wait for what no worker is left to bring.

    Whoever made a future that is of no job may set it: a thread that receives answers, a library.
    What a worker waits for is followed: to the worker, in any pool, that runs the job, or to the
    pools in whose queues the job may lie and whose workers all wait like this themselves.
    """
    waiting = {d.tid: d for d in context.activities if d.kind == hang_types.EVENT and not d.timed}
    if not waiting:
        return None
    pools = read_executors_and_queues(context.target, context.python).pools
    of_worker = {w.tid: pool for pool in pools for w in pool.workers if w.tid in waiting}
    stuck = _StuckWorkers(context, waiting, pools)
    members = tuple(waiting[tid] for tid in of_worker if tid in stuck.threads)
    if not members:
        return None
    own = {of_worker[member.tid].address: of_worker[member.tid] for member in members}
    first, givers = members[0], stuck.would_be_givers_with_clauses(members)
    clauses = [clause for _, clause in givers]
    if len(own) == 1:
        (pool,) = own.values()
        total, wait = len(pool.workers), "waits" if len(members) == 1 else "wait"
        all_wait = {1: "the only worker", 2: "both workers"}.get(total, f"all {total} workers")
        workers = all_wait if len(members) == total else f"{len(members)} of {total} workers"
        what = name_awaited_object(context, first)[1] if givers else first.awaited_text()
        wanted = "what a job in its queue would bring" if givers else "other jobs"
        sentence = (
            f"{workers} of a thread pool {wait} for {wanted}, and none is left to run "
            f"{'it' if givers else 'them'}: {'; '.join((f'{first.waits()} for {what}', *clauses))}"
        )
    else:
        parts = []
        for member in members[:MAX_SHOWN]:
            runner = stuck.thread_that_runs_awaited(member)
            job = f"a job that {runner.who()} runs" if runner is not None else "a queued job"
            parts.append(f"{member.waits()} for {job}")
        sentence = (
            f"{len(members)} workers of {len(own)} thread pools wait for jobs that none of them is "
            f"left to run: {'; '.join((*parts, *clauses))}"
        )
    evidence = tuple(
        f"the pool has {pool.max_workers} workers, {pool.queued} jobs are queued"
        for pool in own.values()
    )
    return HangDiagnosis(
        DEADLOCK, "pool", sentence, (*members, *(d for d, _ in givers)),
        INFO if givers and context.foreign_threads else PROBABLE, evidence[:MAX_SHOWN],
        ("an idle worker", "room for another worker", "a timeout"),
    )  # fmt: skip


class _StuckWorkers:
    """The threads and tasks that go on only when one of these workers does."""

    def __init__(
        self, context: HangContext, waiting: dict[int, ThreadActivity], pools: tuple[Executor, ...]
    ) -> None:
        self._context, self._waiting, self._pools = context, waiting, pools
        self._runners = threads_by_future(context)
        self._jobs = futures_of_jobs(context, JOB_OF_THREADS)
        self._unblocked = UnblockedThreads(context)
        full = {
            w.tid for pool in pools for w in pool.workers if pool.queued and _is_pool_full(pool)
        }
        self._futures = {
            tid: futures_awaited_by(context, tid) for tid, d in waiting.items()
            if d.awaits in FUTURES or context.waits[tid].kind == "Future"
        }  # fmt: skip
        self.threads = {
            tid for tid, d in waiting.items() if tid in self._futures or (tid in full and d.object)
        }
        tasks = context.tasks_with_wakers if self.threads else ()
        self.tasks = {
            t.id: t for t in tasks if not t.running and not has_timeout(t, tasks, context.view)
        }
        while True:
            threads = {tid for tid in self.threads if self._is_thread_stuck(tid)}
            held_up = {t.id: t for t in self.tasks.values() if self._is_task_stuck(t)}
            if (threads, held_up.keys()) == (self.threads, self.tasks.keys()):
                break
            self.threads, self.tasks = threads, held_up

    def thread_that_runs_awaited(self, member: ThreadActivity) -> ThreadActivity | None:
        """Return the thread that runs the job whose result a member waits for; None for none."""
        futures = self._futures.get(member.tid)
        runner = self._runners.get(futures.awaited[0]) if futures is not None else None
        return self._waiting.get(runner or 0)

    def would_be_givers_with_clauses(
        self, members: Sequence[ThreadActivity]
    ) -> list[tuple[ThreadActivity, str]]:
        """Return who would give what members wait for, and a clause that says where it waits."""
        context, loop = self._context, self._context.loop_thread
        tids, ids = set[int](), set[int]()
        for member in members:
            if member.tid not in self._futures:
                threads, tasks = self._stuck_givers_waiting_for_jobs(member)
                tids, ids = tids | threads, ids | tasks
        giving = [
            (d, f"that is to come from {d.who()}; {d.waits()} for {d.awaited_text()}")
            for d in map(self._waiting.__getitem__, sorted(tids))
        ]
        for task in map(self.tasks.__getitem__, sorted(ids)):
            waits = describe_waiting_task(task, context.installed)
            clause = f"that is to come from {name_task(task)}; {waits}"
            if loop is not None:
                giving.append((activity_of_task(loop, task, context.installed), clause))
        return giving[:MAX_SHOWN]

    def _is_thread_stuck(self, tid: int) -> bool:
        futures = self._futures.get(tid)
        if futures is not None:
            return futures.of(map(self._cannot_finish, futures.awaited))
        activity = self._waiting[tid]
        if is_shutdown_name(name_awaited_object(self._context, activity)[0]):
            return False
        return any(self._stuck_givers_waiting_for_jobs(activity)) and not self._may_others_give(
            activity
        )

    def _is_task_stuck(self, task: UnfinishedTask) -> bool:
        job = self._jobs_by_awaited.get(task.waits_for)
        if job is not None:
            return self._cannot_finish(job)
        left = [waker in self.tasks for waker in task.wakers]
        return bool(left) and (any(left) if task.needs == "all" else all(left))

    @cached_property
    def _jobs_by_awaited(self) -> dict[int, int]:
        """The futures of jobs, by those futures of event loops that they settle."""
        return {
            of: job for job in islice(self._jobs or (), MAX_JOBS)
            for of in objects_in_future_callbacks(self._context, job)
        }  # fmt: skip

    def _cannot_finish(self, future: int) -> bool:
        """Tell whether a wait for a future cannot end where those that are stuck stay as they are.

        A task settles the one of run_coroutine_threadsafe().
        """
        if future in self._runners:
            return self._runners[future] in self.threads
        if future and self._jobs is not None and future not in self._jobs:
            return not self.tasks.keys().isdisjoint(
                objects_in_future_callbacks(self._context, future)
            )
        if future and self._context.view.text_attribute(future, "_state") != "PENDING":
            return False  # a worker runs it that was not seen, or it has its result
        # In which queue a job lies is not read: each pool that has any must be out of workers.
        holding = [pool for pool in self._pools if pool.queued]
        asked = holding if future else [p for p in self._pools if p.queued or p.workers]
        return bool(holding) and all(map(self._is_out_of_workers, asked))

    def _is_out_of_workers(self, pool: Executor) -> bool:
        return _is_pool_full(pool) and all(worker.tid in self.threads for worker in pool.workers)

    # -- events -----------------------------------------------------------------------------------

    def _stuck_givers_waiting_for_jobs(self, activity: ThreadActivity) -> tuple[set[int], set[int]]:
        """Return the threads and tasks that would end a thread's wait and wait for a job."""
        address, enders = activity.object, methods_ending_wait(self._context, activity)
        threads = {
            tid for tid in self._futures
            if tid in self.threads and self._runners.keys().isdisjoint(self._futures[tid].awaited)
            and self._unblocked.effects_of_frames_alone(tid).surely_calls_any(address, enders)
        }  # fmt: skip
        tasks = {
            t.id for t in self.tasks.values()
            if self._unblocked.effects_of_task(t).surely_calls_any(address, enders)
        }  # fmt: skip
        return threads, tasks

    def _may_others_give(self, activity: ThreadActivity) -> bool:
        """Tell whether code that goes on may end a thread's wait: of none that is stuck here."""
        context, unblocked = self._context, self._unblocked
        if unblocked.is_ending_method_kept(activity):
            return True
        going = [unblocked.effects_outside_threads]
        going += [unblocked.effects_of_task(t) for t in context.tasks if t.id not in self.tasks]
        going += [
            unblocked.effects_of_frames_alone(d.tid)
            if event_loop_module(context.view.frames(d.tid), d.module)
            else unblocked.effects_of_thread(d.tid)
            for d in context.activities if d.tid not in self.threads
        ]  # fmt: skip
        enders = methods_ending_wait(context, activity)
        return any(does.calls_any(activity.object, enders) for does in going)


def _is_pool_full(pool: Executor) -> bool:
    full = pool.max_workers is None or len(pool.workers) >= pool.max_workers
    return pool.kind == "threads" and bool(pool.workers) and full
