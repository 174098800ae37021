# SPDX-License-Identifier: Apache-2.0
"""`epi list`: the source around the line that a Python frame was running."""

from __future__ import annotations

import os

from gdb_epi.cpython.positions import Position
from gdb_epi.cpython.source import CONTRADICTED, UNCHECKED, NoSource, Source, SourceFinder
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import InputError, SoftError
from gdb_epi.lean import TYPE_CHECKING, Any
from gdb_epi.registry import argument, command
from gdb_epi.render.source import character_column
from gdb_epi.report import Listing, Report, Span

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from gdb_epi.session import Session

MAX_CONTEXT = 1000
MAX_SPAN_LINES = 50  # lines of a running range that are shown beyond the context


@command(
    "list",
    arguments=(
        argument("frame", nargs="?", type=int, default=0, help="Python frame number, 0 innermost"),
        argument("--context", type=int, default=5, metavar="N", help="lines before and after (5)"),
        argument("--force", action="store_true", help="show a file even when it does not fit"),
    ),
)
def list_source(session: Session, args: Namespace) -> Report:
    """Show the source around the line that a Python frame was running, its columns underlined.

    Works on the selected thread, else on the crashed one. The file here (below the sysroot) is
    compared with the cached bytecode and with the code in the core; else the text comes from what
    the process itself held: linecache, the -c argument, the string given to exec(). Notes say
    which text it is and what was checked. A file that contradicts the core is not shown.
    """
    frame = session.python_frame(args.frame)
    finder = source_finder(session)
    found = finder.of(frame, _callers(session, frame), force=args.force)
    if isinstance(found, NoSource):
        hint = "gdb's `set sysroot', or the version that ran; --force shows what does not fit"
        raise InputError(f"no source of {frame.filename}: {found.absent.detail}", hint=hint)
    line = frame.lineno or 1
    if line > len(found.lines):
        raise InputError(f"{found.where} has {len(found.lines)} lines, but line {line} was running")
    around = max(0, min(args.context, MAX_CONTEXT))
    span = span_of(found.site.position, found.lines)
    end = min(span.end_line, line + MAX_SPAN_LINES) if span else line
    first = max(1, line - around)
    shown = list(found.lines[first - 1 : max(end, line) + around])
    return Report(
        f"{frame.qualname or frame.name} at {frame.filename}:{line}",
        data={
            "filename": frame.filename,
            "first": first,
            "current": line,
            "lines": shown,
            "range": None if span is None else span._asdict(),
            "position": found.site.position._asdict(),
            "source": source_json(found),
        },
        soft_errors=_notes(frame, found),
        listing=Listing(frame.filename, first, line, shown, span),
    )


def source_finder(session: Session) -> SourceFinder:
    """Return the finder of sources, with the user's sysroot and the time of the core file."""
    python = session.state.python
    if not isinstance(python, PythonState):
        raise InputError(f"no Python: {python.detail}", hint="epi doctor")
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


def source_json(found: Source) -> dict[str, Any]:
    """Return which text it is and what was checked."""
    return {
        "where": found.where,
        "trust": found.trust,
        "checks": list(found.checks),
        "encoding": found.encoding,
    }


def _callers(session: Session, frame: PyFrame) -> Sequence[PyFrame]:
    for thread in session.state.python_threads():
        if frame in thread.frames:
            return thread.frames[thread.frames.index(frame) + 1 :]
    return ()


def _written_at(session: Session) -> float | None:
    path = getattr(session.target, "path", None)
    try:
        return os.stat(path).st_mtime if isinstance(path, str) else None
    except OSError:
        return None


def _notes(frame: PyFrame, found: Source) -> list[SoftError]:
    caution = {
        UNCHECKED: "too little of its code is known to tell whether this is the text that ran",
        CONTRADICTED: "NOT the text that ran: it contradicts the core",
    }
    notes = [f"{found.trust}: from {found.where}", *found.checks]
    if found.trust in caution:
        notes.insert(0, caution[found.trust])
    name = frame.filename.rpartition("/")[2]
    return [SoftError("source", name, note) for note in notes]
