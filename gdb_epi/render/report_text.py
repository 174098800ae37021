# SPDX-License-Identifier: Apache-2.0
"""Reports as text: lines, a table, a listing of source, and what could not be had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.errors import Absent, SoftError
from gdb_epi.render.escape import escape, fold_line, screen_width, soft_error_words, table_width
from gdb_epi.report import UnfoldedLine
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import shortened_list

if TYPE_CHECKING:
    from gdb_epi.report import Report

MAX_NOTES = 12
MAX_TOGETHER = 6  # subjects of one note
MAX_NOTES_OF_STACKS = 3  # that have no other place
_FIRST_STAGES = ("core", "python")  # what keeps the whole answer from being right


def render_report(report: Report, *, color: bool = False) -> str:
    """Return a report as text: lines, table, listing, then what could not be had.

    `color` marks headings and languages, and highlights source when pygments is there.
    """
    parts: list[str] = []
    for line in report.lines:
        parts += _screen_lines(line) if report.label is None else [escape(line)]
    if report.rows:
        parts += table_lines(report.columns, report.rows)
    if report.listing is not None:
        from gdb_epi.render.source_lines import listing_lines

        parts += [escape(report.title), *listing_lines(report.listing, color=color)]
    if not parts:
        parts.append(f"{escape(report.title)}: nothing to show")
    ends = [line.rpartition(": ")[2] for line in report.lines]
    parts += soft_error_lines([e for e in report.soft_errors or () if e.message not in ends])
    if color:
        from gdb_epi.render.color import colored_lines

        parts = list(colored_lines(parts, report.label))
    return "\n".join(parts)


def _screen_lines(line: str) -> list[str]:
    """Return a line as it is shown: folded, but for the paths of a stack, source and JSON."""
    if isinstance(line, UnfoldedLine):
        return [type(line)(escape(line))]
    width = screen_width()
    if len(line) > width:
        from gdb_epi.render.color import STACK_ROW

        width = len(line) * 4 if STACK_ROW.fullmatch(line) else width
    return fold_line(escape(line), width)


def soft_error_lines(errors: Sequence[SoftError], most: int = MAX_NOTES) -> Iterator[str]:
    """Yield one line for every thing that could not be had, the most important first, no repeats.

    A core that was cut off has hundreds: the first ones are shown, and --json has all of them.
    Errors of merging Python and native frames follow from those of the native frames.
    """
    native = any(error.stage == "native" for error in errors)
    notes = [e for e in dict.fromkeys(errors) if e.stage != "merge" or not native]
    notes.sort(key=lambda error: error.stage not in _FIRST_STAGES)
    subjects: dict[str, list[str]] = {}
    for error in notes:
        subjects.setdefault(error.message, []).append(error.subject)
    texts = [
        soft_error_words(_list_of_threads_words(names), why) for why, names in subjects.items()
    ]
    texts = list(dict.fromkeys(texts))
    for text in texts[: most if len(texts) > most + 1 else None]:
        yield from fold_line(escape(f"note: {text}"), screen_width())
    if len(texts) > most + 1:
        yield f"note: and {len(texts) - most} more (--json has all)"


def _list_of_threads_words(subjects: Sequence[str]) -> str:
    """Return "threads 1, 2 and 3 more" for those of which one thing is to be said."""
    names = list(dict.fromkeys(subjects))
    numbers = [name.removeprefix("thread ") for name in names if name.startswith("thread ")]
    if len(names) > 1 and len(numbers) == len(names):
        return f"threads {shortened_list(numbers, MAX_TOGETHER)}"
    return shortened_list(names, MAX_TOGETHER)


def cell_text(value: object) -> str:
    """Return one table cell."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Absent):
        return f"({value.reason})"
    return escape(str(value))


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return an aligned table; by tabulate when it is there (it knows wide characters).

    The cells of a table that is wider than the terminal are folded.
    """
    cells = _folded_cells(columns, [[cell_text(value) for value in row] for row in rows])
    try:
        from tabulate import tabulate
    except ImportError:
        every = [list(columns), *cells] if columns else list(cells)
        count = max(len(row) for row in every)
        widths = [max(len(row[i]) for row in every if i < len(row)) for i in range(count)]
        return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in every]
    text = tabulate(cells, headers=list(columns), tablefmt="plain", disable_numparse=True)
    return [line.rstrip() for line in text.splitlines()]


def _folded_cells(columns: Sequence[str], rows: list[list[str]]) -> list[list[str]]:
    """Return rows that fit the terminal: the widest columns shrink, down to their longest word."""
    count = max(map(len, (columns, *rows)), default=0)
    widths, words = [0] * count, [0] * count
    for row in (columns, *rows):
        for at, cell in enumerate(row):
            widths[at] = max(widths[at], len(cell))
            words[at] = max(words[at], *map(len, cell.split()), 0)
    limit = table_width()
    excess = 0 if limit is None else sum(widths) + 2 * (count - 1) - limit
    narrow = list(widths)
    while excess > 0 and any(map(int.__gt__, narrow, words)):
        at = max(range(count), key=lambda n: narrow[n] if narrow[n] > words[n] else -1)
        narrow[at] -= 1
        excess -= 1
    if narrow == widths:
        return rows
    from itertools import zip_longest
    from textwrap import wrap

    folded: list[list[str]] = []
    for row in rows:
        parts = [
            wrap(cell, max(width, 1), break_long_words=False, break_on_hyphens=False)
            for cell, width in zip(row, narrow, strict=False)
        ]
        folded += [list(line) for line in zip_longest(*parts, fillvalue="")]
    return folded
