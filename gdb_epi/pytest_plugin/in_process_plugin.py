# SPDX-License-Identifier: Apache-2.0
"""The plugin inside the processes of a run: it logs which test runs, and adds triages to reports.

In the controller of pytest-xdist it adds the triage of a worker's core to the report of its crash;
where tests run, a failed test gets the triage of each process that it started and that died.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Generator, Sequence

import pytest

from gdb_epi.pytest_plugin.child_settings import ChildSettings
from gdb_epi.pytest_plugin.journal import CONTROLLER, WORKER, JournalReader, Journals, JournalWriter
from gdb_epi.typing_lite import Any

_YAMA = "/proc/sys/kernel/yama/ptrace_scope"
_PR_SET_PTRACER, _ANY = 0x59616D61, -1  # include/uapi/linux/prctl.h
EXIT_SECONDS = 10.0  # that a worker whose streams are closed may take to end
_FOLDERS = ("tmp_path", "tmpdir")  # fixtures in whose folders a test may start processes
UNDER_GDB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "under_gdb.py")


class InProcessPlugin:
    """Hooks of one process; `role` says which of them matter."""

    def __init__(
        self, config: pytest.Config, settings: ChildSettings, role: str, journal: JournalWriter
    ) -> None:
        self._config = config
        self._settings = settings
        self._role = role
        self._journal = journal
        self._runs_tests = role != CONTROLLER
        self._environment = dict(os.environ)
        self._began = time.time()
        if self._runs_tests and settings.timeout is not None:
            _let_gdb_attach()

    def pytest_report_header(self) -> str:
        """Say in the header of the session how cores are obtained."""
        settings = self._settings
        how = {"core": "cores by the kernel", "gdb": "tests run under GDB"}.get(settings.capture)
        how = how or f"no cores: {settings.why_not}"
        return f"gdb-epi: {how}; deaths are kept in {settings.relative_path(settings.artifacts)}"

    # -- what runs ---------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Log what is being imported: an import may crash too."""
        self._journal.write_event("collecting", name=collector.nodeid or collector.name)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Log how many tests there are."""
        self._journal.write_event("collected", number=len(session.items))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Log the test that begins; a controller only hears of it."""
        if self._runs_tests:
            self._began = time.time()
            self._journal.write_event("test", name=nodeid, location=location)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Function) -> None:
        """Log the folders where the process is or may go: cores are written there."""
        for folder in _likely_working_folders(item):
            if folder != self._settings.start:
                self._journal.write_event("folder", folder=folder)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        """Log that the test has ended."""
        if self._runs_tests:
            self._journal.write_event("done")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Log the end of the session: a crash from now on is one at exit."""
        self._journal.write_event("finish", status=int(exitstatus))

    # -- reports -----------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep each report in case this process dies before its session ends."""
        if self._role != WORKER:
            to_data = self._config.hook.pytest_report_to_serializable
            self._journal.write_report(to_data(config=self._config, report=report))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Function
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add to the report of a failed test what became of the processes that it started."""
        report = yield
        if report.failed and self._settings.capture == "core":
            from gdb_epi.pytest_plugin.death_cases import ARTIFACTS, DeathCases

            cases = DeathCases(self._settings, self._environment)
            # Other workers run tests too; without workers, this test started whatever died.
            parent = os.getpid() if self._role == WORKER else None
            self._journal.write_event("examining")
            for case in cases.cases_of_children(
                report.nodeid, parent, self._began, _likely_working_folders(item)
            ):
                report.sections.append(
                    ("gdb-epi: a process of this test died", case.failure_text())
                )
                item.user_properties.append((ARTIFACTS, case.folder))
            self._journal.write_event("examined")
        return report

    # -- pytest-xdist ------------------------------------------------------------------------------

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: Sequence[Any]) -> None:
        """Run the workers on this machine under GDB if the kernel writes no cores."""
        if self._settings.capture != "gdb":
            return
        for spec in specs:
            if spec.popen and not spec.via:
                python = spec.python or shlex.quote(sys.executable)
                spec.python = f"{python} {shlex.quote(UNDER_GDB)}"

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        """Add the triage to the report of a worker's crash."""
        from gdb_epi.pytest_plugin.death_cases import DeathCases, ending_by_status

        name = report.node.gateway.id
        for watched in Journals(self._settings.folder).update():
            if watched.role == WORKER and watched.name == name:
                status = _exit_status_of_worker(watched, report.node.gateway)
                cases = DeathCases(self._settings, self._environment)
                self._journal.write_event("examining")
                case = cases.case_of_process(watched, crashitem, ending_by_status(status))
                self._journal.write_event("examined")
                report.longrepr = f"{report.longrepr}\n{case.failure_text()}"


def _exit_status_of_worker(watched: JournalReader, gateway: Any) -> int | None:
    """Return how a worker ended, as subprocess has it; None when nobody here can tell.

    execnet keeps what it started, and so reaps it; it has no public name for that.
    """
    if watched.gdb is not None:
        from gdb_epi.repro.run_once import read_outcome_under_gdb

        return read_outcome_under_gdb(watched.gdb)[1]
    started = getattr(getattr(gateway, "_io", None), "popen", None)
    with contextlib.suppress(subprocess.TimeoutExpired):
        return started.wait(EXIT_SECONDS) if started is not None else None
    return None


def _likely_working_folders(item: pytest.Function) -> list[str]:
    """Return the folders where a test and its child processes are likely to be."""
    arguments = getattr(item, "funcargs", {})
    folders = [str(arguments[name]) for name in _FOLDERS if name in arguments]
    with contextlib.suppress(OSError):  # it was removed
        folders.append(os.getcwd())
    return folders


def _let_gdb_attach() -> None:
    """Let a debugger that is not an ancestor attach, which Yama forbids (ptrace_scope 1)."""
    try:
        with open(_YAMA, encoding="ascii") as file:
            scope = file.read().strip()
    except OSError:
        return
    if scope == "1":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_long(_ANY), 0, 0, 0)
