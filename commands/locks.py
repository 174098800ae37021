# SPDX-License-Identifier: Apache-2.0
"""`epi locks`: what every thread waits for, who holds it, and who waits for whom."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.errors import Absent
from gdb_epi.registry import argument, command
from gdb_epi.render.locks import (
    graphviz_lines,
    lines_of_threads_not_waiting,
    locks_json,
    wait_lines,
    wait_tree_lines,
)
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.util import counted


@command(
    "locks",
    arguments=(
        argument("--graph", action="store_true", help="who waits for whom, as a tree"),
        argument("--dot", action="store_true", help="the same for Graphviz"),
        argument("--all", action="store_true", help="also each thread that waits for no lock"),
        argument("--evidence", action="store_true", help="what each line rests on"),
    ),
)
def show_lock_waits(session: Session, args: Namespace) -> Report:
    """Show what every thread waits for, and who holds it.

    Of a process that hangs the answer of `epi triage` stands first.

    The holder of a lock is the thread that its memory names, or the one whose frame is in its
    `with` block; where neither tells, that is said. With --graph the threads that others wait for
    come first and their waiters below them.
    """
    report = session.state.locks
    document = locks_json(session.state)
    errors = list(report.soft_errors)
    title = (
        f"{counted(len(report.waits), 'waiting thread')}, {counted(len(report.cycles), 'cycle')}"
    )
    if args.dot:
        return Report(title, lines=graphviz_lines(session.state), data=document, soft_errors=errors)
    lines = [] if args.json else _answer_without_crash(session, circles=bool(report.cycles))
    if args.graph:
        lines += wait_tree_lines(session.state)
    else:
        lines += wait_lines(session.state, evidence=args.evidence)
        lines += lines_of_threads_not_waiting(session.state, every=args.all)
    return Report(title, lines=lines, data=document, soft_errors=errors)


def _answer_without_crash(session: Session, *, circles: bool) -> list[str]:
    """Return what `epi triage` says of a process that did not fail by itself; else nothing."""
    if isinstance(session.state.hang, Absent):
        return []
    from gdb_epi.analysis import analyze
    from gdb_epi.render.triage import hang_lines
    from gdb_epi.render.triage_wait_lines import task_count_lines

    record = analyze(session)
    return [*hang_lines(record, listed=circles), *task_count_lines(record, in_gdb=True), ""]
