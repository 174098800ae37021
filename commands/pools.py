# SPDX-License-Identifier: Apache-2.0
"""`epi pools`: the executors of concurrent.futures, the pools of multiprocessing, and queues."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter

from gdb_epi.cpython.running.executors import (
    POOL_MODULE,
    Executor,
    PoolHandlerThread,
    PoolWorker,
    Queue,
    read_executors_and_queues,
    read_worker_state,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import frame_json
from gdb_epi.registry import argument, command, limit_argument
from gdb_epi.render.merged_stacks import nothing_found_line, place_text
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.target.api import pid_of
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted

MAX_WORKERS = 200
MAX_CALLS = 20


@command(
    "pools",
    arguments=(
        argument("--all", action="store_true", help="also queues that are empty and unused"),
        limit_argument(100, "queues to show"),
    ),
)
def show_executors_and_queues(session: Session, args: Namespace) -> Report:
    """Show pools of threads and processes, and the sizes of queues.

    A pool of processes keeps what its workers run in the workers; their cores tell. Of a Pool of
    multiprocessing also which results are awaited, and what its own threads do. Queues of asyncio,
    queue and multiprocessing (there: what is not yet in the pipe); those that are empty and that
    nobody waits for only with --all.
    """
    state = session.state
    listing = read_executors_and_queues(state.target, state.required_python())
    errors = [*listing.soft_errors, *state.python_soft_errors()]
    lines: list[str] = []
    pools = [*listing.pools, *listing.process_pools]
    for pool in pools:
        lines += _pool_lines(pool)
    lines += _lines_of_jobs_as_worker(state)
    shown = [queue for queue in listing.queues if args.all or _is_queue_in_use(queue)]
    for queue in shown[: args.limit]:
        lines.append(_queue_line(queue))
    hidden = len(listing.queues) - len(shown)
    cut = max(len(shown) - args.limit, 0)
    if cut:
        lines.append(f"... {counted(cut, 'more queue')} (--limit N)")
    if hidden:
        lines.append(f"not shown: {counted(hidden, 'empty and unused queue')} (--all)")
    return Report(
        f"{counted(len(pools), 'pool')}, {counted(len(listing.queues), 'queue')}",
        lines=lines
        or [
            nothing_found_line(state, "no executors and no queues were found", listing.soft_errors)
        ],
        data={
            "pools": [_pool_json(pool) for pool in pools],
            "queues": [_queue_json(queue) for queue in listing.queues],
        },
        soft_errors=errors,
    )


def _is_queue_in_use(queue: Queue) -> bool:
    return bool(queue.size is None or queue.size or queue.getters or queue.putters or queue.users)


def _pool_lines(pool: Executor) -> list[str]:
    most = "?" if pool.max_workers is None else pool.max_workers
    name = f" {pool.prefix}" if pool.prefix else ""
    jobs = "job" if pool.handlers else "call"
    calls = f"an unknown number of {jobs}s" if pool.queued is None else counted(pool.queued, jobs)
    what = "queued" if pool.kind == "threads" or pool.handlers else "without a result"
    what = "still to be sent to them" if pool.kind == "processes" and pool.handlers else what
    down = ", shut down" if pool.shut_down else ""
    head = f"pool of {pool.kind}{name} ({pool.shown}): {len(pool.workers)} of {most} workers"
    lines = [f"{head}, {calls} {what}{down}"]
    lines += [f"    {_worker_line(worker)}" for worker in pool.workers[:MAX_WORKERS]]
    if len(pool.workers) > MAX_WORKERS:
        lines.append(f"    ... {counted(len(pool.workers) - MAX_WORKERS, 'more worker')}")
    lines += [f"    {words}" for words in _awaited_result_lines(pool)]
    for handler in pool.handlers:
        lines.append(f"    the thread that {handler.purpose}: {_handler_wait_text(handler)}")
    if pool.kind == "processes" and pool.workers:
        pid = next((worker.pid for worker in pool.workers if worker.pid is not None), "PID")
        lines.append(f"    what a process does is not in this one: gdb-epi triage {pid}")
    for function, number in Counter(pool.calls).most_common(MAX_CALLS):
        lines.append(f"    {number} x {function}")
    return lines


def _worker_line(worker: PoolWorker) -> str:
    if worker.pid is not None:
        ended = ", started in place of one that ended" if worker.replaces else ""
        return f"process {worker.pid}  {worker.name or ''}".rstrip() + ended
    who = f"thread {worker.tid}" if worker.tid is not None else "a thread that is gone"
    return f"{who}  {worker.name or ''}  {_worker_activity(worker)}"


def _lines_of_jobs_as_worker(state: ProcessState) -> list[str]:
    """Return what this process does, where it is itself a worker of a Pool."""
    pid = pid_of(state.target)
    for thread in state.python_threads():
        workers = (f for f in thread.frames if (f.module, f.name) == (POOL_MODULE, "worker"))
        if thread.tid == pid and any(workers):
            worker = PoolWorker(thread.tid, thread.name, *read_worker_state(thread))
            return [f"this process is a worker of a Pool itself: {_worker_activity(worker)}"]
    return []


def _awaited_result_lines(pool: Executor) -> list[str]:
    """Return the results that a Pool owes: each kind, and how much of it is not done."""
    lines = []
    single = [result for result in pool.awaited if result.kind == "apply"]
    if single:
        lines.append(f"awaited: {counted(len(single), 'result')} of apply_async() or apply()")
    for result in pool.awaited:
        if result.kind != "apply":
            calls = counted("?" if result.calls is None else result.calls, "call")
            chunks = result.chunks_left
            kind = "chunk" if result.kind == "map" else "call"
            left = "" if chunks is None else f", {counted(chunks, kind)} without a result"
            waits = pool.kind == "processes" and chunks and chunks > len(pool.workers)
            pipe = f": {len(pool.workers)} run at most, the others wait in the pipe"
            lines.append(f"awaited: {result.kind} of {calls}{left}{pipe if waits else ''}")
    return lines[:MAX_CALLS] or (["no result is awaited"] if pool.handlers else [])


def _handler_wait_text(handler: PoolHandlerThread) -> str:
    """Return what a thread of a Pool waits for, by where it is."""
    if handler.tid is None:
        return "has ended"
    frame = handler.frame
    if frame is None:
        return f"thread {handler.tid}"
    place = f"{frame.qualname or frame.name} ({frame.module}:{frame.lineno or '?'})"
    return f"thread {handler.tid}, in {place}"


def _worker_activity(worker: PoolWorker) -> str:
    if worker.idle is None:
        return "cannot tell what it does"
    if worker.idle:
        return "idle"
    if worker.runs is None:
        return "runs a function without a Python frame"
    frame = worker.runs
    name = f"{frame.module}." if frame.module else ""
    return f"runs {name}{place_text(frame)}"


def _queue_line(queue: Queue) -> str:
    size = "?" if queue.size is None else queue.size
    limit = f" of {queue.max_size}" if queue.max_size else ""
    held = f"{size}{limit} items" if limit else counted(size, "item")
    parts = [f"{queue.shown} at {queue.address:#x}: {held}"]
    if queue.unfinished:
        parts.append(f"task_done() is due for {queue.unfinished}")
    if queue.getters:
        parts.append(f"{queue.getters} wait{_verb_ending(queue.getters)} to get")
    if queue.putters:
        parts.append(f"{queue.putters} wait{_verb_ending(queue.putters)} to put")
    if queue.users:
        threads = "threads" if len(queue.users) > 1 else "thread"
        parts.append(f"in its methods: {threads} {', '.join(map(str, queue.users))}")
    return ", ".join(parts)


def _verb_ending(number: int) -> str:
    """Return the ending of a verb: one waits, two wait."""
    return "s" if number == 1 else ""


def _pool_json(pool: Executor) -> dict[str, Any]:
    return {
        **pool._asdict(),
        "address": f"0x{pool.address:016x}",
        "calls": list(pool.calls),
        "awaited": [result._asdict() for result in pool.awaited],
        "handlers": [
            {**handler._asdict(), "frame": frame_json(handler.frame) if handler.frame else None}
            for handler in pool.handlers
        ],
        "workers": [
            {**worker._asdict(), "runs": frame_json(worker.runs) if worker.runs else None}
            for worker in pool.workers
        ],
    }


def _queue_json(queue: Queue) -> dict[str, Any]:
    return {**queue._asdict(), "address": f"0x{queue.address:016x}", "users": list(queue.users)}
