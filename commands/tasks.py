# SPDX-License-Identifier: Apache-2.0
"""`epi tasks`: the asyncio tasks and where they wait."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from functools import partial

from gdb_epi.cpython.running.tasks import ASYNCIO, TRIO, Task
from gdb_epi.cpython.running.wait_rules import FUTURE, LOCK, PLAIN_CLASSES, SEMAPHORE, TASK, TASKS
from gdb_epi.errors import Absent, SoftError
from gdb_epi.record.stacks import read_tasks_and_waits, task_json
from gdb_epi.registry import argument, command, limit_argument
from gdb_epi.render.merged_stacks import nothing_found_line, task_frame_lines
from gdb_epi.render.task_tree import tree_lines
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask


MAX_LINES = 20_000
SHOWN_NAMES = 8  # of tasks that are alike
A_TASK = "a task each"  # of several, whose names differ


@command(
    "tasks",
    arguments=(
        limit_argument(40, "frames per task"),
        argument("--tree", action="store_true", help="who waits for whom, as a tree"),
        argument("--each", action="store_true", help="also those that are alike, one by one"),
    ),
)
def show_tasks(session: Session, args: Namespace) -> Report:
    """Show the tasks of asyncio and trio: state, what each waits for, and its stack.

    The stack of a suspended task is that of its coroutine and of those that it awaits; of the
    running task, what its thread ran above the coroutine. Innermost first. The running ones come
    first; tasks of one loop that wait at the same place stand together, by their names.

    With --tree each task stands below those that wait for it (trio: below the task whose nursery
    it is in), with its coroutines outermost first,
    as `python -m asyncio pstree` draws a living process. Tasks below the same ones that are alike
    with all that they wait for are one entry, with their number; --each draws each.
    """
    state = session.state
    listing, waits = read_tasks_and_waits(state)
    shown = _Waits(waits)
    errors = [*listing.soft_errors, *state.python_soft_errors()]
    if isinstance(state.python, Absent):
        errors.append(SoftError("python", "runtime", state.python.detail))
    lines: list[str] = []
    if args.tree:
        place = partial(_place_in_tree, shown, each=args.each)
        lines = tree_lines(listing.tasks, partial(_heads, shown), place, MAX_LINES)
    else:
        for alike in _groups(shown, listing.tasks, each=args.each):
            lines += _heads(shown, alike)
            lines += task_frame_lines(alike[0].stack, limit=max(args.limit, 2))
    if not listing.tasks:
        lines = [nothing_found_line(state, "no tasks of asyncio or trio", listing.soft_errors)]
    return Report(
        _title(listing.tasks),
        lines=lines,
        data={"tasks": [task_json(task, waits.get(task.address)) for task in listing.tasks]},
        soft_errors=errors,
    )


def _title(tasks: Sequence[Task]) -> str:
    numbers = {
        framework: sum(1 for task in tasks if task.framework == framework)
        for framework in (ASYNCIO, TRIO)
    }
    parts = [counted(number, f"{name} task") for name, number in numbers.items() if number]
    return ", ".join(parts) or counted(0, "asyncio task")


class _Waits:
    """What tasks wait for, in words: of one task, or of several that are alike."""

    def __init__(self, waits: Mapping[int, UnfinishedTask]) -> None:
        self._waits = waits

    def text(self, task: Task, *, several: bool = False) -> str:
        """Return what a task waits for and, of one task, who holds it."""
        waits = self._waits.get(task.address)
        awaits = PLAIN_CLASSES.get(task.awaits, task.awaits)
        if several and awaits.startswith("task "):
            awaits = A_TASK
        if waits is None or waits.wait is None:
            return f"waits for {awaits}" if awaits else ""
        if waits.wait.kind in (FUTURE, TASK, TASKS) and task.awaits:
            # The tree and the name of the task say more than the class of a future.
            name = f" ({waits.wait.name})" if waits.wait.name and not several else ""
            return f"waits for {awaits}{name}"
        text = f"waits for {waits.wait.text(several=several)}"
        if waits.wakers and not several and waits.wait.kind in (LOCK, SEMAPHORE):
            text += f", held by {', '.join(map(self._name, waits.wakers[:SHOWN_NAMES]))}"
        return text

    def _name(self, address: int) -> str:
        waits = self._waits.get(address)
        return f"task {address:#x}" if waits is None else waits.name


def _groups(shown: _Waits, tasks: Sequence[Task], *, each: bool) -> list[list[Task]]:
    """Return the tasks, those together that differ in nothing but their names; running ones first.

    A server has thousands that wait in one line; without `each` they are said once.
    """
    groups: dict[object, list[Task]] = {}
    for task in tasks:
        groups.setdefault(_grouping_key(shown, task, each=each), []).append(task)
    return sorted(groups.values(), key=lambda alike: not alike[0].running)


def _grouping_key(shown: _Waits, task: Task, *, each: bool) -> object:
    """Return what is the same for tasks that differ in nothing but their names."""
    if each or task.running:
        return task.address
    what = _state_words(task, shown.text(task, several=True))
    awaits_one = task.awaits.startswith("task ") and task.awaits
    places = tuple((f.filename, f.lineno, f.qualname or f.name, f.hole) for f in task.stack)
    return task.interpreter, task.loop, what, awaits_one, places


def _place_in_tree(shown: _Waits, task: Task, *, each: bool) -> object:
    """Return the same, but for the name of a task that is awaited: it stands below."""
    awaits_task = task.awaits.startswith("task ")
    return _grouping_key(shown, task._replace(awaits=A_TASK) if awaits_task else task, each=each)


def _heads(shown: _Waits, alike: Sequence[Task]) -> list[str]:
    if len(alike) == 1:
        return [f"{_name(alike[0])}  {_state_words(alike[0], shown.text(alike[0]))}"]
    names = sorted(map(_name, alike), key=lambda name: (len(name), name))
    more = len(names) - SHOWN_NAMES
    rest = f" and {more} more (--each)" if more > 0 else ""
    heading = ", ".join(names[:SHOWN_NAMES])
    texts = {shown.text(task) for task in alike}
    what = texts.pop() if len(texts) == 1 else shown.text(alike[0], several=True)
    return [f"{len(alike)} tasks alike: {heading}{rest}", f"  {_state_words(alike[0], what)}"]


def _name(task: Task) -> str:
    return f"task {task.address:#x}" if isinstance(task.name, Absent) else task.name


def _state_words(task: Task, waits: str) -> str:
    coro = f"(no coroutine: {task.coro.detail})" if isinstance(task.coro, Absent) else task.coro
    if task.running:
        state = "running" if task.tid is None else f"running in thread {task.tid}"
    else:
        state = "(state unknown)" if isinstance(task.state, Absent) else task.state
    parts = [coro, state]
    if task.framework != ASYNCIO:
        parts.append(f"{task.framework}'s own" if task.system else task.framework)
    elif task.kind != "C":
        parts.append(f"written in {task.kind}")
    if task.cancelled:
        parts.append("in a cancelled scope")
    if waits:
        parts.append(waits)
    return "  ".join(parts)
