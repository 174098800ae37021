# SPDX-License-Identifier: Apache-2.0
"""Structs that move within a minor version: the table is chosen by what the core proves."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.interpreters import Interpreter, discover
from support.opening import made_or_skip, state_of

from gdb_epi.cpython.layout.layout import COOKIE
from gdb_epi.cpython.runtime.interpreters import read_runtime
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState

# Releases of which tables are shipped; the last serves all that follow it.
SHIPPED = ((3, 14, 0), (3, 14, 4), (3, 14, 8))
MOVED = [
    one
    for one in discover()
    if one.minor == (3, 14)
    and not one.free_threaded
    and (one.version in SHIPPED or one.version > SHIPPED[-1])
]
WHY = "no CPython 3.14 with a GIL is here: tests/tools/fetch_interpreters.py"


@pytest.mark.skipif(not MOVED, reason=WHY)
@pytest.mark.parametrize("interpreter", [pytest.param(one, id=one.id) for one in MOVED])
def test_the_table_is_that_of_the_patch_release(interpreter: Interpreter, tmp_path: Path) -> None:
    made = made_or_skip(interpreter, "simple")
    assert_chosen(state_of(made), interpreter)
    # The same without the process's own words: its main interpreter and modules tell.
    core = tmp_path / "core"
    shutil.copyfile(made.core, core)
    with core.open("r+b") as handle:
        data = handle.read()
        at = data.find(COOKIE)
        assert at >= 0
        while at >= 0:
            handle.seek(at)
            handle.write(b"no cookie"[: len(COOKIE)])
            at = data.find(COOKIE, at + 1)
    assert_chosen(state_of(made._replace(core=core)), interpreter)


def assert_chosen(state: ProcessState, interpreter: Interpreter) -> None:
    """Check the table's name, and words that lie elsewhere in the other tables."""
    python = state.python
    assert isinstance(python, PythonState), python
    version = ".".join(str(number) for number in min(interpreter.version, SHIPPED[-1]))
    assert f"of {version})" in python.layout.source
    assert python.soft_errors == ()
    found = read_runtime(state.target, python)
    assert found.soft_errors == ()
    (one,) = found.interpreters
    assert not isinstance(one.gc, Absent) and not one.gc.collecting
    assert python.gil_holder is not None
