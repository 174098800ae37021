# SPDX-License-Identifier: Apache-2.0
"""Source lines for a terminal: found for a frame, numbered, highlighted, what ran underlined."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from gdb_epi.cpython.frames.line_tables import SourcePosition
from gdb_epi.cpython.source.finder import FITS, VERIFIED, Source, SourceFinder
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import Absent
from gdb_epi.hangs.types import DEADLOCK
from gdb_epi.process_state import ProcessState
from gdb_epi.render.escape import escape
from gdb_epi.report import PythonSourceLine as SourceLine
from gdb_epi.report import SourceListing, SourceRange
from gdb_epi.session import Session
from gdb_epi.typing_lite import Any

TAB = 8
MAX_BEFORE = 70  # characters of a long line that may stand before the part that ran
MAX_SHOWN = 2000  # characters of one line; minified sources have lines of a megabyte
MARK = "^"
CUT = " ..."


def listing_lines(listing: SourceListing, *, color: bool = False) -> list[str]:
    """Return numbered source lines; an arrow marks the current one, carets its range."""
    painted = [terminal_text_and_columns(line) for line in listing.lines]
    plain = [text for text, _ in painted]
    shown = highlight_python(plain, listing.filename) if color else plain
    width = len(str(listing.first + len(shown)))
    lines = []
    for number, text in enumerate(shown, listing.first):
        arrow = "->" if number == listing.current else "  "
        lines.append(f"{arrow} {number:>{width}}  {text}".rstrip())
        marks = _caret_line(listing.span, number, *painted[number - listing.first])
        if marks:
            lines.append(" " * (width + 5) + marks)
    return lines


def terminal_text_and_columns(line: str) -> tuple[str, list[int]]:
    """Return a line as a terminal can show it, and the screen column of each of its characters.

    Tabs become blanks, controls are escaped; wide characters take two columns and combining ones
    none. The list has one more entry, the column after the last character.
    """
    cut = line[:MAX_SHOWN]
    if cut.isascii() and cut.isprintable():  # nearly every line
        text, columns = cut, list(range(len(cut) + 1))
    else:
        parts: list[str] = []
        columns = [0]
        for character in cut:
            part, size = _terminal_cell(character, columns[-1])
            parts.append(part)
            columns.append(columns[-1] + size)
        text = "".join(parts)
    return (text + CUT if len(line) > MAX_SHOWN else text), columns


def _terminal_cell(character: str, column: int) -> tuple[str, int]:
    """Return what a terminal is given for one character, and how many columns that takes."""
    if character == "\t":
        size = TAB - column % TAB
        return " " * size, size
    shown = escape(character)
    if shown != character:
        return shown, len(shown)
    import unicodedata

    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return shown, 0
    return shown, 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _caret_line(span: SourceRange | None, number: int, text: str, columns: Sequence[int]) -> str:
    """Return the carets below one line; "" when the range does not touch it."""
    if span is None or not span.line <= number <= span.end_line:
        return ""
    last = len(columns) - 1
    lead = next((at for at, char in enumerate(text) if not char.isspace()), 0)
    start = columns[min(span.column, last)] if number == span.line else lead
    end = columns[min(span.end_column, last)] if number == span.end_line else columns[last]
    return " " * start + MARK * (end - start) if end > start else ""


def character_column(line: str, column: int) -> int:
    """Return how many characters the first `column` bytes of a line's UTF-8 are."""
    raw = line.encode("utf-8", "surrogatepass")[:column]
    return len(raw.decode("utf-8", "ignore"))


def line_with_carets(lines: Sequence[str], number: int, span: SourceRange | None) -> Iterator[str]:
    """Yield one source line without its indentation, and the carets below it."""
    if not 1 <= number <= len(lines):
        return
    text, columns = terminal_text_and_columns(lines[number - 1])
    lead = len(text) - len(text.lstrip())
    yield text.strip()
    marks = _caret_line(span, number, text, columns)[lead:].rstrip()
    if marks and len(marks.strip()) < len(text.strip()):  # as CPython: not below the whole line
        yield marks


def highlight_python(lines: list[str], filename: str) -> list[str]:
    """Return Python source in colours, by pygments' oldest API, as GDB may bring an old version.

    Without pygments, and for files that are not Python, the lines stay as they are.
    """
    try:
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return lines
    if filename.endswith((".so", ".c", ".h")):
        return lines
    text = highlight("\n".join(lines), PythonLexer(stripnl=False), TerminalFormatter())
    coloured: list[str] = text.split("\n")[: len(lines)]
    return coloured if len(coloured) == len(lines) else lines


