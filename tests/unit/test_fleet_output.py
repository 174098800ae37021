# SPDX-License-Identifier: Apache-2.0
"""Tables and lines of the fleet's questions on terminals of several widths."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import termios

import pytest

from gdb_epi.cli.fleet.output import print_line, print_table
from gdb_epi.render.escape import fold_line, terminal_width

KEY = "0123456789abcdef"
HEADERS = ("crashes", "key", "verdicts", "signature")
ROWS = [
    (3, KEY, "software 3, killed 1", " <- ".join(["a_function_of_the_program"] * 4)),
    (1, KEY[::-1], "", "short"),
]


def table(width: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> list[str]:
    """Print the rows on so many columns."""
    monkeypatch.setenv("COLUMNS", width)
    print_table(HEADERS, ROWS, "nothing", ("signature", "verdicts"))
    return capsys.readouterr().out.splitlines()


def test_a_wide_terminal_shows_a_line_a_row(monkeypatch, capsys):
    lines = table("200", monkeypatch, capsys)
    assert len(lines) == 4 and lines[0].split() == list(HEADERS)
    assert lines[2].endswith(ROWS[0][3])


def test_a_narrow_one_shows_the_rest_below(monkeypatch, capsys):
    lines = table("60", monkeypatch, capsys)
    assert max(map(len, lines)) <= 60 and lines[0].split() == list(HEADERS[:3])
    assert KEY in lines[2] and lines[3].startswith("    signature: a_function")
    text = " ".join(line.strip() for line in lines[3:-2])
    assert text == f"signature: {ROWS[0][3]}"
    assert KEY[::-1] in lines[-2] and lines[-1] == "    signature: short"


def test_the_narrowest_one_leaves_out_no_word(monkeypatch, capsys):
    lines = table("1", monkeypatch, capsys)
    assert lines[0].split() == ["crashes", "key"] and "    verdicts: software 3, killed 1" in lines
    assert not any(line.strip() == "verdicts:" for line in lines)  # the second row has none


@pytest.mark.parametrize("width", [40, 41, 57, 100])
def test_no_word_is_broken(width):
    line = (
        f"  cores: {', '.join([KEY * 2] * 5)} a-word-with-hyphens-that-is-wider-than-it-all-is-here"
    )
    lines = fold_line(line, width)
    assert " ".join(part.strip() for part in lines) == line.strip()
    assert all(part.startswith("      ") for part in lines[1:]) and lines[0].startswith("  cores:")
    assert fold_line(line, None) == [line]


def test_what_goes_into_a_file_keeps_its_lines(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    print_line("word " * 90 + "\x1b[31m")
    assert capsys.readouterr().out == "word " * 90 + "\\x1b[31m\n"


@pytest.mark.parametrize(("columns", "width"), [(100, 100), (7, 40), (0, None)])
def test_the_width_is_that_of_the_terminal(columns, width, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    ends = os.openpty()
    try:
        fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with open(ends[1], "w", closefd=False) as terminal:
            monkeypatch.setattr(sys, "stdout", terminal)
            assert terminal_width() == width
    finally:
        for end in ends:
            os.close(end)


@pytest.mark.parametrize("said", ["wide", "-3", "0"])
def test_columns_that_are_none_say_nothing(said, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", said)
    assert terminal_width() is None


@pytest.mark.parametrize("database", ["f.sqlite3", "'my fleet.sqlite3'"])
def test_a_command_to_paste_is_on_one_line(database):
    command = f"gdb-epi fleet show 2a51e0c1d2f3a4b5 --db {database}"
    lines = fold_line(
        f"Next     which hosts or versions does it have, and since when? {command}", 70
    )
    assert len(lines) == 2 and lines[1].strip() == command
    words = "cannot tell yet, so see what else it has there: gdb-epi fleet correlate 2a51e0c1d2f3"
    assert fold_line(words, 60)[-1].strip() == "gdb-epi fleet correlate 2a51e0c1d2f3"
