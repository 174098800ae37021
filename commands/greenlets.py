# SPDX-License-Identifier: Apache-2.0
"""`epi greenlets`: the stacks of suspended greenlets."""

from __future__ import annotations

from gdb_epi.argument_types import whole
from gdb_epi.cpython.running.greenlets import greenlets_of
from gdb_epi.record.stacks import frame_json
from gdb_epi.registry import argument, command
from gdb_epi.render.stack import nothing_found, traceback_text
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session


@command(
    "greenlets",
    arguments=(
        argument("--limit", type=whole(), default=40, metavar="N", help="frames per greenlet (40)"),
    ),
)
def greenlets(session: Session, args: Namespace) -> Report:
    """Show greenlets (also gevent's and eventlet's) with the stacks of the suspended ones.

    Innermost first. The running greenlet of a thread is that thread's stack (epi bt). Whether one
    without a stack runs, has ended or never started cannot be told.
    """
    state = session.state
    listing = greenlets_of(state.target, state.required_python())
    errors = [*listing.soft_errors, *state.python_soft_errors()]
    lines: list[str] = []
    limit = args.limit
    for greenlet in listing.greenlets:
        state_text = greenlet.state or "in an unknown state"
        lines.append(f"{greenlet.shown} at {greenlet.address:#x}: {state_text}")
        lines += [f"    {traceback_text(frame)}" for frame in greenlet.stack[:limit]]
        if len(greenlet.stack) > limit:
            more = counted(len(greenlet.stack) - limit, "more frame")
            lines.append(f"    ... {more} (--limit N)")
    return Report(
        counted(len(listing.greenlets), "greenlet"),
        lines=lines or [nothing_found(state, "no greenlets were found", listing.soft_errors)],
        data={
            "greenlets": [
                {
                    "address": f"0x{greenlet.address:016x}",
                    "class": greenlet.shown,
                    "state": greenlet.state or None,
                    "stack": [frame_json(frame) for frame in greenlet.stack],
                }
                for greenlet in listing.greenlets
            ],
            "soft_errors": [error._asdict() for error in errors],
        },
        soft_errors=errors,
    )
