# SPDX-License-Identifier: Apache-2.0
"""One death of a run: find its core, examine it, keep both, and tell it.

Cores are examined by a process of their own (`gdb-epi triage`): what it imports must not get into
the process of the tests. Each case is a file in the folder of the run, for the reports at its end,
and a folder of artefacts: core, record.json, triage.txt, all of mode 600.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest

from gdb_epi.cli.support.sarif_file import write_sarif
from gdb_epi.cli.support.supervisor import died_by_words
from gdb_epi.errors import EpiError
from gdb_epi.private_files import make_private_folder, private_opener
from gdb_epi.pytest_plugin.child_settings import ChildSettings
from gdb_epi.pytest_plugin.journal import JournalReader, RunningTest
from gdb_epi.record.record_parts import get_group, grouping_key_line
from gdb_epi.render.ci.deaths import (
    CRASHED,
    DIED,
    ENDED,
    HUNG,
    Death,
    SourceLine,
    path_relative_to_folder,
    source_root,
)
from gdb_epi.render.ci.github import death_annotations, job_summary, xml_safe_text
from gdb_epi.render.escape import escape, replace_missing_characters
from gdb_epi.render.triage import SHELL, Audience, opening_text, render_triage
from gdb_epi.repro.run_once import CORE_SIGNALS, DumpedProcess, find_cores_since, modification_time
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import counted, shell_word

ARTIFACTS = "epi_artifacts"  # a property of a test in JUnit XML
EXAMINE_SECONDS = 300.0
LOOKED_AT = ".looked-at"  # a file beside the cases: the supervisor makes that of this pid
TICK = 0.1  # seconds between two looks for what another process makes
CLOCK = 0.02  # seconds by which the time of a file may be early
MAX_NAME = 60  # characters of a folder
MAX_DEPTH = 64  # processes between a test's and one that it started
MAX_SAID = 3  # folders
MAX_CHILDREN = 4  # cores of processes that one test started
# Without the current folder: a module of the project must not stand in for one of Python's.
_TRIAGE = (
    "import sys; sys.path[:] = [p for p in sys.path if p];"
    "from gdb_epi.cli.main import exit_process, main; exit_process(main())"
)


class DeathCase(NamedTuple):
    """One death. `folder` has its artefacts, relative to where pytest was started if it is below.

    `ending` is how the process ended, `sentence` what happened: of a core, or why there is none.
    """

    subject: str
    verb: str
    ending: str
    pid: int
    place: SourceLine | None = None
    folder: str = ""
    sentence: str = ""
    screen: tuple[str, ...] = ()
    record: Mapping[str, Any] = {}

    @property
    def artefacts_line(self) -> str:
        """Where its artefacts are: a line by which its report is found again in other reports."""
        return f"gdb-epi keeps it in {self.folder}"

    def failure_text(self) -> str:
        """Return what a failure report says."""
        lines = [*self.screen, "", self.ending] if self.screen else [self.sentence]
        return "\n".join([*lines, self.artefacts_line])

    def to_death(self) -> Death:
        """Return it as the reports have it."""
        screen = self.screen or (self.sentence,)
        return Death(self.subject, self.verb, self.sentence, self.record, screen, self.place)

    def junit_properties(self) -> list[tuple[str, str]]:
        """Return what JUnit has as properties of the test."""
        verdict = get_group(self.record, "verdict").get("label")
        signature = get_group(self.record, "signature")
        pairs = [("epi_verdict", verdict), ("epi_signature", grouping_key_line(signature))]
        pairs.append((ARTIFACTS, self.folder))
        return [(name, str(value)) for name, value in pairs if value]


def ending_by_status(status: int | None) -> tuple[str, str]:
    """Return the verb of a process that ended by itself, and how it ended, in words.

    `status` is as subprocess has it, None when it is not known.
    """
    if status is None:
        return DIED, "the process of this test died"
    if status >= 0:
        return ENDED, f"the process of this test ended itself with status {status}"
    verb = CRASHED if -status in CORE_SIGNALS else DIED
    return verb, f"the process {died_by_words(-status)}"


class DeathCases:
    """Makes the cases of a run; `environment` is that of the process that examines."""

    def __init__(
        self, settings: ChildSettings, environment: Mapping[str, str] | None = None
    ) -> None:
        self._settings = settings
        self._environment = dict(os.environ if environment is None else environment)
        self._folder = os.path.join(settings.folder, "cases")
        os.makedirs(self._folder, mode=0o700, exist_ok=True)

    def all_cases(self) -> list[DeathCase]:
        """Return the cases that were made so far, in the order of their making."""
        files = sorted(Path(self._folder).glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
        return [_read_case(path) for path in files]

    def case_of_process(
        self,
        watched: JournalReader,
        subject: str | None,
        ending: tuple[str, str],
        hung: str | None = None,
    ) -> DeathCase:
        """Return the case of a process that died or hung; it is made once.

        `ending` has a verb and how it ended. `hung` is the snapshot of a process that was killed
        after it, None when there is none.
        """
        verb, how = ending
        path = os.path.join(self._folder, f"{watched.pid}.json")
        if verb != HUNG:
            self._wait_for_core_or_case(watched.pid, path)
        if os.path.exists(path):
            return _read_case(Path(path))
        core = hung if verb == HUNG else self.find_core(watched)
        if verb == DIED and core is not None:
            verb = CRASHED
        test = watched.test
        place = None
        if test is not None and test.line is not None:
            place = SourceLine(os.path.join(self._settings.start, test.file), test.line)
        case = DeathCase(subject or watched.describe_activity(), verb, how, watched.pid, place)
        return self._write_case(self._examine_core_of_case(case, core, watched), path)

    def claim_hung_process(self, pid: int) -> None:
        """Note that this process will make the case of another one, which hangs."""
        Path(self._folder, f"{pid}{LOOKED_AT}").touch()

    def note_process_went_on(self, pid: int) -> None:
        """Note that there is no case: the process went on."""
        Path(self._folder, f"{pid}{LOOKED_AT}").unlink()

    def _wait_for_core_or_case(self, pid: int, case: str) -> None:
        """Wait while the kernel still writes the core of a process, or its case is being made.

        GDB, which looks at a process that takes too long, may find it crashing: then the controller
        hears of its end before the supervisor has said what it was.
        """
        begun_elsewhere = os.path.join(self._folder, f"{pid}{LOOKED_AT}")
        deadline = time.monotonic() + EXAMINE_SECONDS
        while (
            not os.path.exists(case)
            and (os.path.exists(begun_elsewhere) or is_dumping_core(pid))
            and time.monotonic() < deadline
        ):
            time.sleep(TICK)

    def cases_of_children(
        self, test: str, parent: int | None, since: float, folders: Sequence[str]
    ) -> Iterator[DeathCase]:
        """Yield the cases of processes that a test started and that left a core since a time.

        `parent` is the process of the test, None for any of this session; `folders` are those in
        which they may have been.
        """
        session = os.getsid(0)
        cores: dict[str, DumpedProcess] = {}
        for folder in (self._settings.start, *folders):
            for core, origin in find_cores_since(self._settings.dumping, folder, since):
                is_mine = parent is None or _is_descendant(origin.parent, parent)
                if (
                    origin.session == session
                    and is_mine
                    and modification_time(core) >= since - CLOCK
                ):
                    cores[os.path.realpath(core)] = origin
        for core, origin in sorted(cores.items())[:MAX_CHILDREN]:
            case = DeathCase(
                f"a process that {test} started", CRASHED, "the process died", origin.pid
            )
            path = os.path.join(self._folder, f"{origin.pid}.json")
            yield self._write_case(self._examine_core_of_case(case, core), path)

    def find_core(self, watched: JournalReader) -> str | None:
        """Return the core that a process left, None when there is none."""
        if watched.gdb is not None:
            path = os.path.join(watched.gdb, "core.0")
            return path if os.path.isfile(path) else None
        settings = self._settings
        for folder in (settings.start, *reversed(watched.folders)):
            for core, origin in find_cores_since(settings.dumping, folder, settings.since):
                if origin.pid == watched.pid:
                    return core
        return None

    # -- one case ----------------------------------------------------------------------------------

    def _examine_core_of_case(
        self, case: DeathCase, core: str | None, watched: JournalReader | None = None
    ) -> DeathCase:
        """Examine the core of a case and keep what there is."""
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", case.subject.rpartition("::")[2]).strip("-.")
        folder = os.path.join(self._settings.artifacts, f"{name[-MAX_NAME:]}-{case.pid}")
        make_private_folder(Path(folder))
        shown = self._settings.relative_path(folder)
        if core is None:
            sentence = case.ending
            if case.verb in (CRASHED, DIED):
                why = "" if self._settings.capture else f": {self._settings.why_not}"
                sentence += f"; no core of it was found{why}"
                if watched is not None and self._settings.capture == "core":
                    places = dict.fromkeys((self._settings.start, *watched.folders[-MAX_SAID:]))
                    sentence += f" (looked for in {', '.join(places)})"
            _write_private_file(folder, "triage.txt", sentence + "\n")
            return case._replace(sentence=sentence, folder=shown)
        kept = os.path.join(folder, "core")
        try:
            shutil.move(core, kept)
            os.chmod(kept, 0o600)
        except OSError as error:  # a full disk, most of all
            sentence = f"{case.ending}; its core could not be kept: {error.strerror or error}"
            return case._replace(sentence=sentence, folder=shown)
        record, trouble = self._record_of_core(kept)
        folders = (os.path.join(self._settings.start, other.folder) for other in self.all_cases())
        count = sum(os.path.isfile(os.path.join(other, "core")) for other in folders)
        at: str | None = shell_word(os.path.join(shown, "core"))
        if count >= self._settings.cores:
            os.unlink(kept)
            at = None
        if not record:
            return case._replace(sentence=f"{case.ending}; {trouble}", folder=shown)
        told = (
            record if watched is None else _record_named_by_test(record, case.subject, watched.test)
        )
        screen = tuple(render_triage(told, Audience(SHELL, at, database=" --no-db")))
        _write_private_file(folder, "record.json", json.dumps(record, indent=1) + "\n")
        _write_private_file(folder, "triage.txt", "\n".join(screen) + "\n")
        sentence = opening_text(told)
        return case._replace(sentence=sentence, folder=shown, screen=screen, record=record)

    def _record_of_core(self, core: str) -> tuple[dict[str, Any], str]:
        """Return the record of a core, or why there is none."""
        words = [sys.executable, "-c", _TRIAGE, "triage", "--format", "json", "--no-db"]
        try:
            done = subprocess.run(
                [*words, "--no-sidecars", core],
                cwd=self._settings.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=EXAMINE_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return {}, f"its core was not read within {EXAMINE_SECONDS:.0f} s"
        try:
            record = json.loads(done.stdout)
        except ValueError:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            return {}, (lines or ["its core could not be read"])[-1]
        return (record, "") if isinstance(record, dict) else ({}, "its core could not be read")

    def _write_case(self, case: DeathCase, path: str) -> DeathCase:
        _write_private_file(
            os.path.dirname(path), os.path.basename(path), json.dumps(case._asdict())
        )
        return case


def _record_named_by_test(
    record: Mapping[str, Any], subject: str, test: RunningTest | None
) -> dict[str, Any]:
    """Return a record that calls its process by its test: all of them are pytest or `python -c`."""
    script = f"-m pytest {test.name}" if test is not None else "-m pytest"
    process = {**get_group(record, "process"), "name": subject, "script": script}
    return {**record, "process": process}


def _write_private_file(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8", opener=private_opener) as file:
        file.write(text)


def _read_case(path: Path) -> DeathCase:
    values = json.loads(path.read_text(encoding="utf-8"))
    place = values["place"]
    return DeathCase(
        **{**values, "screen": tuple(values["screen"]), "place": place and SourceLine(*place)}
    )


def is_dumping_core(pid: int, proc: str = "/proc") -> bool:
    """Tell whether the kernel writes the core of a process: of a large one for long."""
    with contextlib.suppress(OSError):
        return b"\nCoreDumping:\t1\n" in Path(proc, str(pid), "status").read_bytes()
    return False


def _is_descendant(pid: int, ancestor: int) -> bool:
    """Tell whether a living process is another one or was started below it."""
    seen = 0
    while pid > 1 and seen < MAX_DEPTH:
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return False
        seen += 1
    return False


# What a CI gets at the end of a run: JUnit additions, annotations, a job summary, SARIF.
#
# JUnit XML is completed after pytest has written it: the failure of a test that died is known by
# the line that says where its artefacts are.


class RequestedCiReports:
    """What was asked for on the command line of a run."""

    def __init__(self, config: pytest.Config, settings: ChildSettings) -> None:
        options = config.known_args_namespace
        self.settings = settings
        self._sarif: str | None = options.epi_sarif
        self._junit: str | None = getattr(options, "xmlpath", None)
        self._annotations = options.epi_annotations or "GITHUB_ACTIONS" in os.environ

    def write(self, cases: Sequence[DeathCase]) -> None:
        """Write every paper, also when another fails, and remove the folder of the run."""
        os.chdir(self.settings.start)
        root = source_root(os.environ, self.settings.start)
        deaths = [case.to_death() for case in cases]
        for number, death in enumerate(deaths):
            if death.place is not None:
                path = path_relative_to_folder(death.place.path, root) or death.place.path
                deaths[number] = death._replace(place=SourceLine(path, death.place.line))
        if self._sarif is not None:
            with _printing_failures():
                write_sarif(self._sarif, deaths, root)
        if cases and self._junit is not None:
            with _printing_failures():
                add_deaths_to_junit(self._junit, cases)
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if cases and summary:
            with _printing_failures(), open(summary, "a", encoding="utf-8") as file:
                file.write(job_summary(deaths))
        if self._annotations:
            for line in death_annotations(deaths, root):
                print_now(line)
        if cases:
            shown = self.settings.relative_path(self.settings.artifacts)
            print_now(f"gdb-epi: {counted(len(cases), 'death')} in this run, kept in {shown}")
        shutil.rmtree(self.settings.folder, ignore_errors=True)


def print_now(text: str) -> None:
    """Print a text at once; what the terminal's characters lack is escaped."""
    print(replace_missing_characters(text, sys.stdout.encoding or "ascii"), flush=True)


