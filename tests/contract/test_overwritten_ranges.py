# SPDX-License-Identifier: Apache-2.0
"""What was written over is named with its extent: in real processes that die of it."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from pathlib import Path

import pytest
from support.cores import HASH_SEED, PROGRAMS, find_core, why_no_core_dumps
from support.interpreters import Interpreter, one_per_minor

from gdb_epi.corruption.checks.overwritten_places import ID
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.run_checks import run_checks
from gdb_epi.detectors.registry import run_detectors
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = PROGRAMS / "detected" / "overwriting.py"
NO_CORES = why_no_core_dumps()
pytestmark = pytest.mark.skipif(NO_CORES is not None, reason=NO_CORES or "")
INTERPRETERS = [i for i in one_per_minor() if i.root is None and not i.free_threaded]


def _let_cores_be() -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def signs(interpreter: Interpreter, mode: str, folder: Path) -> tuple[list[Evidence], range]:
    """Return what is said to be overwritten in the core of a mode, and what was."""
    subprocess.run(
        interpreter.command(str(PROGRAM), mode, cwd=folder), cwd=folder,
        env={**os.environ, **interpreter.environment(), "PYTHONHASHSEED": HASH_SEED},
        preexec_fn=_let_cores_be, timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        check=False,
    )  # fmt: skip
    cores = find_core(folder)
    if not cores:
        pytest.skip(f"{interpreter.id} does not die of {mode}")
    state = ProcessState(CoreFileTarget.open(cores[0], exe=interpreter.host_executable))
    findings, _ = run_detectors(state)
    results = run_checks(state, findings)
    assert not results.soft_errors
    wrote = folder / "wrote"
    written = range(*json.loads(wrote.read_text())) if wrote.exists() else range(0)
    return [sign for sign in results.evidence if sign.id == ID], written


@pytest.mark.parametrize("mode", ["overrun", "before_start", "counted"])
@pytest.mark.parametrize("interpreter", INTERPRETERS, ids=lambda i: i.id)
def test_the_word_that_was_written_over_is_named(
    interpreter: Interpreter, mode: str, tmp_path: Path
) -> None:
    (sign,), written = signs(interpreter, mode, tmp_path)
    assert isinstance(sign.where, int)
    assert sign.where in written
    if mode == "counted":
        assert "of type float, whose address is 1000 less" in sign.summary
        return
    plain = sign.facts["plain"]
    assert plain.endswith(
        "bytes of memory in use were overwritten with floating-point numbers in equal steps"
    )
    start, end = sign.facts["start"], sign.facts["end"]
    assert start <= sign.where < end
    assert "floating-point numbers in equal steps" in sign.summary
    assert end == written.stop if mode == "overrun" else start == written.start


@pytest.mark.parametrize("interpreter", INTERPRETERS, ids=lambda i: i.id)
def test_a_link_of_a_freed_block_is_named(interpreter: Interpreter, tmp_path: Path) -> None:
    (sign,), _ = signs(interpreter, "after_free", tmp_path)
    assert "the link in the freed block of" in sign.summary
    assert "0x2020202020202020" in sign.summary


@pytest.mark.parametrize("interpreter", INTERPRETERS, ids=lambda i: i.id)
def test_memory_that_was_freed_and_given_out_again_is_not_overwritten(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    findings, _ = signs(interpreter, "given_back_too_often", tmp_path)
    assert findings == []
