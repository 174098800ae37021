# SPDX-License-Identifier: Apache-2.0
"""What dry runs say of the functions of a program whose core is taken."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.repr_decoder import ReprLimits, Undecodable
from gdb_epi.cpython.values.value_stack import CertainException
from gdb_epi.hangs.dry_run.container_evaluation import MAX_ITEMS
from gdb_epi.hangs.dry_run.dry_run import DryRun
from gdb_epi.hangs.dry_run.loop_states import EndlessLoop
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget
from support.hangs import core_by_signal
from support.interpreters import Interpreter

UNKNOWN = "not known"


def is_plain(interpreter: Interpreter) -> bool:
    return interpreter.root is None and not interpreter.free_threaded


def outcomes(
    interpreter: Interpreter, folder: Path, text: str, functions: Iterable[str]
) -> dict[str, object]:
    """Return what functions of a program's main module come to: a value, "endless", UNKNOWN."""
    program = folder / "program.py"
    program.write_text(text)
    state = ProcessState(
        CoreFileTarget.open(core_by_signal(interpreter, "busy", folder, program=program))
    )
    return {name: outcome(call_of(state, name)) for name in functions}


def outcome(run: DryRun) -> object:
    try:
        return run.plain_value_of(run.run())
    except EndlessLoop:
        return "endless"
    except (Undecodable, CertainException):
        return UNKNOWN


def call_of(state: ProcessState, name: str) -> DryRun:
    values = get_process_values(state.target, state.python)
    run = DryRun(values.decoder(ReprLimits(width=MAX_ITEMS, secrets=True)), [20_000])
    run.begin_call(run.decoder.module_global("__main__", name), None, [])
    return run
