# SPDX-License-Identifier: Apache-2.0
"""Parts of `pytest --epi`: reports that are written whatever becomes of others, whose a core is."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gdb_epi.pytest_plugin import death_cases, supervisor
from gdb_epi.pytest_plugin.child_settings import ChildSettings
from gdb_epi.pytest_plugin.death_cases import (
    DeathCase,
    DeathCases,
    RequestedCiReports,
    ending_by_status,
)
from gdb_epi.pytest_plugin.journal import WORKER, JournalReader, JournalWriter
from gdb_epi.pytest_plugin.supervisor import _is_overdue, _Supervisor, is_process_running
from gdb_epi.render.ci.deaths import CRASHED, HUNG
from gdb_epi.repro.run_once import DumpedProcess, read_core_dumping


def settings_in(folder: Path) -> ChildSettings:
    (folder / "run").mkdir()
    return ChildSettings(
        folder=str(folder / "run"),
        start=str(folder),
        artifacts=str(folder / ".epi"),
        cores=10,
        since=0.0,
        timeout=None,
        capture="core",
        why_not="",
        dumping=read_core_dumping("core", "0"),
        gdb=None,
    )


def test_a_paper_that_cannot_be_written_and_a_terminal_without_unicode_hide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    screen = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(screen, "ascii"))
    options = SimpleNamespace(epi_sarif="no/where", epi_annotations=True, xmlpath="j.xml")
    config: Any = SimpleNamespace(known_args_namespace=options)
    case = DeathCase(
        "test_größe", CRASHED, "died", 7, folder=".epi/größe-7", sentence="grüße() crashed"
    )
    settings = settings_in(tmp_path)
    RequestedCiReports(config, settings).write([case])
    printed = screen.getvalue().decode("ascii")
    assert "gdb-epi: cannot write no/where: No such file" in printed
    assert "title=test_gr\\xf6\\xdfe crashed::gr\\xfc\\xdfe() crashed" in printed
    assert "1 death in this run, kept in .epi" in printed
    for name in ("j.xml", "summary.md"):
        assert "grüße() crashed" in (tmp_path / name).read_text(encoding="utf-8"), name
    assert not Path(settings.folder).exists()


def test_the_core_of_a_child_is_seen_beside_those_of_other_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, session = os.getpid(), os.getsid(0)
    parents = [1] * (death_cases.MAX_CHILDREN + 2) + [mine]
    recent = []
    for number, parent in enumerate(parents):
        core = tmp_path / f"core.{number}"
        core.touch()
        recent.append((str(core), DumpedProcess(1000 + number, parent, session)))
    monkeypatch.setattr(death_cases, "find_cores_since", lambda *_: iter(recent))
    monkeypatch.setattr(
        DeathCases, "_examine_core_of_case", lambda _, case, core: case._replace(sentence=core)
    )
    made = DeathCases(settings_in(tmp_path))
    (case,) = made.cases_of_children("test_it", mine, 0.0, ())
    assert (case.pid, case.sentence) == (1000 + len(parents) - 1, recent[-1][0])
    assert len(list(made.cases_of_children("test_it", None, 0.0, ()))) == death_cases.MAX_CHILDREN


def test_a_core_that_does_not_fit_on_the_disk_ends_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_from: str, _to: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "move", full)
    watched = JournalReader("nowhere.events")
    watched.pid = 7
    made = DeathCases(settings_in(tmp_path))
    case = made.case_of_process(
        watched, "test_it", (HUNG, "it took too long"), str(tmp_path / "hang")
    )
    assert case.failure_text().splitlines() == [
        "it took too long; its core could not be kept: No space left on device",
        "gdb-epi keeps it in .epi/test_it-7",
    ]
    assert made.all_cases() == [case]


def test_a_case_that_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    """The controller said "no core found" of a core that the supervisor was examining."""
    watched = JournalReader("nowhere.events")
    watched.pid = 7
    supervising = controller = DeathCases(settings_in(tmp_path))
    supervising.claim_hung_process(7)
    case: list[death_cases.DeathCase] = []
    died = ending_by_status(None)
    thread = threading.Thread(
        target=lambda: case.append(controller.case_of_process(watched, "test_it", died))
    )
    thread.start()
    thread.join(0.3)
    assert not case
    made = supervising.case_of_process(watched, "test_it", (HUNG, "it took too long"))
    thread.join()
    assert case == [made] and "no core" not in made.failure_text()


@pytest.mark.parametrize(("dumping", "works"), [("0", True), ("1", False)])
def test_a_process_whose_core_is_being_written_does_not_hang(
    tmp_path: Path, dumping: str, works: bool
) -> None:
    (tmp_path / "42").mkdir()
    text = f"Name:\tpython\nState:\tD (disk sleep)\nCoreDumping:\t{dumping}\nTHP_enabled:\t1\n"
    (tmp_path / "42" / "status").write_text(text)
    assert is_process_running(42, str(tmp_path)) is works
    assert not is_process_running(43, str(tmp_path))
    assert is_process_running(os.getpid())


def test_a_worker_whose_test_ended_while_another_was_looked_at_is_no_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An idle worker got the name of a test that had ended, and a death that did not happen."""
    settings = settings_in(tmp_path)._replace(timeout=0.0, gdb="gdb", dumping=read_core_dumping())
    journal = JournalWriter(settings.folder, WORKER, "gw0", None)
    journal.write_event("test", name="test_a.py::test_it", location=("test_a.py", 0, "test_it"))

    def dump(*_: object) -> str:
        journal.write_event("done")
        return ""

    monkeypatch.setattr(supervisor, "dump_living_process", dump)
    supervising = _Supervisor(settings, distributed=True)
    assert supervising._look_for_hangs(SimpleNamespace(pid=os.getpid())) is None  # type: ignore[arg-type]
    cases = DeathCases(settings)
    assert cases.all_cases() == []
    assert not list(Path(settings.folder, "cases").iterdir()), "nobody may wait for its case"


