# SPDX-License-Identifier: Apache-2.0
"""A task that waits for what comes only when it has resumed the reading of its connection."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

GALLERY = Path(__file__).parents[1] / "gallery/first"
CELLS = [
    pytest.param(installed, id=installed.id)
    for installed in spread(
        "paused",
        lambda interpreter: interpreter.root is None and not interpreter.free_threaded,
        every=99,
    )
]


@pytest.mark.parametrize("name", ["scrolls_longer_than_the_shelf", "positions_of_a_fleet"])
@pytest.mark.parametrize("interpreter", CELLS)
def test_only_what_takes_the_data_would_end_the_wait(
    tmp_path: Path, interpreter: Interpreter, name: str
) -> None:
    need_core_dumps()
    program = GALLERY / name / "program.py"
    core = core_by_signal(interpreter, name, tmp_path, signal.SIGABRT, program)
    answer = run_stages(Session(CoreFileTarget.open(core))).state.hang
    assert not isinstance(answer, Absent), answer
    assert (answer.label, answer.kind) == ("hang", "paused reading"), answer
