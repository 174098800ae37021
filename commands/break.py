# SPDX-License-Identifier: Apache-2.0
"""`epi break`: stop a live process in Python code."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.session import Session


@command(
    "break",
    arguments=(
        argument(
            "where",
            nargs="+",
            type="literal",
            completes="names",
            help="FUNCTION (module.func, Class.method, any path of `epi print`) or FILE.py:LINE; "
            "then perhaps: if EXPRESSION of GDB",
        ),
    ),
    in_shell=False,
)
def break_in_python(session: Session, args: Namespace) -> Report:
    """Stop a live process where a Python function or line is reached.

    Every call is seen, from Python and from C, in every thread: a hardware watchpoint lies on the
    instruction that the eval loop reads. The processor has four. Of a generator or coroutine the
    first resumption counts. The function must exist: a module that is not imported yet has none.
    Not seen: code that CPython's JIT has compiled, and C functions. The process stops before the
    line runs: `epi bt` still shows the one before. Conditions are GDB's: `epi break f if
    $_streq($epi_repr("x"), "5")`; `info breakpoints`, `delete N`, `ignore N 3` are too.
    """
    from gdb_epi.breakpoints import set_breakpoint

    return set_breakpoint(session, args.where, temporary=False)
