# SPDX-License-Identifier: Apache-2.0
"""Cores of interpreters that died while they started: decoded as far as they got."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support.cores import find_core
from support.interpreters import Interpreter, one_per_minor
from support.opening import need_core_dumps

from gdb_epi.analysis import analyze
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

DIE = "import posix\nposix.abort()\n"
GDB = "/usr/bin/gdb"
# Where a start is stopped: nothing is set up; an interpreter but no thread; threads but no modules.
STOPS = (
    "Py_InitializeFromConfig",
    "PyThreadState_New",
    "_PyImport_FixupBuiltin",
    "PyImport_ImportModule",
)
HERE = [pytest.param(i, id=i.id) for i in one_per_minor() if i.root is None]


def core_of_start(interpreter: Interpreter, folder: Path, module: str, text: str) -> Path:
    """Start an interpreter that finds `module` first on its path; return the core it leaves."""
    need_core_dumps()
    place = folder / module
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    environment = {**interpreter.environment(), "PYTHONPATH": str(folder)}
    subprocess.run(
        [
            "/bin/sh",
            "-c",
            'ulimit -c unlimited; exec "$@"',
            "sh",
            *interpreter.command("-c", "1", cwd=folder),
        ],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    core = find_core(folder)
    assert len(core) == 1
    return core[0]


@pytest.mark.parametrize("interpreter", HERE)
@pytest.mark.parametrize("module", ["encodings/__init__.py", "sitecustomize.py"])
def test_an_import_of_the_start_kills(
    interpreter: Interpreter, module: str, tmp_path: Path
) -> None:
    core = core_of_start(interpreter, tmp_path, module, DIE)
    session = Session(CoreFileTarget.open(core))
    record = analyze(session)
    assert record["signal"]["name"] == "SIGABRT"
    python = session.state.python
    assert isinstance(python, PythonState), python
    thread = next(t for t in python.threads() if t.crashed)
    innermost = thread.frames[0]
    assert (innermost.name, innermost.lineno) == ("<module>", 2)
    assert innermost.filename == str(tmp_path / module)
    assert all(frame.hole is None for frame in thread.frames)


@pytest.mark.parametrize("interpreter", HERE)
@pytest.mark.parametrize("stop", STOPS)
def test_a_start_that_was_stopped(interpreter: Interpreter, stop: str, tmp_path: Path) -> None:
    if not os.access(GDB, os.X_OK):
        pytest.skip(f"no {GDB} to stop a start with")
    core = tmp_path / "core"
    command = [GDB, "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", f"break {stop}"]
    command += ["-ex", "run", "-ex", f"gcore {core}", "-ex", "kill", "--args"]
    command += interpreter.command("-c", "1", cwd=tmp_path)
    subprocess.run(
        command, env=interpreter.environment(), capture_output=True, timeout=60, check=False
    )
    if not core.is_file():
        pytest.skip(f"{interpreter.id} never came to {stop} (no symbol?)")
    session = Session(CoreFileTarget.open(core))
    record = analyze(session)
    assert record["threads"]["count"] >= 1
    python = session.state.python
    if isinstance(python, Absent):
        assert python.detail and any(e["stage"] == "python" for e in record["soft_errors"])
    else:
        assert all(not f.name or f.filename for t in python.threads() for f in t.frames)
    if stop == "Py_InitializeFromConfig":
        assert not [f for t in session.state.python_threads() for f in t.frames]
