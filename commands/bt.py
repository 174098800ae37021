# SPDX-License-Identifier: Apache-2.0
"""`epi bt`: the merged native and Python stack of one thread, or of all."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

from gdb_epi.argument_types import argument_error, whole_number
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.repr_decoder import ReprLimits
from gdb_epi.errors import Absent, InputError, SoftError
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import (
    add_called_functions,
    frame_variables_reader,
    merged_stack_json,
    note_secrets_in_variables,
    stacks_json,
    thread_states_of_stacks_json,
)
from gdb_epi.registry import argument, command, limit_argument
from gdb_epi.render.merged_stacks import ALL, FOLDED, NATIVE, stack_lines, thread_title
from gdb_epi.render.python_stacks import python_stack_lines
from gdb_epi.render.variables import value_lines, variable_text
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.target.api import target_noun

# One line for each variable; the JSON form has them at length.
LINE_LIMITS = ReprLimits(depth=3, width=20, length=200, total=400)
FULL = "full"


def _parse_line_count_or_full(text: str) -> int | str:
    """Return a number of lines, or FULL; GDB takes both with a dash."""
    if text.removeprefix("-") == FULL:
        return FULL
    if text.removeprefix("-").isdecimal() and int(text):
        return int(text)
    raise argument_error(text, "is no number of lines (5, -5) and not `full'")


@command(
    "bt",
    arguments=(
        argument(
            "which",
            nargs="*",
            type=_parse_line_count_or_full,
            help="N: the innermost lines; -N: the outermost; full: --locals",
        ),
        argument("--all", action="store_true", help="every thread, not only the selected one"),
        argument(
            "--python",
            action="store_true",
            help="Python frames alone, of every thread; alike ones once",
        ),
        argument("--native", action="store_true", help="every native frame, none folded away"),
        argument(
            "--native-all",
            action="store_true",
            help="--native of every thread, with addresses and what each place rests on",
        ),
        argument("--locals", action="store_true", help="also the values of locals"),
        argument("--secrets", action="store_true", help="of values: passwords and keys too"),
        argument("--source", action="store_true", help="also source lines that fit the core"),
        argument(
            "--depth", type=whole_number(), metavar="N", help="of values: containers within (3)"
        ),
        argument("--width", type=whole_number(), metavar="N", help="of values: items of each (20)"),
        argument("--length", type=whole_number(), metavar="N", help="of values: characters (200)"),
        limit_argument(100, "lines per thread"),
    ),
    shows_values=True,
)
def show_merged_stacks(session: Session, args: Namespace) -> Report:
    """Show native and Python frames together, innermost first.

    The number of a Python frame is what `epi frame`, `locals`, `list` and `print --frame` take.
    `epi bt 5` shows the innermost five lines, `epi bt -5` the outermost, `epi bt full` the locals.

    Python frames stand below the native call of the bytecode loop that runs them. A frame that
    cannot be decoded is shown as a hole with the reason. Frames of CPython's own machinery are
    folded away unless --native is given. --native-all shows all there is: every thread, also those
    that run no Python, pc and stack pointer of every native frame, the eval loop's frames, and
    what the place of the Python frames rests on (entry-frame, cframe: a structure of the eval loop
    that lies in its native frame, a proof; frame-pointers, symbol: told by them). "calling" names
    the C function that a Python frame was calling, where a callable on its value stack runs the
    function of a native frame, or else the symbol of that native frame.
    """
    state = session.state
    args.limit, outermost, full = _requested_lines(args)
    args.locals = args.locals or full
    every = args.all or args.native_all or args.python
    detail = ALL if args.native_all else NATIVE if args.native else FOLDED
    chosen = session.chosen_tid()
    if not every and chosen is None:
        raise InputError(
            f"no thread in this {target_noun(state.target.kind)}", hint="try: epi doctor"
        )
    tids = [thread.tid for thread in state.target.threads()]
    if not every and chosen is not None:
        tids = [chosen]
    if args.python:
        return _python_stacks_report(session, args)
    lines: list[str] = []
    below = _lines_below_frame(session, args)
    limit = args.limit
    callees = {tid: state.callees(tid) for tid in tids}
    for tid in tids:
        lines.append(thread_title(state, tid, number=session.host_thread_number(tid)))
        stack, calls = state.stack(tid), callees[tid]
        lines += stack_lines(
            stack, detail=detail, limit=limit, below=below, callees=calls, outermost=outermost
        )
        lines.append("")
    ghosts = [t for t in state.python_threads() if not t.alive] if every else []
    for thread in ghosts:
        lines.append(thread_title(state, thread.tid, thread))
        lines += stack_lines(
            state.stack_of_thread_without_lwp(thread), detail=detail, limit=limit, below=below
        )
        lines.append("")
    if every:
        lines += _vanished_thread_lines(state, limit)
    wanted = None if every else tids
    document = stacks_json(state, locals=args.locals, secrets=args.secrets, tids=wanted)
    for thread_data in document["threads"]:
        if thread_data["tid"] in tids and thread_data["alive"]:
            tid = thread_data["tid"]
            thread_data["merged"] = merged_stack_json(state.stack(tid), callees[tid])
    add_called_functions(thread_states_of_stacks_json(state, wanted), document["threads"], callees)
    document["native_threads"] = [
        {"tid": tid, "merged": merged_stack_json(state.stack(tid))}
        for tid in tids
        if state.python_thread(tid) is None
    ]
    errors = [SoftError(**error) for error in document["soft_errors"]]
    return Report("bt", lines=lines[:-1], data=document, soft_errors=errors)


def _python_stacks_report(session: Session, args: Namespace) -> Report:
    """Return what `gdb-epi stacks` shows of a core: threads with one stack stand together."""
    state = session.state
    python = state.required_python()
    if args.locals:
        lines, below = [], _lines_below_frame(session, args)
        for thread in python.threads():
            lines += ["", thread_title(state, thread.tid, thread)]
            stack = state.stack_of_thread_without_lwp(thread)._replace(native=None)
            lines += stack_lines(stack, detail=FOLDED, limit=args.limit, below=below)
        lines = lines[1:]
    else:
        lines = python_stack_lines(python, session.target.crash(), None)
    document = stacks_json(state, locals=args.locals, secrets=args.secrets)
    errors = [SoftError(**error) for error in document["soft_errors"]]
    return Report("bt", lines=lines, data=document, soft_errors=errors)


def _requested_lines(args: Namespace) -> tuple[int, bool, bool]:
    """Return how many lines, whether the outermost ones, and whether with locals."""
    words = getattr(args, "which", ())
    count = next((word for word in words if word is not FULL), args.limit)
    return abs(count), count < 0, FULL in words


def _vanished_thread_lines(state: ProcessState, limit: int) -> list[str]:
    """Return the threads that a fork left behind; those with a thread state are ghosts above."""
    from gdb_epi.render.vanished_threads import vanished_lines

    gone = state.fork_facts.vanished
    rest = tuple(thread for thread in gone.threads if thread.how != "thread state")
    return vanished_lines(gone._replace(threads=rest), limit=limit)


def _lines_below_frame(session: Session, args: Namespace) -> Callable[[PyFrame], list[str]] | None:
    """Return what gives the lines under a Python frame: its source, its variables."""
    parts: list[Callable[[PyFrame], list[str]]] = []
    if getattr(args, "source", False):
        from gdb_epi.render.source_lines import source_line_reader

        parts.append(source_line_reader(session))
        note_secrets_in_variables(session.state)
    if args.locals:
        # What is shown of each value: one line, unless more was asked for.
        asked = {n: getattr(args, n) for n in ("depth", "width", "length") if getattr(args, n)}
        longer = LINE_LIMITS._replace(total=1 << 20) if asked else LINE_LIMITS
        parts.append(_locals_below(session.state, longer._replace(secrets=args.secrets, **asked)))
    if not parts:
        return None
    return lambda frame: [line for part in parts for line in part(frame)]


def _locals_below(state: ProcessState, limits: ReprLimits) -> Callable[[PyFrame], list[str]]:
    """Return a function that gives the lines of a frame's variables."""
    reader = frame_variables_reader(state, limits)
    shown: set[str] = set()

    def lines_of_locals(frame: PyFrame) -> list[str]:
        variables = reader if isinstance(reader, Absent) else reader.variables_of_frame(frame)
        if isinstance(variables, Absent):
            return [] if frame.hole is not None else [f"(no locals: {variables.detail})"]
        texts = [variable_text(variable, shown) for variable in variables]
        return [line for text in texts for line in value_lines(text, indent=9, most=None)]

    return lines_of_locals
