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

from gdb_epi.analysis import analyze, run_stages
from gdb_epi.errors import Absent
from gdb_epi.render.triage import render_triage
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

LIBRARIES = ("trio", "gevent", "anyio")
PROGRAM = PROGRAMS / "task_circles.py"


def core_of(name: str, folder: Path, packages: str = "") -> Path:
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    library = name.partition("_")[0]
    # 3.12: the tests' cache has wheels for it, and waits look like blocks since then.
    oldest = (3, 9) if name in ("asyncio_locks", "asyncio_results", "asyncio_events") else (3, 12)
    suited = [
        each for each in spread(name)
        if each.root is None and not each.free_threaded and oldest <= each.minor <= (3, 13)
    ]  # fmt: skip
    if not suited:
        pytest.skip("no CPython from 3.12 to 3.13 is on this machine")
    interpreter = suited[len(name) % len(suited)]
    try:
        paths = packages_for(interpreter, (library,)) if library in LIBRARIES else packages
    except NoPackages as error:
        pytest.skip(f"{library} is not here for {interpreter.id}: {error}")
    return core_by_signal(interpreter, name, folder, program=PROGRAM, packages=paths)


def answer(name: str, folder: Path, packages: str = "") -> tuple[str, str, str]:
    core = core_of(name, folder, packages)
    hang = run_stages(Session(CoreFileTarget.open(core))).state.hang
    shutil.rmtree(folder)
    assert not isinstance(hang, Absent), hang
    return hang.label, hang.kind, hang.sentence


@pytest.mark.parametrize(
    "name", ["asyncio_locks", "asyncio_results", "asyncio_events", "trio_locks"]
)
def test_two_tasks_wait_for_each_other(name: str, tmp_path: Path) -> None:
    label, kind, sentence = answer(name, tmp_path)
    assert (label, kind) == ("deadlock", "tasks"), sentence
    assert f"2 tasks of {name.partition('_')[0]} wait for each other" in sentence
    assert "task payer" in sentence and "task payee" in sentence


@pytest.mark.parametrize(
    ("name", "function"), [("gevent_locks", "debit"), ("gevent_joins", "needs")]
)
def test_two_greenlets_wait_for_each_other(name: str, function: str, tmp_path: Path) -> None:
    """gevent's own name of a greenlet, without its address, which a reader cannot use."""
    label, kind, sentence = answer(name, tmp_path)
    assert (label, kind) == ("deadlock", "tasks"), sentence
    assert "2 tasks of gevent wait for each other" in sentence
    assert sentence.count(f"{name}.<locals>.{function}()") == 2
    assert "0x" not in sentence


def test_the_screen_counts_greenlets(tmp_path: Path) -> None:
    record = analyze(Session(CoreFileTarget.open(core_of("gevent_locks", tmp_path))))
    shutil.rmtree(tmp_path)
    count = record["tasks"]["greenlets"]
    assert count >= 2
    line = f"Tasks    {count} suspended greenlets (in GDB: epi greenlets)"
    assert line in render_triage(record)


@pytest.mark.parametrize("name", ["asyncio_kicked", "asyncio_kicked_in_a_loop"])
def test_a_third_task_could_set_the_event(name: str, tmp_path: Path) -> None:
    label, kind, sentence = answer(name, tmp_path)
    assert label == "no-fault", (kind, sentence)


def test_a_package_beside_the_usual_folders_is_no_code_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    packages = tmp_path / "packages"
    (packages / "lockbox").mkdir(parents=True)
    (packages / "lockbox-1.0.dist-info").mkdir()
    code = "import threading\n\n\ndef wait_for_key():\n    threading.Event().wait()\n"
    (packages / "lockbox" / "__init__.py").write_text(code)
    _, kind, sentence = answer("installed_beside", tmp_path / "run", str(packages))
    assert "waits at installed_beside (task_circles.py" in sentence, (kind, sentence)


@pytest.mark.parametrize("name", ["asyncio_waits", "asyncio_condition", "trio_waits"])
def test_a_task_that_waits_for_a_lock_does_not_hold_it(name: str, tmp_path: Path) -> None:
    """`async with` has __aexit__ on the stack before the lock is taken: a deadlock was told."""
    label, kind, sentence = answer(name, tmp_path)
    assert label != "deadlock" and "holds itself" not in sentence, (kind, sentence)


def test_a_lock_that_nobody_gives_back(tmp_path: Path) -> None:
    """A server's loop waits for clients meanwhile: it was called healthy."""
    label, kind, sentence = answer("asyncio_lock_lost", tmp_path)
    assert (label, kind) == ("hang", "lock never released"), sentence
    assert "waits in acquire() at" in sentence and "wants (task_circles.py" in sentence
    assert "it was taken and not released" in sentence


@pytest.mark.parametrize(
    "name",
    [
        "asyncio_lock_taken_by_hand",
        "asyncio_lock_wanted_for_an_hour",
        "asyncio_lock_wanted_until_a_timeout",
    ],
)
def test_a_lock_whose_release_or_timeout_is_ahead(name: str, tmp_path: Path) -> None:
    label, kind, sentence = answer(name, tmp_path)
    assert kind != "lock never released", sentence
    assert label != "hang", sentence


@pytest.mark.heavy
def test_threads_that_call_into_the_loop_want_a_thread(tmp_path: Path) -> None:
    label, kind, sentence = answer("anyio_threads", tmp_path)
    assert (label, kind) == ("deadlock", "pool"), sentence
    assert "for a free place" in sentence and "store (task_circles.py" in sentence


def test_a_pool_whose_only_thread_asks_its_own_server(tmp_path: Path) -> None:
    label, kind, sentence = answer("pool_asks_itself", tmp_path)
    assert (label, kind) == ("hang", "pool taken"), sentence
    assert "ask (task_circles.py" in sentence and "the answer of an HTTP server" in sentence


def test_a_thread_of_the_loop_that_works_will_be_free(tmp_path: Path) -> None:
    label, kind, sentence = answer("anyio_threads_and_one_that_works", tmp_path)
    assert label != "deadlock", (kind, sentence)
