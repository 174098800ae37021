# SPDX-License-Identifier: Apache-2.0
"""Which futures of concurrent.futures a thread waits for, and which are of jobs that pools have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.typing_lite import NamedTuple

JOB_OF_THREADS = "concurrent.futures.thread._WorkItem"
JOB_OF_PROCESSES = "concurrent.futures.process._WorkItem"
# Functions of concurrent.futures that wait, and the variable that has what for.
_AWAIT_FUTURES = {"result": "self", "exception": "self", "wait": "not_done",
                  "as_completed": "pending"}  # fmt: skip
MAX_WORD = 64
MAX_CALLBACKS = 64  # of one future; and cells of one callback


class AwaitedFutures(NamedTuple):
    """The futures (PyObject *) that a thread waits for; (0,) where they cannot be read."""

    awaited: tuple[int, ...]
    of: Callable[[Iterable[bool]], bool] = all  # `any`: it needs each of them


def futures_awaited_by(context: HangContext, tid: int) -> AwaitedFutures:
    """Return what result(), wait() or as_completed() of concurrent.futures wait for (3.8-3.15)."""
    for frame in context.view.frames(tid):
        if frame.module != "concurrent.futures._base" or frame.name not in _AWAIT_FUTURES:
            continue
        variable = _AWAIT_FUTURES[frame.name]
        held = context.view.variable(frame, variable) or 0
        if variable == "self":
            return AwaitedFutures((held,))
        with suppress(UnreadableMemory, LayoutError, IndexError):
            members = tuple(ContainerReader(context.view.reader).set_items(held)) if held else ()
            until = context.view.variable(frame, "return_when")
            needs = context.view.reader.string(until, MAX_WORD) if until else ""
            return AwaitedFutures(members or (0,), any if needs == "ALL_COMPLETED" else all)
    return AwaitedFutures((0,))


def futures_of_jobs(context: HangContext, kind: str) -> set[int] | None:
    """Return the futures of all jobs that pools of a kind have; None where they are not known."""
    instances = shared_instances(context.target, context.python)
    jobs = instances.instances_of((kind,))
    futures = {context.view.attribute(job.address, "future") or 0 for job in jobs}
    return None if instances.problems or 0 in futures else futures


def threads_by_future(context: HangContext) -> dict[int, int]:
    """Return which thread runs the job of which Future (PyObject *)."""
    runners = {}
    for tid, frames in context.view.all_frames().items():
        for frame in frames:
            if (frame.module, frame.name) == ("concurrent.futures.thread", "run"):
                future = context.view.attribute(context.view.variable(frame, "self"), "future")
                if future:
                    runners[future] = tid
    return runners


def objects_in_future_callbacks(context: HangContext, future: int) -> set[int]:
    """Return what the callbacks of a concurrent.futures.Future have in their closures.

    asyncio's ones have the other future or task of the pair (Lib/asyncio/futures.py,
    _chain_future(), 3.8 to 3.15).
    """
    containers, referred = ContainerReader(context.view.reader), set[int]()
    with suppress(UnreadableMemory, LayoutError, IndexError):
        callbacks = context.view.attribute(future, "_done_callbacks")
        for callback in containers.list_items(callbacks)[:MAX_CALLBACKS] if callbacks else ():
            if context.view.type_name(callback) == "function":
                referred.update(containers.closure_values(callback, MAX_CALLBACKS))
    return referred
