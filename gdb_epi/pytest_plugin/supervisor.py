# SPDX-License-Identifier: Apache-2.0
"""Run the session in a child, and say what became of it when it dies.

The child is the same command line again, in a session of its own (setsid), so that what dies in it
is known by its core. A session that ends well ends the supervisor with its exit code; after a death
in a test the supervisor goes on as the session that reports it (death_report_session.py).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from types import FrameType

import pytest

from gdb_epi.cli.support.native_gdb import find_gdb, wait_for_process_end
from gdb_epi.private_files import make_private_folder
from gdb_epi.pytest_plugin.child_settings import (
    FOLDER,
    GDB_FOLDER,
    ChildSettings,
    uses_xdist_workers,
)
from gdb_epi.pytest_plugin.death_cases import (
    EXAMINE_SECONDS,
    DeathCase,
    DeathCases,
    RequestedCiReports,
    ending_by_status,
    is_dumping_core,
    print_now,
)
from gdb_epi.pytest_plugin.journal import CONTROLLER, MAIN, WORKER, JournalReader, Journals
from gdb_epi.render.ci.deaths import CRASHED, HUNG
from gdb_epi.render.escape import escape
from gdb_epi.repro.run_once import ENDED as RAN
from gdb_epi.repro.run_once import (
    GDB_PATIENCE,
    command_to_start,
    detach_gdb,
    dump_living_process,
    find_core_to_be_overwritten,
    kill_session,
    read_core_dumping,
    read_outcome_under_gdb,
    run_once,
)
from gdb_epi.typing_lite import NamedTuple

TICK = 0.25  # seconds between two looks at what runs
QUIET = 5.0  # seconds that a core may be read before somebody wonders
PATIENCE = 10.0  # seconds that a session gets to end when it was told to
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class EndedSession(NamedTuple):
    """How a session ended. `status` as subprocess has it; `hung` when it was killed for that."""

    status: int
    case: DeathCase | None
    watched: JournalReader | None  # the process that ran the session
    hung: bool = False

    @property
    def exit_code(self) -> int:
        """What a shell would say about it; a hang counts as a failed test."""
        if self.hung:
            return int(pytest.ExitCode.TESTS_FAILED)
        return 128 - self.status if self.status < 0 else self.status or int(self.case is not None)


def supervise(config: pytest.Config) -> None:
    """Run the session of a command line. Returns only when this process must report its death."""
    settings = _choose_settings(config)
    settings.write()
    reports = RequestedCiReports(config, settings)
    supervisor = _Supervisor(settings, uses_xdist_workers(config))
    with contextlib.ExitStack() as undone:
        undone.callback(shutil.rmtree, settings.folder, ignore_errors=True)
        ended = supervisor.run()
        undone.pop_all()
    watched, case = ended.watched, ended.case
    if case is not None and watched is not None and _may_import_project(watched):
        from gdb_epi.pytest_plugin.death_report_session import DeathReportPlugin

        replay = DeathReportPlugin(case, watched, ended.exit_code, reports)
        config.pluginmanager.register(replay, "epi-replay")
        return
    if case is not None:
        print_now(f"\n{case.subject} {case.verb}\n{case.failure_text()}")
    reports.write(DeathCases(settings).all_cases())
    # End at once: what is registered at exit belongs to the child, which has done it. `coverage
    # run -m pytest` would write its file a second time, without the tests.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(ended.exit_code)


def _may_import_project(watched: JournalReader) -> bool:
    """Tell whether this process may import the project's files: its tests were collected once.

    After the end of the session nothing is left to be reported but the exit.
    """
    return watched.collected is not None and watched.finished is None


def _choose_settings(config: pytest.Config) -> ChildSettings:
    """Decide how cores come on this machine."""
    options, start = config.known_args_namespace, os.getcwd()
    script = sys.orig_argv[1:]
    if not script or script[0] == "-":
        raise pytest.UsageError(
            "--epi starts this command line again, and a program that was typed in or read from "
            "standard input cannot be started again; try: python -m pytest --epi"
        )
    artifacts = Path(options.epi_artifacts).absolute()
    make_private_folder(artifacts)
    ignore = artifacts / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")
    dumping, gdb = read_core_dumping(), find_gdb(None)
    capture, why_not = options.epi_capture, dumping.why_not
    blocked = find_core_to_be_overwritten(dumping, start)
    if blocked is not None:
        why_not = f"{blocked} is in the way of cores"
    if capture == "auto":
        capture = "core" if not why_not else "gdb" if gdb else ""
    if capture == "core" and why_not:
        raise pytest.UsageError(f"--epi-capture core: {why_not}")
    if capture == "gdb" and gdb is None:
        raise pytest.UsageError("--epi-capture gdb: no gdb found; try: apt install gdb")
    if gdb is None:
        why_not = f"{why_not}, and no gdb was found" if why_not else ""
    settings = ChildSettings(
        folder=tempfile.mkdtemp(prefix="gdb-epi-pytest-"),
        start=start,
        artifacts=str(artifacts),
        cores=options.epi_cores,
        since=time.time(),
        timeout=None if options.usepdb else options.epi_timeout,
        capture=capture,
        why_not=why_not,
        dumping=dumping,
        gdb=gdb,
    )
    if capture == "gdb" and not _can_run_under_gdb(settings):
        refused = f"{gdb} cannot run programs here (ptrace)"
        if options.epi_capture == "gdb":
            shutil.rmtree(settings.folder)
            raise pytest.UsageError(f"--epi-capture gdb: {refused}")
        settings = settings._replace(capture="", why_not=f"{why_not}, and {refused}")
    return settings


def _can_run_under_gdb(settings: ChildSettings) -> bool:
    """Try it: containers may forbid ptrace, and then no test would run at all."""
    with tempfile.TemporaryDirectory(dir=settings.folder) as scratch:
        plan = settings.make_run_plan(("/bin/true",), "gdb")._replace(timeout=GDB_PATIENCE)
        tried = run_once(plan, 0, scratch, Event())
    return (tried.kind, tried.status) == (RAN, 0)


class _Supervisor:
    def __init__(self, settings: ChildSettings, distributed: bool) -> None:
        self._settings = settings
        # A controller is not run under GDB, its workers are.
        under_gdb = settings.capture == "gdb" and not distributed
        self._plan = settings.make_run_plan(
            (sys.executable, *sys.orig_argv[1:]), "gdb" if under_gdb else "core"
        )
        self._scratch = os.path.join(settings.folder, "gdb-main") if under_gdb else ""
        self._journals = Journals(settings.folder)
        self._cases = DeathCases(settings)
        self._passed_on, self._passed_at = 0, 0.0  # the last signal that was passed on, and when
        self._told: set[float] = set()  # when cores began to be read

    def run(self) -> EndedSession:
        """Run the session to its end."""
        own = {**os.environ, FOLDER: self._settings.folder}
        if self._scratch:
            os.mkdir(self._scratch, 0o700)
            own[GDB_FOLDER] = self._scratch
        words, environment = command_to_start(self._plan, self._scratch, own)
        sys.stdout.flush()
        sys.stderr.flush()
        process = subprocess.Popen(words, env=environment, start_new_session=True)
        with _signals_handled_by(lambda signo, _frame: self._pass_signal_on(process.pid, signo)):
            ended = self._watch_until_session_ends(process)
        if ended.case is not None:
            kill_session(process.pid)  # no fixture will end what the tests had started
        return ended

    def _pass_signal_on(self, process: int, signo: int) -> None:
        self._passed_on, self._passed_at = signo, time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signo)

    def _watch_until_session_ends(self, process: subprocess.Popen[bytes]) -> EndedSession:
        while not wait_for_process_end(process, TICK):
            is_late = time.monotonic() > self._passed_at + PATIENCE
            if self._passed_on in _ENDING_SIGNALS and is_late:
                kill_session(process.pid)
                continue
            case = self._look_for_hangs(process)
            if case is not None:
                kill_session(process.pid)
                process.wait()
                return EndedSession(-signal.SIGKILL, case, self._session_process(), hung=True)
        status = process.wait()
        if self._scratch:
            _, by_gdb, _, trouble = read_outcome_under_gdb(self._scratch)
            if by_gdb is None:
                print("gdb-epi: " + "; ".join(trouble), file=sys.stderr)
            status = 1 if by_gdb is None else by_gdb
        for watched in self._journals.update():
            # A worker that dies after its last test is missed by its controller.
            if watched.role == WORKER and watched.finished and self._cases.find_core(watched):
                self._cases.case_of_process(watched, None, (CRASHED, "the process died"))
        main = self._session_process()
        passed = self._passed_on
        if main is None or (passed and status in (-passed, -signal.SIGKILL)):
            return EndedSession(status, None, main)
        in_a_test = main.test is not None and main.finished is None
        if status >= 0 and (passed or not in_a_test):
            return EndedSession(status, None, main)
        return EndedSession(
            status, self._cases.case_of_process(main, None, ending_by_status(status)), main
        )

    def _session_process(self) -> JournalReader | None:
        """Return the process that runs the session."""
        first = (w for w in self._journals.update() if w.role in (MAIN, CONTROLLER))
        return next(first, None)

    # -- hangs -------------------------------------------------------------------------------------

    def _look_for_hangs(self, process: subprocess.Popen[bytes]) -> DeathCase | None:
        """Kill workers that take too long; return the case when it is the session itself.

        Where each of them is now is where its core would be written.
        """
        limit = self._settings.timeout
        for watched in self._journals.update():
            with contextlib.suppress(OSError):
                watched.add_folder(os.readlink(f"/proc/{watched.pid}/cwd"))
            self._say_what_takes_long(watched)
            if limit is None:
                continue
            watched.update()  # to look at another one may have taken a minute
            if _is_overdue(watched, limit) and is_process_running(watched.pid):
                case = self._examine_hang(watched, limit, process.pid)
                if case is None:
                    continue
                if watched.role != WORKER:
                    return case
                with contextlib.suppress(ProcessLookupError):
                    os.kill(watched.pid, signal.SIGKILL)
        return None

    def _say_what_takes_long(self, watched: JournalReader) -> None:
        """Say once why a session stands still: a core is read."""
        since = watched.examining_since
        if since is None or since in self._told or time.monotonic() - since < QUIET:
            return
        self._told.add(since)
        activity = watched.describe_activity()
        _print_beside_tests(f"{activity}: a core is read, {EXAMINE_SECONDS:.0f} s at most for each")

    def _examine_hang(self, watched: JournalReader, limit: float, leader: int) -> DeathCase | None:
        """Look at a process that takes too long; None when its test has ended meanwhile."""
        late = watched.test, watched.finished
        why = f"took longer than {limit:g} s (--epi-timeout): its core is taken and read"
        _print_beside_tests(f"{watched.describe_activity()} {why}, {EXAMINE_SECONDS:.0f} s at most")
        self._cases.claim_hung_process(watched.pid)
        ending = f"it took longer than {limit:g} s (--epi-timeout), and was killed"
        folder = tempfile.mkdtemp(dir=self._settings.folder)
        path, trouble = os.path.join(folder, "hang"), ""
        if self._settings.gdb is None:
            trouble = "no gdb was found to look at it"
        else:
            if watched.gdb is not None:
                name = os.path.basename(watched.gdb).removeprefix("gdb-")
                detach_gdb(int(name) if name.isdigit() else leader, watched.gdb)
            trouble = dump_living_process(self._plan, watched.pid, path)
        watched.update()
        if (watched.test, watched.finished) != late:
            self._cases.note_process_went_on(watched.pid)
            return None
        core = path if os.path.isfile(path) else None
        if core is None and self._settings.capture == "core":
            core = self._core_written_by_abort(watched)
        if core is None:
            ending += f"; {trouble}"
        return self._cases.case_of_process(watched, None, (HUNG, ending), core)

    def _core_written_by_abort(self, watched: JournalReader) -> str | None:
        """Let the kernel write the core, where GDB may not attach."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(watched.pid, signal.SIGABRT)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            core = self._cases.find_core(watched)
            if core is not None and not os.path.exists(f"/proc/{watched.pid}/exe"):
                return core
            time.sleep(TICK)
        return None


def _print_beside_tests(text: str) -> None:
    """Say at once what goes on, beside what the tests print."""
    print(f"\ngdb-epi: {escape(text)}", file=sys.stderr, flush=True)


def is_process_running(pid: int, proc: str = "/proc") -> bool:
    """Tell whether a process is there and not dying."""
    return os.path.exists(f"{proc}/{pid}/status") and not is_dumping_core(pid, proc)


def _is_overdue(watched: JournalReader, limit: float) -> bool:
    since = None
    if watched.test is not None:
        since = watched.test.begun if watched.examining_since is None else None
    elif watched.finished is not None and watched.role != WORKER:  # a worker waits for its end
        since = watched.finished[0]
    return since is not None and time.monotonic() - since > limit


@contextlib.contextmanager
def _signals_handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let a handler have what people and CIs end a session with."""
    handled = (signal.SIGINT, *_ENDING_SIGNALS)
    before = [(signo, signal.signal(signo, handler)) for signo in handled]
    try:
        yield
    finally:
        for signo, earlier in before:
            signal.signal(signo, earlier)
