# SPDX-License-Identifier: Apache-2.0
"""Hundreds of cores in one run: every input counted, memory flat, nothing left behind.

Thousands: tests/bench/many_cores.py.
"""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))
from many_cores import make_inputs, run, stored
from support.locks import lock_programs
from support.mutants import Base, mutant
from support.opening import core_of
from support.shell import Shell
from support.small_cores import small_cores

from gdb_epi.cli.support.core_files import CoreInput
from gdb_epi.cli.support.examine import ExamineOptions, examine_core
from gdb_epi.cli.support.open_core import ScratchFolder
from gdb_epi.target.corefile import CoreFileTarget
from gdb_epi.target.elf_files import OpenElfFiles

GROWTH_MB = 60  # batches of records that wait, the database's own caches


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(101, id="some"),
        pytest.param(1_000, id="many", marks=pytest.mark.heavy),
    ],
)
def test_every_input_of_a_run_is_accounted_for(tmp_path: Path, count: int) -> None:
    (tmp_path / "cores").mkdir()
    cores = make_inputs(tmp_path / "cores", count)
    assert count - 15 < cores < count
    for before in (0, cores):
        done = run(tmp_path, "--native", "never")
        assert done.code == 3, done.complaints
        summary = f"{count} inputs: {cores} read, {count - cores} unusable, 0 failed"
        assert done.summary.startswith(summary)
        assert (f"{before} of {cores} cores were done before" in done.complaints) == bool(before)
        assert stored(tmp_path) == (cores, cores, cores)
        assert list((tmp_path / "tmp").iterdir()) == []
        sizes = done.parent_mb[len(done.parent_mb) // 4 :]
        assert not sizes or max(sizes) - min(sizes) < GROWTH_MB


@pytest.mark.parametrize(
    "count", [pytest.param(60, id="some"), pytest.param(1_000, id="many", marks=pytest.mark.heavy)]
)
def test_what_a_worker_read_before_changes_no_record(
    shell: Shell, tmp_path: Path, count: int
) -> None:
    """A worker takes one core after the other: a damaged one leaves nothing behind in it."""
    bases = [Base(name, core) for name, core in small_cores().items()]
    paths = []
    for number in range(count):
        made = mutant(bases, 2, number)
        paths.append(tmp_path / f"core.{number}{made.suffix}")
        paths[-1].write_bytes(made.content)
    words = ("--no-db", "--format", "json", "--native", "never")
    answers = []
    for order, jobs in ((paths, 2), (paths[::-1], 2), (paths, 1)):
        done = shell("triage", *order, *words, "--jobs", jobs)
        assert "internal error" not in done.err and "the worker" not in done.err
        answers.append({record["file"]["name"]: record for record in done.records})
    assert len(answers[0]) > count / 2
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("name", ["faulting-segv", "locks-dead-order"])
def test_a_core_is_let_go_without_the_garbage_collector(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To find what a core of a hang had left took the collector a sixth of that core's time."""
    program = next((each for each in lock_programs() if each.name == name), name)
    core = CoreInput(str(core_of(program).core), None)
    opened: list[weakref.ref[CoreFileTarget]] = []
    plain_open = CoreFileTarget.open

    def open_and_note(*arguments: object, **options: object) -> CoreFileTarget:
        target = plain_open(*arguments, **options)
        opened.append(weakref.ref(target))
        return target

    monkeypatch.setattr(CoreFileTarget, "open", open_and_note)
    gc.disable()
    try:
        examine_core(core, ExamineOptions(native="never"), ScratchFolder(), kept=OpenElfFiles())
        assert [target() for target in opened] == [None]
    finally:
        gc.enable()
