# SPDX-License-Identifier: Apache-2.0
"""The session that reports another one, which died: what its tests had said, and what ended it.

It collects and runs nothing (as a controller of pytest-xdist does not): the reports that the dead
process had written down go through the hooks once more, so that JUnit XML and every other reporter
have them, and the test that died is one that failed.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from gdb_epi.pytest_plugin.death_cases import DeathCase, RequestedCiReports
from gdb_epi.pytest_plugin.journal import JournalReader
from gdb_epi.util import counted


class DeathReportPlugin:
    """Hooks of the reporting session; `exit_code` is what it ends with."""

    def __init__(
        self, case: DeathCase, watched: JournalReader, exit_code: int, reports: RequestedCiReports
    ) -> None:
        self._case = case
        self._watched = watched
        self._exit_code = exit_code
        self._ci_reports = reports

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> Generator[None, Any, int]:
        """Run nothing in workers; end as the dead process would have."""
        if hasattr(config.option, "numprocesses"):
            config.option.numprocesses, config.option.dist = 0, "no"
        code = yield
        from gdb_epi.pytest_plugin.death_cases import DeathCases

        self._ci_reports.write(DeathCases(self._ci_reports.settings).all_cases())
        return self._exit_code or int(code)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> Generator[None, Any, None]:
        """Leave out the header, which was printed before."""
        verbose = session.config.option.verbose
        session.config.option.verbose = -1
        try:
            yield
        finally:
            session.config.option.verbose = verbose

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Collect nothing: importing the tests may be what kills."""
        session.testscollected = self._watched.collected or 0
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Report what had run, and what died."""
        config, watched = session.config, self._watched
        before = 0
        for data in watched.reports():
            report = config.hook.pytest_report_from_serializable(config=config, data=data)
            before += getattr(report, "when", None) == "teardown"
            self._give_to_reporters(config, report)
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            left = max((watched.collected or 0) - before - 1, 0)
            terminal.line("")  # the dead process left off in the middle of one
            terminal.section(f"{self._case.subject} {self._case.verb}", "=", red=True, bold=True)
            terminal.line(self._case.ending)
            if left:
                terminal.line(f"{counted(left, 'test')} did not run")
        # The reports of the test that died
        case, test = self._case, self._watched.test
        name = test.name if test is not None else case.subject
        line = None if test is None or test.line is None else test.line - 1
        location = (test.file if test else name, line, name.rpartition("::")[2])
        shared: Any = {"nodeid": name, "location": location, "keywords": {}}
        failed = pytest.TestReport(
            **shared, outcome="failed", longrepr=case.failure_text(), when="call"
        )
        ended = pytest.TestReport(
            **shared,
            outcome="passed",
            longrepr=None,
            when="teardown",
            user_properties=case.junit_properties(),
        )
        for report in [failed, ended]:
            self._give_to_reporters(config, report)
        return True

    def _give_to_reporters(self, config: pytest.Config, report: Any) -> None:
        """Give a report to all reporters; the terminal counts it and prints it at the end."""
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        hidden = [terminal] if terminal is not None else []
        log = config.pluginmanager.subset_hook_caller("pytest_runtest_logreport", hidden)
        log(report=report)
        if terminal is not None:
            status = config.hook.pytest_report_teststatus(report=report, config=config)
            terminal.stats.setdefault(status[0], []).append(report)
