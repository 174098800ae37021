# SPDX-License-Identifier: Apache-2.0
"""Damaged cores and archives in `gdb-epi triage`: a record or a line, in time and memory.

The first ones of tests/bench/mutants.py; with `--heavy` more of them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from support.mutants import Base, prepare, run_mutants
from support.small_cores import small_cores

from gdb_epi import analysis
from gdb_epi.session import Session

COUNT = 120
HEAVY_COUNT = 20_000


@pytest.fixture(scope="module")
def bases() -> list[Base]:
    prepare()
    return [Base(name, core) for name, core in small_cores().items()]


def test_damaged_cores(bases: list[Base], tmp_path: Path) -> None:
    endings = list(run_mutants(bases, 1, range(COUNT), tmp_path))
    assert [ended for ended in endings if ended.wrong] == []
    assert [ended.number for ended in endings] == list(range(COUNT))
    assert {ended.code for ended in endings} == {0, 3}


@pytest.mark.heavy
def test_many_more_damaged_cores(bases: list[Base], tmp_path: Path) -> None:
    numbers = range(COUNT, HEAVY_COUNT)
    assert [ended for ended in run_mutants(bases, 1, numbers, tmp_path) if ended.wrong] == []


def with_a_traceback() -> None:
    raise KeyError("on purpose")


def by_a_signal() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def with_a_file_left() -> None:
    Path(os.environ["TMPDIR"], "left").touch()


@pytest.mark.parametrize(
    ("end", "seen"),
    [
        (with_a_traceback, "KeyError: 'on purpose'"),
        (by_a_signal, "the process ended with -9"),
        (with_a_file_left, "left behind: ['left']"),
    ],
)
def test_what_is_wrong_would_be_seen(
    bases: list[Base],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    end: Callable[[], None],
    seen: str,
) -> None:
    def analyze(session: Session, **options: bool) -> object:
        end()
        return analysis_as_it_is(session, **options)

    analysis_as_it_is = analysis.analyze
    monkeypatch.setattr(analysis, "analyze", analyze)
    endings = list(run_mutants(bases, 1, range(3), tmp_path))
    assert [ended.number for ended in endings] == [0, 1, 2]
    assert seen in endings[1].wrong  # of some mutants the core is refused before the analysis
