# SPDX-License-Identifier: Apache-2.0
"""How many tasks of asyncio and trio and greenlets there were, and what tasks waited for."""

from __future__ import annotations

from collections import Counter

from gdb_epi.cpython.types import PythonState
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cpython.running.tasks import Task

MAX_TASKS = 5000  # whose waits are counted; a record must not take minutes
MAX_KINDS = 32


@group("tasks", order=75)
def tasks(parts: RecordParts, notes: RecordNotes) -> Json | None:
    """Return the numbers of tasks, and of those that wait by kind. Absent when there are none.

    Greenlets are counted only if all objects were listed before, as for the answer of a hang:
    finding them takes a walk through memory.
    """
    from gdb_epi.cpython.running.tasks import ASYNCIO, TRIO, read_asyncio_tasks

    state = parts.state
    if not isinstance(state.python, PythonState):
        return None
    every = read_asyncio_tasks(state.target, state.python).tasks
    failures = Counter(task.failure for task in every if task.unseen and task.failure)
    pending = [*every, *_trio_tasks(parts)]
    pending = [task for task in pending if task.state == "pending" and not task.system]
    suspended = _count_suspended_greenlets(parts)
    if not pending and not suspended and not failures:
        return None
    kinds: dict[str, int] = {}
    if pending:
        from gdb_epi.cpython.running.unfinished_tasks import read_task_waits

        for waits in read_task_waits(state.target, state.python, pending[:MAX_TASKS]):
            if waits.wait is not None:
                kinds[waits.wait.kind] = kinds.get(waits.wait.kind, 0) + 1
    if len(pending) > MAX_TASKS:
        notes.left_out["tasks"] = len(pending) - MAX_TASKS
    often = sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_KINDS]
    greenlets = {"greenlets": suspended} if suspended else {}
    failed = [{"exception": what, "count": n} for what, n in failures.most_common(MAX_KINDS)]
    return {
        **greenlets,
        **({"failed": failed} if failed else {}),
        "asyncio": sum(1 for task in pending if task.framework == ASYNCIO),
        "trio": sum(1 for task in pending if task.framework == TRIO),
        "running": sum(1 for task in pending if task.running),
        "waits": [{"kind": kind, "count": count} for kind, count in often],
    }


def _count_suspended_greenlets(parts: RecordParts) -> int:
    from gdb_epi.cpython.heap.instances import shared_instances
    from gdb_epi.cpython.running.greenlets import SUSPENDED, read_greenlets
    from gdb_epi.cpython.running.tasks import is_module_imported

    target, python = parts.state.target, parts.state.python
    if not isinstance(python, PythonState) or not is_module_imported(target, python, "greenlet"):
        return 0
    if not shared_instances(target, python).are_listed:
        return 0
    greenlets = read_greenlets(target, python).greenlets
    return sum(1 for greenlet in greenlets if greenlet.state == SUSPENDED and not greenlet.main)


def _trio_tasks(parts: RecordParts) -> list[Task]:
    from gdb_epi.cpython.running.tasks import TRIO_MODULE, is_module_imported

    state = parts.state
    if not isinstance(state.python, PythonState):
        return []
    if not is_module_imported(state.target, state.python, TRIO_MODULE):
        return []
    from gdb_epi.cpython.running.trio_tasks import read_trio_tasks

    return list(read_trio_tasks(state.target, state.python).tasks)
