# SPDX-License-Identifier: Apache-2.0
"""Locks in memory that processes share: who waits says which thread of which process has it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support.cores import PROGRAMS, why_no_core_dumps
from support.hangs import core_by_signal
from support.interpreters import Interpreter, spread

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget


def is_suited(interpreter: Interpreter) -> bool:
    """Whether the C library is this machine's: its mutexes are judged, musl's are not."""
    is_musl = interpreter.id.startswith("musl")
    return interpreter.root is None and not interpreter.free_threaded and not is_musl


@pytest.mark.parametrize("kind", ["plain", "robust"])
def test_a_mutex_that_a_child_holds(kind: str, tmp_path: Path) -> None:
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    suited = spread(kind, is_suited)
    core = core_by_signal(suited[-1], kind, tmp_path, program=PROGRAMS / "shared_mutex.py")
    hang = run_stages(Session(CoreFileTarget.open(core))).state.hang
    shutil.rmtree(tmp_path)
    assert not isinstance(hang, Absent), hang
    assert (hang.label, hang.kind) == ("hang", "lock of another process"), hang.sentence
    shown = "normal, robust, process-shared" if kind == "robust" else "normal, process-shared"
    wanted = rf"settle_accounts \(shared_mutex.py:\d+\) for a pthread mutex \({shown}\)"
    assert re.search(wanted + r", held by thread \d+ of another process", hang.sentence)
