# SPDX-License-Identifier: Apache-2.0
"""Report: what a command returns. Rendering lives in gdb_epi.render."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.errors import SoftError
from gdb_epi.typing_lite import Any, NamedTuple


class SourceRange(NamedTuple):
    """A range of a source text; columns count characters from 0, and the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class UnfoldedLine(str):
    """A line of a report that is one line on a screen too, however long: JSON, or source."""

    __slots__ = ()


def unfolded_lines(text: str) -> list[str]:
    """Return the lines of a text that programs read."""
    return [UnfoldedLine(line) for line in text.split("\n")]


class PythonSourceLine(UnfoldedLine):
    """A line of Python source among the lines of a report; a terminal may show it highlighted."""

    __slots__ = ()


class SourceListing(NamedTuple):
    """Source lines for a person; the renderer escapes and highlights them."""

    filename: str
    first: int  # number of lines[0]
    current: int  # the line that is running
    lines: Sequence[str]
    span: SourceRange | None = None  # the part of that line that is running


class Report(NamedTuple):
    """A titled table, free lines, or both; `data` is what --json prints.

    `columns` name the cells of `rows`. `lines` are printed before the table. When `data` is None,
    the JSON is made from columns and rows. `soft_errors` are shown below and, unless `data` has its
    own, added to the JSON; None: it can have none. `exit_code` is what a batch caller sees. `label`
    is the label of the verdict where the lines are the answer of a triage.
    """

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[object]] = ()
    lines: Sequence[str] = ()
    data: Mapping[str, Any] | None = None
    soft_errors: Sequence[SoftError] | None = None
    exit_code: int = 0
    listing: SourceListing | None = None
    label: str | None = None
