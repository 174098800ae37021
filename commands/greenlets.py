# SPDX-License-Identifier: Apache-2.0
"""`epi greenlets`: the stacks of suspended greenlets."""

from __future__ import annotations

from gdb_epi.cpython.running.greenlets import greenlets_of
from gdb_epi.cpython.types import PyFrame
from gdb_epi.record.stacks import frame_json
from gdb_epi.registry import argument, command
from gdb_epi.render.stack import nothing_found
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session


@command(
    "greenlets",
    arguments=(
        argument("--limit", type=int, default=40, metavar="N", help="frames per greenlet (40)"),
    ),
)
def greenlets(session: Session, args: Namespace) -> Report:
    """Show greenlets (also gevent's and eventlet's) with the stacks of the suspended ones.

    Innermost first. The running greenlet of a thread is that thread's stack (epi bt). Whether one
    without a stack runs, has ended or never started cannot be told.
    """
    state = session.state
    found = greenlets_of(state.target, state.required_python())
    errors = [*found.soft_errors, *state.python_soft_errors()]
    lines: list[str] = []
    for one in found.greenlets:
        lines.append(f"{one.shown} at {one.address:#x}: {one.state or 'in an unknown state'}")
        lines += [f"    {_line(frame)}" for frame in one.stack[: max(args.limit, 1)]]
        if len(one.stack) > max(args.limit, 1):
            lines.append(
                f"    ... {counted(len(one.stack) - max(args.limit, 1), 'more frame')} (--limit N)"
            )
    return Report(
        counted(len(found.greenlets), "greenlet"),
        lines=lines or [nothing_found(state, "no greenlets were found", found.soft_errors)],
        data={
            "greenlets": [
                {
                    "address": f"0x{one.address:016x}",
                    "class": one.shown,
                    "state": one.state or None,
                    "stack": [frame_json(frame) for frame in one.stack],
                }
                for one in found.greenlets
            ],
            "soft_errors": [error._asdict() for error in errors],
        },
        soft_errors=errors,
    )


def _line(frame: PyFrame) -> str:
    if frame.hole is not None:
        return f"[hole: {frame.hole}]"
    return f'File "{frame.filename}", line {frame.lineno or "?"}, in {frame.qualname or frame.name}'