def test_a_session_that_stands_still_says_once_for_what(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run was silent for six minutes, while cores were read."""
    settings = settings_in(tmp_path)._replace(dumping=read_core_dumping())
    supervising = _Supervisor(settings, distributed=True)
    watched = JournalReader("nowhere.events")
    for begun, times in ((time.monotonic(), 0), (time.monotonic() - 60, 1)):
        watched.examining_since = begun
        for _ in range(2):
            supervising._say_what_takes_long(watched)
        assert capsys.readouterr().err.count("a core is read, 300 s at most") == times


def test_the_time_for_the_core_of_a_child_is_not_that_of_the_test() -> None:
    watched, now = JournalReader("nowhere.events"), time.monotonic()
    at = ("test_a.py", 0, "test_it")
    watched._apply_event({"event": "test", "at": now - 30, "name": "test_it", "location": at})
    assert _is_overdue(watched, 20.0)
    watched._apply_event({"event": "examining", "at": now - 25})
    assert not _is_overdue(watched, 20.0)
    watched._apply_event({"event": "examined", "at": now - 5})
    assert watched.test is not None and watched.test.begun == now - 10
    assert not _is_overdue(watched, 20.0)


@pytest.mark.parametrize(
    ("status", "verb", "words"),
    [
        (3, "ended the process", "ended itself with status 3"),
        (-9, "died", "died by SIGKILL (out of memory?)"),
        (-11, "crashed", "died by SIGSEGV; no core of it was found (looked for in "),
        (None, "died", "the process of this test died; no core of it was found"),
    ],
)
def test_a_process_that_left_by_itself_did_not_crash(
    tmp_path: Path, status: int | None, verb: str, words: str
) -> None:
    watched = JournalReader("nowhere.events")
    watched.pid = 7
    case = DeathCases(settings_in(tmp_path)).case_of_process(
        watched, "test_it", ending_by_status(status)
    )
    assert case.verb == verb and words in case.failure_text()
    assert ("no core" in case.failure_text()) is (status != 3)
