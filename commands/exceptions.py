# SPDX-License-Identifier: Apache-2.0
"""`epi exceptions`: what each thread was raising or handling."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.running.exceptions import ExceptionInfo, Raised
from gdb_epi.cpython.running.tracebacks import Traceback, TracebackLine
from gdb_epi.errors import Absent, SoftError
from gdb_epi.record.stacks import exceptions_of, raised_json
from gdb_epi.registry import argument, command
from gdb_epi.render.stack import nothing_found, thread_title
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session


@command(
    "exceptions",
    arguments=(
        argument("--messages", action="store_true", help="also messages, arguments and notes"),
        argument("--limit", type=int, default=40, metavar="N", help="lines per traceback (40)"),
    ),
)
def exceptions(session: Session, args: Namespace) -> Report:
    """Show the exceptions of each thread: in flight and being handled.

    In flight is what was raised and has not met its handler when the process died. With each come
    its cause, context and group members, with tracebacks, innermost call last as Python prints
    them. Texts may hold any value of the process, so they are shown only with --messages.
    """
    state = session.state
    lines: list[str] = []
    data = []
    errors: list[SoftError] = []
    if isinstance(state.python, Absent):
        errors.append(SoftError("python", "runtime", state.python.detail))
    for one in exceptions_of(state, messages=args.messages):
        errors += one.soft_errors
        if not one.all():
            continue
        lines.append(thread_title(state, one.thread.tid, one.thread))
        for raised in one.all():
            lines += [f"  {line}" for line in _raised(raised, limit=max(args.limit, 2))]
        lines.append("")
        told = [raised_json(raised) for raised in one.all()]
        data.append({"tid": one.thread.tid, "name": one.thread.name, "exceptions": told})
    lines = lines[:-1] or [nothing_found(state, "no thread raises or handles an exception", errors)]
    errors += state.python_soft_errors()
    notes = [error._asdict() for error in errors]
    document = {"threads": data, "soft_errors": notes}
    return Report("exceptions", lines=lines, data=document, soft_errors=errors)


def _raised(raised: Raised, *, limit: int) -> Iterator[str]:
    """Yield the lines of an exception and of all that it leads to."""
    numbers = {one.address: number for number, one in enumerate(raised.exceptions)}
    for number, one in enumerate(raised.exceptions):
        mark = f"{raised.state}: " if number == 0 else f"[{number}] "
        yield mark + _title(one)
        for line in (*_texts(one), *_relations(one, numbers), *_traceback(one, limit=limit)):
            yield f"    {line}"


def _title(one: ExceptionInfo) -> str:
    name = f"(no type: {one.type.detail})" if isinstance(one.type, Absent) else one.type
    if isinstance(one.message, Absent) or not one.message:
        return name
    return f"{name}: {one.message}"


def _texts(one: ExceptionInfo) -> Iterator[str]:
    if isinstance(one.message, Absent) and not isinstance(one.args, Absent):
        yield f"args: {one.args} (no message: {one.message.detail})"
    if not isinstance(one.notes, Absent):
        yield from (f"note: {note}" for note in one.notes)


def _relations(one: ExceptionInfo, numbers: dict[int, int]) -> Iterator[str]:
    def number(address: int) -> str:
        found = numbers.get(address)
        return "(left out)" if found is None else "the first above" if not found else f"[{found}]"

    if one.cause:
        yield f"caused by {number(one.cause)}"
    if one.context and one.context != one.cause:
        hidden = " (suppressed)" if one.suppress_context else ""
        yield f"raised while handling {number(one.context)}{hidden}"
    if one.member_count:
        known = [number(member) for member in one.members]
        more = one.member_count - len(known)
        yield f"a group of {', '.join(known)}" + (f" and {more} more" if more else "")


def _traceback(one: ExceptionInfo, *, limit: int) -> Iterator[str]:
    found = one.traceback
    if isinstance(found, Absent):
        yield f"({found.detail})"
        return
    lines = list(_lines(found))
    if len(lines) > limit:
        half = limit // 2
        lines[half:-half] = [f"... {counted(len(lines) - 2 * half, 'more line')} (--limit N)"]
    yield from lines
    if found.broken:
        yield f"(the traceback ends here: {found.broken})"


def _lines(found: Traceback) -> Iterator[str]:
    half = (len(found.lines) + 1) // 2 if found.left_out else len(found.lines)
    yield from map(_line, found.lines[:half])
    if found.left_out:
        yield f"... not decoded: {counted(found.left_out, 'line')}"
        yield from map(_line, found.lines[half:])


def _line(line: TracebackLine) -> str:
    if line.hole is not None:
        return f"[hole: {line.hole}]"
    return f'File "{line.filename}", line {line.lineno or "?"}, in {line.qualname or line.name}'
