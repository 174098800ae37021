# SPDX-License-Identifier: Apache-2.0
"""How many tasks of asyncio and trio there were, and what they waited for."""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.record.registry import Json, Notes, Parts, group
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cpython.running.tasks import Task

MAX_TASKS = 5000  # whose waits are counted; a record must not take minutes
MAX_KINDS = 32


@group("tasks", order=75)
def tasks(parts: Parts, notes: Notes) -> Json | None:
    """Return the numbers of tasks, and of those that wait by kind. Absent when there are none.

    Greenlets are not counted: finding them takes a walk through all objects.
    """
    from gdb_epi.cpython.running.tasks import ASYNCIO, TRIO, asyncio_tasks

    state = parts.state
    if not isinstance(state.python, PythonState):
        return None
    found = list(asyncio_tasks(state.target, state.python).tasks)
    found += _of_trio(parts)
    found = [task for task in found if task.state == "pending" and not task.system]
    if not found:
        return None
    from gdb_epi.cpython.running.waiting import waits_of_tasks

    kinds: dict[str, int] = {}
    for waits in waits_of_tasks(state.target, state.python, found[:MAX_TASKS]):
        if waits.wait is not None:
            kinds[waits.wait.kind] = kinds.get(waits.wait.kind, 0) + 1
    if len(found) > MAX_TASKS:
        notes.left_out["tasks"] = len(found) - MAX_TASKS
    often = sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_KINDS]
    return {
        "asyncio": sum(1 for task in found if task.framework == ASYNCIO),
        "trio": sum(1 for task in found if task.framework == TRIO),
        "running": sum(1 for task in found if task.running),
        "waits": [{"kind": kind, "count": count} for kind, count in often],
    }


def _of_trio(parts: Parts) -> list[Task]:
    from gdb_epi.cpython.running.tasks import TRIO_MODULE, has_module

    state = parts.state
    if not isinstance(state.python, PythonState):
        return []
    if not has_module(state.target, state.python, TRIO_MODULE):
        return []
    from gdb_epi.cpython.running.trio_tasks import trio_tasks

    return list(trio_tasks(state.target, state.python).tasks)
