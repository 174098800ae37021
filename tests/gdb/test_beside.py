# SPDX-License-Identifier: Apache-2.0
"""Beside other extensions: CPython's libpython.py, and GEF where GDB_EPI_GEF names its file."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from driver import BOOTSTRAP, Gdb, run_gdb
from support.cores import Made
from support.opening import core_of, libpython_of

ASKED = (
    "epi bt", "epi locals", "py-bt", "set epi frames on", "bt", "py-list", "help py-bt",
    "help epi bt", "print $epi_line()", "epi triage",
)  # fmt: skip


@pytest.fixture(scope="module")
def made() -> Made:
    return core_of("callbacks")


def asked(gdb: Gdb, made: Made, *files: object) -> tuple[dict[str, str], str]:
    """Source files, ask; return what each command printed, and the standard error."""
    commands = [f"source {file}" for file in files]
    for command in ASKED:
        commands += [f"echo ASK {command}\\n", command]
    done = run_gdb(gdb, *commands, exe=made.executable, core=made.core)
    parts = re.split(r"^ASK (.*)\n", done.stdout, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True)), done.stderr


def test_libpython_in_either_order(gdb: Gdb, made: Made) -> None:
    file = libpython_of(made)
    alone, _ = asked(gdb, made, BOOTSTRAP)
    first, errors_first = asked(gdb, made, BOOTSTRAP, file)
    last, errors_last = asked(gdb, made, file, BOOTSTRAP)
    for command in ("epi bt", "epi locals", "epi triage", "help epi bt", "print $epi_line()"):
        assert first[command] == last[command] == alone[command], command
    assert (
        first["py-bt"] == last["py-bt"] and "Traceback (most recent call first)" in first["py-bt"]
    )
    assert "callbacks.py" in first["bt"] and first["bt"] == last["bt"]
    for errors in (errors_first, errors_last):
        assert "already" not in errors and "Error" not in errors and "Traceback" not in errors


def test_gef_in_either_order(gdb: Gdb, made: Made) -> None:
    named = os.environ.get("GDB_EPI_GEF", "")
    if not Path(named).is_file():
        pytest.skip("GDB_EPI_GEF names no gef.py (github.com/hugsy/gef)")
    alone, _ = asked(gdb, made, BOOTSTRAP)
    for files in ((named, BOOTSTRAP), (BOOTSTRAP, named)):
        shown, errors = asked(gdb, made, *files)
        for command in ("epi bt", "epi locals", "epi triage"):
            assert re.sub(r"\x1b\[[0-9;]*m", "", shown[command]) == alone[command], command
        assert "callbacks.py" in shown["bt"] and "Traceback" not in errors
