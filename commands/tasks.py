# SPDX-License-Identifier: Apache-2.0
"""`epi tasks`: the asyncio tasks and where they wait."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.registry import argument, command, limit_argument
from gdb_epi.render.task_tree import FRAMES, tasks_report
from gdb_epi.report import Report
from gdb_epi.session import Session


@command(
    "tasks",
    arguments=(
        limit_argument(FRAMES, "frames per task"),
        argument("--tree", action="store_true", help="who waits for whom, as a tree"),
        argument("--each", action="store_true", help="also those that are alike, one by one"),
    ),
)
def show_tasks(session: Session, args: Namespace) -> Report:
    """Show the tasks of asyncio and trio, and what each waits for.

    The stack of a suspended task is that of its coroutine and of those that it awaits; of the
    running task, what its thread ran above the coroutine. Innermost first. The running ones come
    first; tasks of one loop that wait at the same place stand together, by their names.

    With --tree each task stands below those that wait for it (trio: below the task whose nursery
    it is in), with its coroutines outermost first,
    as `python -m asyncio pstree` draws a living process. Tasks below the same ones that are alike
    with all that they wait for are one entry, with their number; --each draws each.
    """
    return tasks_report(session.state, args.limit, tree=args.tree, each=args.each)
