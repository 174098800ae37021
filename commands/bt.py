# SPDX-License-Identifier: Apache-2.0
"""`epi bt`: the merged native and Python stack of one thread, or of all."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.errors import Absent, InputError, SoftError
from gdb_epi.process_state import ProcessState
from gdb_epi.registry import argument, command
from gdb_epi.render.stack import stack_lines, thread_title
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.stacks import LOCALS_MISSING, merged_json, stacks_json


@command(
    "bt",
    arguments=(
        argument("--all", action="store_true", help="every thread, not only the selected one"),
        argument("--native", action="store_true", help="all native frames, none folded away"),
        argument("--locals", action="store_true", help="also the values of locals"),
        argument("--limit", type=int, default=100, metavar="N", help="frames per thread (100)"),
    ),
)
def bt(session: Session, args: Namespace) -> Report:
    """Show native and Python frames together, innermost first.

    Python frames stand below the native call of the bytecode loop that runs them. A frame that
    cannot be decoded is shown as a hole with the reason. Frames of CPython's own machinery are
    folded away unless --native is given.
    """
    state = session.state
    tids = _all_tids(state) if args.all else [_chosen(session)]
    lines: list[str] = []
    for tid in tids:
        lines.append(thread_title(state, tid))
        lines += stack_lines(state.stack(tid), native=args.native, limit=max(args.limit, 1))
        lines.append("")
    ghosts = [t for t in state.python_threads() if not t.alive] if args.all else []
    for thread in ghosts:
        lines.append(thread_title(state, thread.tid, thread))
        lines += stack_lines(state.ghost_stack(thread), native=False, limit=max(args.limit, 1))
        lines.append("")
    errors = state.all_soft_errors()
    if isinstance(state.python, Absent):
        errors.append(SoftError("python", "runtime", state.python.detail))
    data = stacks_json(state, locals=args.locals)
    for thread_data in data["threads"]:
        if thread_data["tid"] in tids:
            thread_data["merged"] = merged_json(state.stack(thread_data["tid"]))
    if not args.all:
        data["threads"] = [t for t in data["threads"] if t["tid"] in tids]
    if args.locals:
        errors.append(SoftError("locals", "all threads", LOCALS_MISSING))
    return Report("bt", lines=lines[:-1], data=data, soft_errors=errors)


def _all_tids(state: ProcessState) -> list[int]:
    return [thread.tid for thread in state.target.threads()]


def _chosen(session: Session) -> int:
    tid = session.selected_tid or session.state.crashed_tid()
    if tid is None:
        raise InputError("no thread in this core", hint="epi doctor says what the core holds")
    return tid
