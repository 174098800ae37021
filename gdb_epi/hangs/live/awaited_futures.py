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


class AwaitedFutures(NamedTuple):
    """The futures (PyObject *) that a thread waits for; (0,) where they cannot be read."""

    awaited: tuple[int, ...]
    of: Callable[[Iterable[bool]], bool] = all  # `any`: it needs each of them


def futures_awaited_by(scene: HangContext, tid: int) -> AwaitedFutures:
    """Return what result(), wait() or as_completed() of concurrent.futures wait for (3.8-3.15)."""
    for frame in scene.view.frames(tid):
        if frame.module != "concurrent.futures._base" or frame.name not in _AWAIT_FUTURES:
            continue
        variable = _AWAIT_FUTURES[frame.name]
        held = scene.view.variable(frame, variable) or 0
        if variable == "self":
            return AwaitedFutures((held,))
        with suppress(UnreadableMemory, LayoutError, IndexError):
            members = tuple(ContainerReader(scene.view.reader).set_items(held)) if held else ()
            until = scene.view.variable(frame, "return_when")
            needs = scene.view.reader.string(until, MAX_WORD) if until else ""
            return AwaitedFutures(members or (0,), any if needs == "ALL_COMPLETED" else all)
    return AwaitedFutures((0,))


def futures_of_jobs(scene: HangContext, kind: str) -> set[int] | None:
    """Return the futures of all jobs that pools of a kind have; None where they are not known."""
    instances = shared_instances(scene.target, scene.python)
    jobs = instances.of((kind,))
    futures = {scene.view.attribute(each.address, "future") or 0 for each in jobs}
    return None if instances.problems or 0 in futures else futures
