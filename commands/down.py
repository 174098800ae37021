# SPDX-License-Identifier: Apache-2.0
"""`epi down`: select the Python frame that the selected one called."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.argument_types import whole_number
from gdb_epi.registry import argument, command
from gdb_epi.render.navigation import select_frame_by_distance
from gdb_epi.report import Report
from gdb_epi.session import Session


@command(
    "down",
    arguments=(argument("count", nargs="?", type=whole_number(), default=1, help="frames (1)"),),
    in_shell=False,
)
def select_called_frame(session: Session, args: Namespace) -> Report:
    """Select the Python frame that the selected one called.

    GDB's own frame follows. Since CPython 3.11 one native frame runs several Python frames: then
    it stays.
    """
    return select_frame_by_distance(session, -args.count)
