# SPDX-License-Identifier: Apache-2.0
"""Structs that move between builds of a minor version: the core proves which table is its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.interpreters import Interpreter, discover
from support.opening import made_or_skip, state_of

from gdb_epi.cpython.layout import layout as layouts
from gdb_epi.cpython.layout.layout import COOKIE
from gdb_epi.cpython.runtime.interpreters import read_runtime
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState

OTHERS = "generated/others"
# In the main table and those of others/; CPython 3.12 is the first whose runtime holds its main
# interpreter, which proves them.
PROVABLE = [interpreter for interpreter in discover() if interpreter.minor >= (3, 12)]
WHY = "no CPython 3.12 or later is on this machine"


@pytest.mark.skipif(not PROVABLE, reason=WHY)
@pytest.mark.parametrize(
    "interpreter", [pytest.param(interpreter, id=interpreter.id) for interpreter in PROVABLE]
)
def test_the_table_is_that_of_the_build(interpreter: Interpreter, tmp_path: Path) -> None:
    made = made_or_skip(interpreter, "simple")
    assert_chosen(state_of(made), interpreter)
    if interpreter.minor < (3, 13) or interpreter.free_threaded:
        return  # it publishes nothing, or is found by nothing else
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
    """Check places that lie elsewhere in the other tables."""
    python = state.python
    assert isinstance(python, PythonState), python
    assert python.soft_errors == ()
    runtime = read_runtime(state.target, python)
    assert runtime.soft_errors == ()
    (main_interpreter,) = runtime.interpreters
    assert (
        not isinstance(main_interpreter.gc, Absent)
        and not main_interpreter.gc.collecting
        and main_interpreter.gc.enabled
    )
    assert (python.gil_holder is not None) == interpreter.gil
    layout = python.layout
    main = python.runtime + layout.require("_PyRuntimeState", "interpreters.main")
    there = int.from_bytes(state.target.read(main, 8), "little")
    assert there - python.runtime == layout.require("_PyRuntimeState", "_main_interpreter")
    others = (Path(layouts.__file__).parent / OTHERS).iterdir()
    builds = [path.stem.split("-") for path in others]  # ["cp313t", "3.13.18"]; -musl comes last
    shipped = [build[1] for build in builds if build[0].isalnum() and build[0][-1].isdigit()]
    version = ".".join(str(number) for number in interpreter.version)
    if version in shipped and not interpreter.free_threaded and interpreter.gil:
        assert f"of {version})" in layout.source