@contextlib.contextmanager
def _printing_failures() -> Iterator[None]:
    try:
        yield
    except (OSError, EpiError, Tree.ParseError) as error:
        print_now(f"gdb-epi: {escape(str(error))}")


def add_deaths_to_junit(path: str, cases: Sequence[DeathCase]) -> None:
    """Add screens and properties to the JUnit XML of a run; what is in no test gets a case.

    Without a file (pytest died before it could write one) it is made.
    """
    root = Tree.parse(path).getroot() if os.path.isfile(path) else Tree.Element("testsuites")
    suite = root if root.tag == "testsuite" else root.find("testsuite")
    if suite is None:
        counts = {"tests": "0", "failures": "0", "errors": "0", "skipped": "0"}
        suite = Tree.SubElement(root, "testsuite", {"name": "pytest", **counts})
    for case in cases:
        element = _find_testcase(suite, case)
        if element is None:
            name = {"classname": "gdb-epi", "name": xml_safe_text(case.subject), "time": "0"}
            element = Tree.SubElement(suite, "testcase", name)
            error = Tree.SubElement(element, "error", {"message": xml_safe_text(case.sentence)})
            error.text = xml_safe_text(case.failure_text())
            for count in ("tests", "errors"):
                suite.set(count, str(int(suite.get(count) or 0) + 1))
        _add_properties(element, case)
        # Put the screen into system-out, after what pytest captured.
        out = element.find("system-out")
        if out is None:
            out = Tree.SubElement(element, "system-out")
        out.text = (f"{out.text}\n" if out.text else "") + xml_safe_text(case.failure_text())
    Tree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _find_testcase(suite: Tree.Element, case: DeathCase) -> Tree.Element | None:
    for element in suite.iter("testcase"):
        for report in (*element.iter("failure"), *element.iter("error")):
            if case.artefacts_line in (report.text or "").splitlines():
                return element
        for entry in element.iter("property"):
            if (entry.get("name"), entry.get("value")) == (ARTIFACTS, case.folder):
                return element
    return None


def _add_properties(element: Tree.Element, case: DeathCase) -> None:
    properties = element.find("properties")
    if properties is None:
        properties = Tree.Element("properties")
        element.insert(0, properties)
    present = {inner.get("name") for inner in properties}
    for name, value in case.junit_properties():
        if name not in present:
            Tree.SubElement(properties, "property", {"name": name, "value": xml_safe_text(value)})
