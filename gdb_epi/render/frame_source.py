# SPDX-License-Identifier: Apache-2.0
"""Sources of a session's frames: the finder with the user's options, ranges, lines below frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from gdb_epi.cpython.frames.positions import Position
from gdb_epi.cpython.source.finder import FITS, VERIFIED, Source, SourceFinder
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.process_state import ProcessState
from gdb_epi.render.source import character_column, one_line
from gdb_epi.report import Span
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.session import Session


def source_finder(session: Session) -> SourceFinder:
    """Return the finder of sources, with the user's sysroot and the time of the core file."""
    python = session.state.required_python()
    sysroot = session.options.get("sysroot")
    return SourceFinder(
        session.target,
        python,
        sysroot=str(sysroot) if sysroot else None,
        written_at=_written_at(session),
    )


def span_of(position: Position, lines: Sequence[str]) -> Span | None:
    """Return the running range in characters. None where the core has lines only."""
    line, end_line, column, end_column = position
    if line is None or end_line is None or column is None or end_column is None:
        return None
    if not 1 <= line <= end_line <= len(lines) or (line, column) >= (end_line, end_column):
        return None
    start = character_column(lines[line - 1], column)
    return Span(line, start, end_line, character_column(lines[end_line - 1], end_column))


def _written_at(session: Session) -> float | None:
    path = getattr(session.target, "path", None)
    try:
        return os.stat(path).st_mtime if isinstance(path, str) else None
    except OSError:
        return None


def callers_of(state: ProcessState, frame: PyFrame) -> Sequence[PyFrame]:
    """Return the frames that called a frame, the nearest first."""
    for thread in state.python_threads():
        if frame in thread.frames:
            return thread.frames[thread.frames.index(frame) + 1 :]
    return ()


def source_below(session: Session) -> Callable[[PyFrame], list[str]]:
    """Return a function that gives a frame's source line, and carets below what was running.

    Only a text that was checked against the core is shown; for others there is no line.
    """
    if not isinstance(session.state.python, PythonState):
        return lambda frame: []
    finder = source_finder(session)

    def below(frame: PyFrame) -> list[str]:
        if frame.hole is not None or frame.lineno is None:
            return []
        found = finder.of(frame)
        if not isinstance(found, Source) or found.trust not in (VERIFIED, FITS):
            return []
        span = span_of(found.site.position, found.lines)
        return list(one_line(found.lines, frame.lineno, span))

    return below
