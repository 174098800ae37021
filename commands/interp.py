# SPDX-License-Identifier: Apache-2.0
"""`epi interp`: every interpreter of the process and what it was doing."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.cpython.runtime.interpreters import read_runtime
from gdb_epi.errors import Absent, InputError
from gdb_epi.registry import command
from gdb_epi.render.interpreters import (
    hex_or_none,
    interpreter_json,
    interpreter_lines,
    tstate_name,
)
from gdb_epi.report import Report
from gdb_epi.session import Session


@command("interp")
def show_interpreters(session: Session, args: Namespace) -> Report:
    """Show every interpreter: its GIL, threads, modules, collector.

    Subinterpreters share the GIL of the main one, or (3.12+) have their own. `epi gc` says more of
    the collectors, `epi threads` of the threads.
    """
    state = session.state
    if isinstance(state.python, Absent):
        raise InputError(f"Python was not decoded: {state.python.detail}", hint="epi doctor")
    runtime = read_runtime(state.target, state.python)
    errors = [*runtime.soft_errors, *state.python_soft_errors()]
    count = len(runtime.interpreters)
    lines = [f"CPython {state.python.version}, {count} interpreter{'s' if count != 1 else ''}"]
    if isinstance(runtime.finalizing, int) and runtime.finalizing:
        who = tstate_name(runtime, runtime.finalizing)
        lines.append(f"the process is ending: the runtime is being finalized by {who}")
    for interpreter in runtime.interpreters:
        lines += ["", *interpreter_lines(state.target, runtime, interpreter)]
    return Report(
        "interpreters",
        lines=lines,
        data={
            "finalizing": hex_or_none(runtime.finalizing),
            "interpreters": [
                interpreter_json(state.target, runtime, interpreter)
                for interpreter in runtime.interpreters
            ],
        },
        soft_errors=errors,
    )
