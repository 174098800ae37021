# SPDX-License-Identifier: Apache-2.0
"""Colours change no text, follow the verdict, and obey NO_COLOR and TERM."""

from __future__ import annotations

import io
import re

import pytest

from gdb_epi.render.color import colored_lines, wants_color
from gdb_epi.render.report_text import render_report
from gdb_epi.report import PythonSourceLine, Report

SGR = re.compile(r"\x1b\[[0-9;]*m")
SCREEN = [
    "app.py crashed: read through a NULL pointer in a function whose name is so long that it was",
    "continued_on_the_next",
    "A software bug (81% sure): the pointer was NULL.",
    "",
    "Process  pid 1, python3, CPython 3.11.2, 1 thread",
    "Stack of MainThread, most recent call first",
    "  C   read_value  libapp.so",
    "  #0   py  work  app.py:25",
    "       ^^^^",
    "note: elf: x: y",
    "Next     source line:  epi list",
]


def test_the_text_stays_the_same() -> None:
    for label in (None, "software", "no-fault", "killed", "a label of tomorrow"):
        assert [SGR.sub("", line) for line in colored_lines(SCREEN, label)] == SCREEN
    assert list(colored_lines([], "software")) == []


def test_the_first_sentence_has_the_colour_of_its_verdict() -> None:
    for label, code in (("software", "31"), ("no-fault", "32"), ("cannot-tell", "33")):
        lines = list(colored_lines(SCREEN, label))
        assert [line.startswith(f"\x1b[1;{code}m") for line in lines[:3]] == [True, True, False]
    assert next(colored_lines(SCREEN)) == SCREEN[0]


def test_languages_headings_and_notes_are_marked() -> None:
    lines = list(colored_lines(SCREEN, "software"))
    assert lines[4] == "\x1b[1mProcess\x1b[0m" + SCREEN[4].removeprefix("Process")
    assert lines[5] == f"\x1b[1m{SCREEN[5]}\x1b[0m"
    assert lines[6] == "  \x1b[2mC\x1b[0m   read_value  libapp.so"
    assert lines[7] == "  #0   \x1b[2mpy\x1b[0m  work  app.py:25"
    assert lines[8].startswith("\x1b[31m") and lines[9].startswith("\x1b[2mnote")


def test_what_a_core_says_cannot_colour() -> None:
    report = Report("x", lines=["\x1b[31mred", PythonSourceLine("    return '\x1b[31m'")], data={})
    plain = render_report(report)
    assert "\x1b" not in plain
    pytest.importorskip("pygments")
    coloured = render_report(report, color=True)
    assert SGR.sub("", coloured) == plain and "\\x1b[31m" in coloured
    assert coloured.splitlines()[1] != plain.splitlines()[1], "source is highlighted"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_auto_asks_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert wants_color("auto", Terminal()) and not wants_color("auto", io.StringIO())
    assert wants_color("on", io.StringIO()) and not wants_color("off", Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_color("auto", Terminal()) and wants_color("on", Terminal())
    monkeypatch.setenv("NO_COLOR", "")  # empty counts as unset (no-color.org)
    assert wants_color("auto", Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_color("auto", Terminal())
