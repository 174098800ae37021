# SPDX-License-Identifier: Apache-2.0
"""`epi frame`: select a Python frame, and in GDB the native frame that runs it."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.argument_types import whole_number
from gdb_epi.registry import argument, command
from gdb_epi.render.navigation import frame_report
from gdb_epi.report import Report
from gdb_epi.session import Session


@command(
    "frame",
    arguments=(
        argument("frame", nargs="?", type=whole_number(0), help="Python frame number, 0 innermost"),
    ),
    in_shell=False,
)
def select_python_frame(session: Session, args: Namespace) -> Report:
    """Select a Python frame by its number in `epi bt`.

    Without a number show which one is selected. GDB's own frame moves to the native frame that
    runs it. `epi locals`, `list` and `print` work on the selected Python frame, until GDB selects
    another frame or thread.
    """
    if args.frame is None:
        return frame_report(session, session.number_of_selected_frame())
    session.select_python_frame(args.frame)
    return frame_report(session, args.frame)
