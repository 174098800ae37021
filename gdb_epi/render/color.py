# SPDX-License-Identifier: Apache-2.0
"""Colours of a screen on a terminal: they are chosen by the shapes of its uncoloured lines.

In: lines that were escaped. Out: the same lines with SGR sequences; without them they are
byte-equal. A name from a core that looks like a heading gets a heading's colour, no more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.render.escape import screen_width
from gdb_epi.report import PythonSourceLine
from gdb_epi.typing_lite import IO

AUTO, ON, OFF = "auto", "on", "off"
_BOLD, _DIM, _RED, _GREEN, _YELLOW = "1", "2", "31", "32", "33"
# By the label of the verdict; other labels are only bold.
_COLORS = {"no-fault": _GREEN, "killed": _YELLOW, "cannot-tell": _YELLOW}
STACK_ROW = LazyPattern(r"( *(?:#\d+ +)?)(py|C)( .*)")
_LABEL = LazyPattern(r"([A-Z][a-z]+)(  .*)")
_TITLE = LazyPattern(r"(?:\S.*)?(?:\(thread \d+|Stack of |threads? with this stack: ).*")
_MARKS = LazyPattern(r" +[\^~]+")


def wants_color(choice: str, stream: IO[str]) -> bool:
    """Tell whether a stream gets colours; for `auto` when it is a terminal that has them."""
    return choice == ON or (choice == AUTO and stream.isatty() and environment_allows_color())


def environment_allows_color() -> bool:
    """Tell whether TERM and NO_COLOR (https://no-color.org) allow colours."""
    return os.environ.get("TERM", "dumb") != "dumb" and not os.environ.get("NO_COLOR")


def colored_lines(lines: Sequence[str], label: str | None = None) -> Iterator[str]:
    """Yield lines with colours; `label` is that of the verdict in the answer, if any."""
    lines = list(lines)
    start = 0
    if label is not None:
        start = _end_of_first_sentence(lines)
        code = f"{_BOLD};{_COLORS.get(label, _RED)}"
        yield from (_wrap_in_ansi_style(code, line) for line in lines[:start])
    for line in lines[start:]:
        yield _color_line(line)


def _color_line(line: str) -> str:
    if isinstance(line, PythonSourceLine):
        from gdb_epi.render.source_lines import highlight_python

        text = line.lstrip()
        return line[: len(line) - len(text)] + highlight_python([text], "")[0]
    row = STACK_ROW.fullmatch(line)
    if row is not None:
        return f"{row[1]}{_wrap_in_ansi_style(_DIM, row[2])}{row[3]}"
    label = _LABEL.fullmatch(line)
    if label is not None:
        return _wrap_in_ansi_style(_BOLD, label[1]) + label[2]
    if _TITLE.fullmatch(line):
        return _wrap_in_ansi_style(_BOLD, line)
    if line.startswith("note: "):
        return _wrap_in_ansi_style(_DIM, line)
    return _wrap_in_ansi_style(_RED, line) if _MARKS.fullmatch(line) else line


def _end_of_first_sentence(lines: Sequence[str]) -> int:
    """Return where the first sentence ends: at the line with room left for the next word."""
    for number, line in enumerate(lines[:-1], 1):
        following = lines[number].split(" ", 1)[0]
        if not following or len(line) + 1 + len(following) <= screen_width():
            return number
    return len(lines)


def _wrap_in_ansi_style(code: str, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if text else text
