# SPDX-License-Identifier: Apache-2.0
"""A real core of a program, or a skipped test that says why there is none."""

from __future__ import annotations

from typing import Any

import pytest

from gdb_epi.process_state import ProcessState
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget
from support.cores import CoreFailed, Made, Program, make_core, why_no_core_dumps
from support.interpreters import Interpreter, by_id, one_per_minor

MAX_SAID = 300  # characters of what a failed program printed


def need_core_dumps() -> None:
    """Skip the test where the machine leaves no cores."""
    reason = why_no_core_dumps()
    if reason:
        pytest.skip(f"no core dumps here: {reason}")


def interpreter_or_skip(identifier: str) -> Interpreter:
    """Return an interpreter of the matrix; skip where it is not on this machine."""
    found = by_id(identifier)
    if found is None:
        pytest.skip(f"{identifier} is not on this machine")
    return found


def oldest_or_skip(minor: tuple[int, int]) -> Interpreter:
    """Return the ordinary interpreter of the oldest minor version from `minor` on; skip without."""
    found = next((one for one in one_per_minor() if one.minor >= minor), None)
    if found is None:
        pytest.skip(f"no CPython {minor[0]}.{minor[1]} or later is on this machine")
    return found


def made_or_skip(
    interpreter: Interpreter, program: Program | str, *, coredump_filter: int | None = None
) -> Made:
    """Return a program's core; skip where the machine or this interpreter leaves none."""
    need_core_dumps()
    try:
        return make_core(interpreter, program, coredump_filter=coredump_filter)
    except CoreFailed as error:
        what, _, printed = str(error).partition("\n")
        end = f": ... {printed[-MAX_SAID:].strip()}" if printed.strip() else ""
        pytest.skip(f"no core of this program on this interpreter: {what}{end}")


def sysroot_of(made: Made) -> str | None:
    """Return the folder in which the core's paths live; None for this machine's own root."""
    return str(made.sysroot) if made.sysroot else None


def target_of(made: Made, **options: Any) -> CoreFileTarget:
    """Open a core without GDB."""
    options.setdefault("sysroot", sysroot_of(made))
    return CoreFileTarget.open(made.core, **options)


def state_of(made: Made, **options: Any) -> ProcessState:
    """Open a core without GDB, and decode it."""
    return ProcessState(target_of(made, **options))


def session_of(made: Made) -> Session:
    """Open a core without GDB, as a command sees it."""
    return Session(target_of(made))


def core_of(program: str, oldest: tuple[int, int] = (3, 8)) -> Made:
    """Return a core of a program on some interpreter, 3.11 if there is one; skip without."""
    need_core_dumps()
    known = [i for i in one_per_minor() if i.minor >= oldest and i.root is None]
    known.sort(key=lambda interpreter: (interpreter.minor != (3, 11), interpreter.minor))
    if not known:
        pytest.skip("no interpreter found that runs on this machine's own root")
    return made_or_skip(known[0], program)
