# SPDX-License-Identifier: Apache-2.0
"""`epi memory`: what fills the memory."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.registry import command
from gdb_epi.report import Report
from gdb_epi.session import Session


@command("memory")
def show_memory_use(session: Session, _args: Namespace) -> Report:
    """Show what fills the memory: types, and variables that hold most.

    Globals of modules and locals of frames are followed; of large containers some items stand for
    the others, so numbers are estimates. What no variable leads to (garbage in cycles) is seen in
    a sample of Python's small blocks; of memory of C code only the size is known.
    """
    from gdb_epi.render.causes.memory_use import memory_report

    return memory_report(session.state)
