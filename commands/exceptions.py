# SPDX-License-Identifier: Apache-2.0
"""`epi exceptions`: what each thread was raising or handling."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from gdb_epi.cpython.running.exceptions import ExceptionInfo, RaisedException
from gdb_epi.cpython.running.tasks import read_asyncio_tasks
from gdb_epi.cpython.running.tracebacks import Traceback
from gdb_epi.errors import Absent, SoftError
from gdb_epi.record.stacks import note_secrets_in_variables, raised_exception_json, read_exceptions
from gdb_epi.registry import argument, command, limit_argument
from gdb_epi.render.merged_stacks import nothing_found_line, thread_title, traceback_line_of_frame
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.util import counted


@command(
    "exceptions",
    arguments=(
        argument("--messages", action="store_true", help="also messages, arguments and notes"),
        limit_argument(40, "lines per traceback"),
    ),
    shows_values=True,
)
def show_exceptions(session: Session, args: Namespace) -> Report:
    """Show the exceptions raised or handled in each thread.

    In flight is what was raised and has not met its handler when the process died; reported is what
    nobody caught: it is being printed, or sys.excepthook or unraisablehook has it. With each come
    its cause, context and group members, with tracebacks, innermost call last as Python prints
    them; last, what tasks of asyncio ended with. Texts may hold any value of the process, so they
    are shown only with --messages.
    """
    state = session.state
    lines: list[str] = []
    threads = []
    errors: list[SoftError] = []
    if args.messages:
        note_secrets_in_variables(state)
    python = state.required_python()
    for thread in read_exceptions(state, messages=args.messages):
        errors += thread.soft_errors
        if not thread.all_raised():
            continue
        lines.append(thread_title(state, thread.thread.tid, thread.thread))
        for raised in thread.all_raised():
            lines += [f"  {line}" for line in _exception_lines(raised, limit=max(args.limit, 2))]
        lines.append("")
        raised_here = [raised_exception_json(raised) for raised in thread.all_raised()]
        threads.append(
            {"tid": thread.thread.tid, "name": thread.thread.name, "exceptions": raised_here}
        )
    tasks, missing = read_asyncio_tasks(state.target, python)
    errors += missing
    failed = [task for task in tasks if task.failure]
    for task in failed:
        name = f"{task.address:#x}" if isinstance(task.name, Absent) else task.name
        lines.append(f"task {name} failed: {task.failure}")
    lines += [""] if failed else []
    lines = lines[:-1] or [
        nothing_found_line(state, "no thread raises or handles an exception", errors)
    ]
    errors += state.python_soft_errors()
    return Report("exceptions", lines=lines, data={"threads": threads}, soft_errors=errors)


def _exception_lines(raised: RaisedException, *, limit: int) -> Iterator[str]:
    """Yield the lines of an exception and of all that it leads to."""
    numbers = {exception.address: number for number, exception in enumerate(raised.exceptions)}
    for number, exception in enumerate(raised.exceptions):
        mark = f"{raised.state}: " if number == 0 else f"[{number}] "
        kind, message = exception.type, exception.message
        title = f"(no type: {kind.detail})" if isinstance(kind, Absent) else kind
        if isinstance(message, Absent):
            yield mark + title
            if not isinstance(exception.args, Absent):
                yield f"    args: {exception.args} (no message: {message.detail})"
        else:
            yield mark + (f"{title}: {message}" if message else title)
        if not isinstance(exception.notes, Absent):
            yield from (f"    note: {note}" for note in exception.notes)
        for line in (
            *_relation_lines(exception, numbers),
            *_traceback_lines(exception.traceback, limit),
        ):
            yield f"    {line}"


def _relation_lines(exception: ExceptionInfo, numbers: dict[int, int]) -> Iterator[str]:
    def number_text(address: int) -> str:
        index = numbers.get(address)
        return "(left out)" if index is None else "the first above" if not index else f"[{index}]"

    if exception.cause:
        yield f"caused by {number_text(exception.cause)}"
    if exception.context and exception.context != exception.cause:
        hidden = " (suppressed)" if exception.suppress_context else ""
        yield f"raised while handling {number_text(exception.context)}{hidden}"
    if exception.member_count:
        members = [number_text(member) for member in exception.members]
        more = exception.member_count - len(members)
        yield f"a group of {', '.join(members)}" + (f" and {more} more" if more else "")


def _traceback_lines(traceback: Traceback | Absent, limit: int) -> Iterator[str]:
    if isinstance(traceback, Absent):
        yield f"({traceback.detail})"
        return
    lines = [traceback_line_of_frame(line) for line in traceback.lines]
    if traceback.left_out:  # out of the middle
        middle = (len(lines) + 1) // 2
        lines.insert(middle, f"... not decoded: {counted(traceback.left_out, 'line')}")
    if len(lines) > limit:
        half = limit // 2
        lines[half:-half] = [f"... {counted(len(lines) - 2 * half, 'more line')} (--limit N)"]
    yield from lines
    if traceback.broken:
        yield f"(the traceback ends here: {traceback.broken})"
