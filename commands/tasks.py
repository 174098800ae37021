# SPDX-License-Identifier: Apache-2.0
"""`epi tasks`: the asyncio tasks and where they wait."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.tasks import Task
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, SoftError
from gdb_epi.lean import TYPE_CHECKING
from gdb_epi.registry import argument, command
from gdb_epi.render.stack import nothing_found
from gdb_epi.render.tasktree import tree_lines
from gdb_epi.report import Report
from gdb_epi.stacks import task_json, tasks_of
from gdb_epi.words import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session


MAX_LINES = 20_000


@command(
    "tasks",
    arguments=(
        argument("--limit", type=int, default=40, metavar="N", help="frames per task (40)"),
        argument("--tree", action="store_true", help="who waits for whom, as a tree"),
    ),
)
def tasks(session: Session, args: Namespace) -> Report:
    """Show the asyncio tasks of every loop: state, what each awaits, and its stack.

    The stack of a suspended task is that of its coroutine and of those that it awaits; of the
    running task, what its thread ran above the coroutine. Innermost first.

    With --tree each task stands below those that wait for it, with its coroutines outermost first,
    as `python -m asyncio pstree` draws a living process.
    """
    state = session.state
    errors = state.all_soft_errors()
    if isinstance(state.python, Absent):
        errors.append(SoftError("python", "runtime", state.python.detail))
    found = tasks_of(state)
    errors += found.soft_errors
    lines: list[str] = []
    if args.tree:
        lines = tree_lines(found.tasks, _title, MAX_LINES)
    else:
        for task in found.tasks:
            lines.append(_title(task))
            lines += [f"    {line}" for line in _stack(task, limit=max(args.limit, 2))]
    if not found.tasks:
        lines = [nothing_found(state, "no asyncio tasks")]
    return Report(
        counted(len(found.tasks), "asyncio task"),
        lines=lines,
        data={
            "tasks": [task_json(task) for task in found.tasks],
            "soft_errors": [error._asdict() for error in errors],
        },
        soft_errors=errors,
    )


def _title(task: Task) -> str:
    name = f"task {task.address:#x}" if isinstance(task.name, Absent) else task.name
    coro = f"(no coroutine: {task.coro.detail})" if isinstance(task.coro, Absent) else task.coro
    state = "(state unknown)" if isinstance(task.state, Absent) else task.state
    parts = [name, coro, state]
    if task.running:
        parts.append("running" if task.tid is None else f"running in thread {task.tid}")
    if task.kind != "C":
        parts.append(f"written in {task.kind}")
    if task.awaits:
        parts.append(f"awaits {task.awaits}")
    return "  ".join(parts)


def _stack(task: Task, *, limit: int) -> Iterator[str]:
    shown = task.stack
    if len(shown) > limit:
        yield from map(_line, shown[: limit // 2])
        yield f"... {counted(len(shown) - 2 * (limit // 2), 'more frame')} (--limit N)"
        shown = shown[-(limit // 2) :]
    yield from map(_line, shown)


def _line(frame: PyFrame) -> str:
    if frame.hole is not None:
        return f"[hole: {frame.hole}]"
    return f'File "{frame.filename}", line {frame.lineno or "?"}, in {frame.qualname or frame.name}'
