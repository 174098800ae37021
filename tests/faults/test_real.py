# SPDX-License-Identifier: Apache-2.0
"""Real processes that died in 149 ways: category, symptom and label were written down by hand.

real.tsv has a line for each mode of dying.c, with the reasoning in a few words. One build and one
run of each; another machine's CPU or kernel may report a fault otherwise, and then the line is to
be questioned, not the run repeated.
"""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from support.cores import find_core, why_no_core_dumps

from gdb_epi.analysis import analyze, run_stages
from gdb_epi.cli.support.open_core import open_core
from gdb_epi.render.opening_sentences import opening_sentences
from gdb_epi.render.triage import explaining_calls
from gdb_epi.session import Session
from gdb_epi.target.missing_memory import measure_missing_memory

HERE = Path(__file__).parent
FLAGS = "-O1 -fno-omit-frame-pointer -fcf-protection=none -w -pthread".split()
NO_CORES = why_no_core_dumps()

pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed"),
    pytest.mark.skipif(NO_CORES is not None, reason=NO_CORES or ""),
    pytest.mark.xdist_group("dying"),
]


class Row(NamedTuple):
    """A line of real.tsv; "|" stands between names that are all right."""

    mode: str
    category: str
    symptom: str
    label: str
    why: str


def rows() -> Iterator[Row]:
    for line in (HERE / "real.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield Row(*line.split("\t"))


ROWS = tuple(rows())


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return dying.c as a program, with a table of its modes."""
    folder = tmp_path_factory.mktemp("dying")
    table = "".join(f'    {{"{row.mode}", m_{row.mode}}},\n' for row in ROWS)
    head = "static const struct { const char *name; void (*run)(void); } MODES[] = {\n"
    (folder / "modes.inc").write_text(f"{head}{table}}};\n")
    made = folder / "program"
    command = ["gcc", *FLAGS, f"-I{folder}", str(HERE / "dying.c"), "-o", str(made)]
    subprocess.run(command, check=True, capture_output=True)
    return made


def _let_cores_be() -> None:
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell ignores it for what runs behind "&"
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def died(program: Path, mode: str, folder: Path) -> Path:
    """Run one mode and return its core. Addresses are the same each time."""
    subprocess.run(
        ["setarch", "-R", str(program), mode], cwd=folder, preexec_fn=_let_cores_be, timeout=60,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    cores = find_core(folder)
    assert cores, f"{mode} left no core"
    return cores[0]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.mode)
def test_real_faults(row: Row, program: Path, tmp_path: Path) -> None:
    core = died(program, row.mode, tmp_path)
    with open_core(str(core), str(program), None) as target:
        parts = run_stages(Session(target))
    core.unlink()
    category, symptom = parts.signed.signature.category, parts.corruption.symptom
    assert category.name in row.category.split("|"), (category, row.why)
    assert symptom.name in row.symptom.split("|"), (symptom, row.why)
    assert parts.verdict.label in row.label.split("|"), (parts.verdict, row.why)


WHOSE = {
    "recursion": True,
    "recursion_handler_raises": True,
    "large_alloca": True,
    "thread_recursion": True,
    "thread_guard_4m": True,
    "thread_large_frame": True,
    "handler_overflows_its_stack": False,
    "own_stack": False,
}


@pytest.mark.parametrize("mode", WHOSE)
def test_whose_stack_ended(mode: str, program: Path, tmp_path: Path) -> None:
    """Alternate stacks and those of coroutines are not the thread's, and have no size to raise."""
    core = died(program, mode, tmp_path)
    with open_core(str(core), str(program), None) as target:
        session = Session(target)
        findings = run_stages(session).findings
        missing = measure_missing_memory(target)
    core.unlink()
    (ended,) = (finding for finding in findings if finding.detector == "stack_overflow")
    assert ended.facts["own"] is WHOSE[mode], ended
    assert ("the thread's stack" in ended.summary) == WHOSE[mode]
    assert ("size" in ended.facts) == WHOSE[mode]
    assert missing.stacks == ()


WORDS = {
    "divide_zero": ("crashed on an integer division without a result", "divided by zero"),
    "divide_sse": ("crashed on a floating-point operation that trapped", "FPE_FLTDIV"),
    "divide_x87": ("crashed on a floating-point operation that trapped", "feenableexcept()"),
    "invalid_sse": ("crashed on a floating-point operation that trapped", "FPE_FLTINV"),
    "ill_ud2": ("stopped at a trap instruction", "compilers put it where a program must not come"),
}


@pytest.mark.parametrize("mode", WORDS)
def test_what_it_is_called(mode: str, program: Path, tmp_path: Path) -> None:
    core = died(program, mode, tmp_path)
    with open_core(str(core), str(program), None) as target:
        record = analyze(Session(target))
    core.unlink()
    happened, why = opening_sentences(record, explaining_calls(record))
    assert WORDS[mode][0] in happened
    assert WORDS[mode][1] in why
    assert ("feenableexcept()" in why) == ("floating-point" in happened)
