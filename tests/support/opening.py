# SPDX-License-Identifier: Apache-2.0
"""A real core of a program, or a skipped test that says why there is none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gdb_epi.cli.support.native_gdb import find_gdb
from gdb_epi.process_state import ProcessState
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget
from support.cores import CoreFailed, Made, Program, make_core, why_no_core_dumps
from support.interpreters import Interpreter, by_id, discover, one_per_minor, own_interpreters

NO_OWN = "no interpreter found that runs on this machine's own root: pyenv builds some"
MAX_SAID = 300  # characters of what a failed program printed


def need_core_dumps() -> None:
    """Skip the test where the machine leaves no cores."""
    reason = why_no_core_dumps()
    if reason:
        pytest.skip(f"no core dumps here: {reason}")


def need_gdb() -> str:
    """Return the GDB that `gdb-epi` takes; skip the test where there is none."""
    gdb = find_gdb(None)
    if gdb is None:
        pytest.skip("no gdb beside this Python or on PATH; try: apt install gdb")
    return gdb


def own_cores(wanted: Sequence[str], programs: Sequence[str]) -> list[Path]:
    """Return a core of each interpreter that is here, of a program in turn; skip without any.

    Of every program with `--heavy`.
    """
    need_gdb()
    need_core_dumps()
    made = []
    for number, interpreter in enumerate(i for i in discover() if i.id in wanted):
        turn = number % len(programs)
        full = os.environ.get("GDB_EPI_MATRIX") == "full"
        for program in programs if full else programs[turn : turn + 1]:
            try:
                made.append(make_core(interpreter, program).core)
            except CoreFailed as error:
                pytest.skip(f"the program left no core: {error}")
    if not made:
        pytest.skip(f"none of {wanted} is here: pyenv, tests/tools/fetch_interpreters.py")
    return made


def newest_or_skip() -> Interpreter:
    """Return the newest interpreter that runs on this machine's own root; skip without."""
    usable = own_interpreters()
    if not usable:
        pytest.skip(NO_OWN)
    return usable[-1]


def interpreter_or_skip(identifier: str) -> Interpreter:
    """Return an interpreter of the matrix; skip where it is not on this machine."""
    interpreter = by_id(identifier)
    if interpreter is None:
        pytest.skip(f"{identifier} is not on this machine")
    return interpreter


def oldest_or_skip(minor: tuple[int, int]) -> Interpreter:
    """Return the ordinary interpreter of the oldest minor version from `minor` on; skip without."""
    interpreter = next((i for i in one_per_minor() if i.minor >= minor), None)
    if interpreter is None:
        pytest.skip(f"no CPython {minor[0]}.{minor[1]} or later is on this machine")
    return interpreter


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
    return Session(target_of(made), sysroot=sysroot_of(made))


def open_session(interpreter: Interpreter, program: Program | str) -> tuple[Made, Session]:
    """Return a program's core, and what a command sees of it; skip without."""
    made = made_or_skip(interpreter, program)
    return made, session_of(made)


def open_target(interpreter: Interpreter, program: Program | str) -> tuple[Made, CoreFileTarget]:
    """Return a program's core, and the process in it; skip without."""
    made = made_or_skip(interpreter, program)
    return made, target_of(made)


def core_of(program: Program | str, oldest: tuple[int, int] = (3, 8)) -> Made:
    """Return a core of a program on some interpreter, 3.11 if there is one; skip without."""
    need_core_dumps()
    usable = [i for i in own_interpreters() if i.minor >= oldest]
    usable.sort(key=lambda interpreter: (interpreter.minor != (3, 11), interpreter.minor))
    if not usable:
        pytest.skip(NO_OWN)
    return made_or_skip(usable[0], program)


def libpython_of(made: Made) -> Path:
    """Return the extension of GDB that CPython brings with its interpreter; skip without."""
    minor = ".".join(map(str, made.interpreter.minor))
    file = made.executable.with_name(f"python{minor}-gdb.py")
    if not file.is_file():
        pytest.skip(f"{made.interpreter.id} has no {file.name}, which pyenv's CPythons have")
    return file
