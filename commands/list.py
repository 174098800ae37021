# SPDX-License-Identifier: Apache-2.0
"""`epi list`: the source around the line that a Python frame was running."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.argument_types import whole_number
from gdb_epi.cpython.source.finder import (
    CONTRADICTED,
    FITS,
    UNCHECKED,
    VERIFIED,
    Source,
    SourceNotFound,
)
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import InputError, SoftError
from gdb_epi.registry import argument, command
from gdb_epi.render.merged_stacks import place_text
from gdb_epi.render.source_lines import callers_of, running_source_range, source_finder
from gdb_epi.report import Report, SourceListing
from gdb_epi.session import Session
from gdb_epi.typing_lite import Any

MAX_CONTEXT = 1000
MAX_SPAN_LINES = 50  # lines of a running range that are shown beyond the context


@command(
    "list",
    arguments=(
        argument("frame", nargs="?", type=whole_number(0), help="Python frame number, 0 innermost"),
        argument(
            "--context",
            type=whole_number(0),
            default=5,
            metavar="N",
            help="lines before and after (5)",
        ),
        argument("--force", action="store_true", help="show a file even when it does not fit"),
    ),
    shows_values=True,
)
def list_source(session: Session, args: Namespace) -> Report:
    """Show the source around the line that a Python frame was running.

    Works on the selected thread, else on the crashed one. Without a number it is the frame that
    GDB's selected frame runs, or else the next caller that runs one. The file here (below the
    sysroot) is compared with the cached bytecode and with the code in the core; else the text comes
    from what the process itself held: linecache, the -c argument, the string given to exec(). A
    note says which text it is, and whether it is the one that ran; --json has what was checked. A
    file that contradicts the core is not shown.
    """
    frame = session.python_frame(args.frame)
    finder = source_finder(session)
    source = finder.find_source(frame, callers_of(session.state, frame), force=args.force)
    if isinstance(source, SourceNotFound):
        hint = "set sysroot DIR, with the source that ran; --force shows what does not fit"
        raise InputError(f"no source of {frame.filename}: {source.absent.detail}", hint=hint)
    line = frame.lineno or 1
    if line > len(source.lines):
        raise InputError(
            f"{source.where} has {len(source.lines)} lines, but line {line} was running"
        )
    around = min(args.context, MAX_CONTEXT)
    span = running_source_range(source.site.position, source.lines)
    end = min(span.end_line, line + MAX_SPAN_LINES) if span else line
    first = max(1, line - around)
    shown = list(source.lines[first - 1 : max(end, line) + around])
    return Report(
        place_text(frame._replace(lineno=line)),
        data={
            "filename": frame.filename,
            "first": first,
            "current": line,
            "lines": shown,
            "range": None if span is None else span._asdict(),
            "position": source.site.position._asdict(),
            "source": describe_source(source),
        },
        soft_errors=_source_cautions(frame, source),
        listing=SourceListing(frame.filename, first, line, shown, span),
    )


def describe_source(source: Source) -> dict[str, Any]:
    """Return which text it is and what was checked."""
    return {
        "where": source.where,
        "trust": source.trust,
        "checks": list(source.checks),
        "encoding": source.encoding,
    }


def _source_cautions(frame: PyFrame, source: Source) -> list[SoftError]:
    trust = {
        VERIFIED: "it is the text that ran",
        FITS: "it fits the code in the core",
        UNCHECKED: "too little of its code is known to tell whether this is the text that ran",
        CONTRADICTED: "NOT the text that ran: it contradicts the core",
    }[source.trust]
    if source.trust in (UNCHECKED, CONTRADICTED):
        trust = "; ".join([trust, *(check.removeprefix("text: ") for check in source.checks)])
    name = frame.filename.rpartition("/")[2]
    return [SoftError("source", name, f"{source.where}: {trust}")]
