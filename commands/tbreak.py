# SPDX-License-Identifier: Apache-2.0
"""`epi tbreak`: stop a live process in Python code, once."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.session import Session


@command(
    "tbreak",
    arguments=(
        argument("where", nargs="+", type="literal", completes="names", help="as of epi break"),
    ),
    in_shell=False,
)
def break_once_in_python(session: Session, args: Namespace) -> Report:
    """Stop a live process once where a function or line is reached.

    As `epi break`; the breakpoint is deleted when it has stopped the process.
    """
    from gdb_epi.breakpoints import set_breakpoint

    return set_breakpoint(session, args.where, temporary=True)