def source_finder(session: Session) -> SourceFinder:
    """Return the finder of sources, with the user's sysroot and the time of the core file."""
    python = session.state.required_python()
    path = getattr(session.target, "path", None)
    written_at = None
    with suppress(OSError):
        written_at = os.stat(path).st_mtime if isinstance(path, str) else None
    return SourceFinder(
        session.target, python, sysroot=session.sysroot or None, written_at=written_at
    )


def running_source_range(position: SourcePosition, lines: Sequence[str]) -> SourceRange | None:
    """Return the running range in characters. None where the core has lines only."""
    line, end_line, column, end_column = position
    if line is None or end_line is None or column is None or end_column is None:
        return None
    if not 1 <= line <= end_line <= len(lines) or (line, column) >= (end_line, end_column):
        return None
    start = character_column(lines[line - 1], column)
    return SourceRange(line, start, end_line, character_column(lines[end_line - 1], end_column))


def line_that_ran(session: Session, record: Mapping[str, Any]) -> str:
    """Return "file:line  text" of the call that an answer's sentences name.

    "" where they name none, or where its source is missing or does not fit the core. What
    may be a secret in that line is masked: people show the answer to others.
    """
    from gdb_epi.cpython.values.secrets import mask_literals
    from gdb_epi.record.redact import redact_path
    from gdb_epi.render.frame_lines import short_place
    from gdb_epi.render.triage import own_call_named_in_sentences

    call = own_call_named_in_sentences(record)
    if call is None:
        return ""
    for thread in session.state.python_threads():
        for frame in thread.frames:
            alike = frame.lineno == call.lineno and (frame.qualname or frame.name) == call.name
            if alike and redact_path(frame.filename) == call.filename:
                text, *marks = source_line_reader(session)(frame) or [""]
                masked = mask_literals(text)
                if marks and len(marks[0]) > MAX_BEFORE:  # a screen cuts the line at its end
                    start = len(marks[0]) - len(marks[0].lstrip())
                    ran = text[start : len(marks[0])]
                    place = start if masked[start:].startswith(ran) else masked.find(ran)
                    masked = f"... {masked[place:]}" if place > 0 else masked
                return f"{short_place(call)}  {masked}" if text else ""
    return ""


def truncated_mapped_file(session: Session, record: Mapping[str, Any]) -> str:
    """Return the mapped file that had no data where it was used; "" where that is not the cause.

    Records hold no paths of data: it is for the screen alone.
    """
    from gdb_epi.render.failure_places import leading_hypothesis

    account = session.state.fault_account
    if leading_hypothesis(record) != "file-ended" or isinstance(account, Absent):
        return ""
    region = session.target.region_at(account.address or 0)
    return region.path or "" if region is not None else ""


def tasks_of_hang_answer(
    session: Session, record: Mapping[str, Any]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the names and frames, innermost first, of the tasks that a hang's answer is about.

    Those of a circle, else the first. None where the answer is about no task.
    """
    hang = session.state.hang
    if (record.get("verdict") or {}).get("label") not in ("hang", "deadlock"):
        return []
    if isinstance(hang, Absent):
        return []
    about = hang.members[: None if hang.label == DEADLOCK else 1]
    addresses = [activity.task[0] for activity in about if activity.task[0]]
    if not addresses:
        return []
    from gdb_epi.record.redact import redact_path
    from gdb_epi.record.stacks import frame_json, read_tasks_and_waits

    by_address = {task.address: task for task in read_tasks_and_waits(session.state)[0].tasks}
    named = [by_address[at] for at in dict.fromkeys(addresses) if at in by_address]
    waiting: list[tuple[str, list[dict[str, Any]]]] = []
    for task in named:
        frames = [frame_json(frame) for frame in task.stack]
        for frame in frames:
            frame["filename"] = redact_path(str(frame["filename"] or ""))
        if frames:
            waiting.append((str(task.name), frames))
    return waiting


def callers_of(state: ProcessState, frame: PyFrame) -> Sequence[PyFrame]:
    """Return the frames that called a frame, the nearest first."""
    for thread in state.python_threads():
        if frame in thread.frames:
            return thread.frames[thread.frames.index(frame) + 1 :]
    return ()


def source_line_reader(session: Session) -> Callable[[PyFrame], list[str]]:
    """Return a function that gives a frame's source line, and carets below what was running.

    Only source that was checked against the core is shown; other files give no line.
    """
    if not isinstance(session.state.python, PythonState):
        return lambda frame: []
    finder = source_finder(session)

    def below(frame: PyFrame) -> list[str]:
        if frame.hole is not None or frame.lineno is None:
            return []
        source = finder.find_source(frame)
        if not isinstance(source, Source) or source.trust not in (VERIFIED, FITS):
            return []
        span = running_source_range(source.site.position, source.lines)
        text = list(line_with_carets(source.lines, frame.lineno, span))
        return [*map(SourceLine, text[:1]), *text[1:]]

    return below
