# SPDX-License-Identifier: Apache-2.0
"""What is said of tasks and greenlets that wait for each other, and of those that only wait."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.cores import PROGRAMS, why_no_core_dumps
from support.hangs import core_by_signal
from support.interpreters import spread
from support.packages import NoPackages, packages_for

from gdb_epi.analysis import examine
from gdb_epi.errors import Absent
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = PROGRAMS / "task_circles.py"


def answer(name: str, folder: Path) -> tuple[str, str, str]:
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    library = name.partition("_")[0]
    # 3.12: the tests' cache has wheels for it, and waits look like blocks since then.
    oldest = (3, 9) if name in ("asyncio_locks", "asyncio_results") else (3, 12)
    suited = [
        each for each in spread(name)
        if each.root is None and not each.free_threaded and oldest <= each.minor <= (3, 13)
    ]  # fmt: skip
    if not suited:
        pytest.skip("no CPython from 3.12 to 3.13 is on this machine")
    one = suited[len(name) % len(suited)]
    try:
        paths = packages_for(one, (library,)) if library != "asyncio" else ""
    except NoPackages as error:
        pytest.skip(f"{library} is not here for {one.id}: {error}")
    core = core_by_signal(one, name, folder, program=PROGRAM, packages=paths)
    hang = examine(Session(CoreFileTarget.open(core))).state.hang
    shutil.rmtree(folder)
    assert not isinstance(hang, Absent), hang
    return hang.label, hang.kind, hang.sentence


@pytest.mark.parametrize("name", ["asyncio_locks", "asyncio_results", "trio_locks"])
def test_two_tasks_wait_for_each_other(name: str, tmp_path: Path) -> None:
    label, kind, sentence = answer(name, tmp_path)
    assert (label, kind) == ("deadlock", "tasks"), sentence
    assert f"2 tasks of {name.partition('_')[0]} wait for each other" in sentence
    assert "task payer" in sentence and "task payee" in sentence


@pytest.mark.parametrize(
    ("name", "function"), [("gevent_locks", "debit"), ("gevent_joins", "needs")]
)
def test_two_greenlets_wait_for_each_other(name: str, function: str, tmp_path: Path) -> None:
    """gevent's own name of a greenlet: its function and its address."""
    label, kind, sentence = answer(name, tmp_path)
    assert (label, kind) == ("deadlock", "tasks"), sentence
    assert "2 tasks of gevent wait for each other" in sentence
    assert sentence.count(f"{name}.<locals>.{function}() at 0x") == 2


@pytest.mark.parametrize("name", ["asyncio_waits", "asyncio_condition", "trio_waits"])
def test_a_task_that_waits_for_a_lock_does_not_hold_it(name: str, tmp_path: Path) -> None:
    """`async with` has __aexit__ on the stack before the lock is taken: a deadlock was told."""
    label, kind, sentence = answer(name, tmp_path)
    assert label != "deadlock" and "holds itself" not in sentence, (kind, sentence)
