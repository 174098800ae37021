# SPDX-License-Identifier: Apache-2.0
"""What a CI gets at the end of a run: JUnit additions, annotations, a job summary, SARIF.

JUnit XML is completed after pytest has written it: the failure of a test that died is known by the
line that says where its artefacts are.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as Tree

import pytest

from gdb_epi.cli.support.sarif_file import write_sarif
from gdb_epi.errors import EpiError
from gdb_epi.pytest_plugin.child_settings import ChildSettings
from gdb_epi.pytest_plugin.death_cases import ARTIFACTS, DeathCase
from gdb_epi.render.ci.github import death_annotations, job_summary, xml_safe_text
from gdb_epi.render.ci.source_lines import SourceLine, relative_to, source_root
from gdb_epi.render.escape import escape, replace_missing_characters
from gdb_epi.util import counted


class CiReports:
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
        deaths = [case.death() for case in cases]
        for number, death in enumerate(deaths):
            if death.place is not None:
                path = relative_to(death.place.path, root) or death.place.path
                deaths[number] = death._replace(place=SourceLine(path, death.place.line))
        if self._sarif is not None:
            with _failures_said():
                write_sarif(self._sarif, deaths, root)
        if cases and self._junit is not None:
            with _failures_said():
                add_deaths_to_junit(self._junit, cases)
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if cases and summary:
            with _failures_said(), open(summary, "a", encoding="utf-8") as file:
                file.write(job_summary(deaths))
        if self._annotations:
            for line in death_annotations(deaths, root):
                print_now(line)
        if cases:
            shown = self.settings.shown(self.settings.artifacts)
            print_now(f"gdb-epi: {counted(len(cases), 'death')} in this run, kept in {shown}")
        shutil.rmtree(self.settings.folder, ignore_errors=True)


def print_now(text: str) -> None:
    """Print a text at once; what the terminal's characters lack is escaped."""
    print(replace_missing_characters(text, sys.stdout.encoding or "ascii"), flush=True)


@contextlib.contextmanager
def _failures_said() -> Iterator[None]:
    try:
        yield
    except (OSError, EpiError, Tree.ParseError) as error:
        print_now(f"gdb-epi: {escape(str(error))}")


def add_deaths_to_junit(path: str, cases: Sequence[DeathCase]) -> None:
    """Add screens and properties to the JUnit XML of a run; what is in no test gets a case.

    Without a file (pytest died before it could write one) it is made.
    """
    if os.path.isfile(path):
        root = Tree.parse(path).getroot()
    else:
        root = Tree.Element("testsuites")
    suite = root if root.tag == "testsuite" else root.find("testsuite")
    if suite is None:
        counts = {"tests": "0", "failures": "0", "errors": "0", "skipped": "0"}
        suite = Tree.SubElement(root, "testsuite", {"name": "pytest", **counts})
    for case in cases:
        element = _element_of(suite, case)
        if element is None:
            element = _new_element(suite, case)
        _add_properties(element, case)
        _add_screen(element, case)
    Tree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _element_of(suite: Tree.Element, case: DeathCase) -> Tree.Element | None:
    for element in suite.iter("testcase"):
        for report in (*element.iter("failure"), *element.iter("error")):
            if case.kept in (report.text or "").splitlines():
                return element
        for entry in element.iter("property"):
            if (entry.get("name"), entry.get("value")) == (ARTIFACTS, case.folder):
                return element
    return None


def _new_element(suite: Tree.Element, case: DeathCase) -> Tree.Element:
    name = {"classname": "gdb-epi", "name": xml_safe_text(case.subject), "time": "0"}
    element = Tree.SubElement(suite, "testcase", name)
    error = Tree.SubElement(element, "error", {"message": xml_safe_text(case.sentence)})
    error.text = xml_safe_text(case.text())
    for count in ("tests", "errors"):
        suite.set(count, str(int(suite.get(count) or 0) + 1))
    return element


def _add_properties(element: Tree.Element, case: DeathCase) -> None:
    properties = element.find("properties")
    if properties is None:
        properties = Tree.Element("properties")
        element.insert(0, properties)
    present = {inner.get("name") for inner in properties}
    for name, value in case.properties():
        if name not in present:
            Tree.SubElement(properties, "property", {"name": name, "value": xml_safe_text(value)})


def _add_screen(element: Tree.Element, case: DeathCase) -> None:
    """Put the screen into system-out, after what pytest captured."""
    out = element.find("system-out")
    if out is None:
        out = Tree.SubElement(element, "system-out")
    out.text = (f"{out.text}\n" if out.text else "") + xml_safe_text(case.text())
