# SPDX-License-Identifier: Apache-2.0
"""`epi locals`: arguments, locals, cells and free variables of one Python frame."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.argument_types import whole_number
from gdb_epi.cpython.values.repr_decoder import DEPTH, LENGTH, WIDTH
from gdb_epi.cpython.values.secrets import MASKED
from gdb_epi.cpython.values.variables import FrameVariables, Variable
from gdb_epi.errors import Absent, InputError, SoftError
from gdb_epi.registry import argument, command
from gdb_epi.render.merged_stacks import place_text
from gdb_epi.render.variables import (
    LIMIT_OPTIONS,
    MASKED_NOTE,
    MAX_VALUE_LINES,
    MORE,
    parse_limit_options,
    variable_lines,
)
from gdb_epi.report import Report
from gdb_epi.session import Session


@command(
    "locals",
    arguments=(
        argument("frame", nargs="?", type=whole_number(0), help="Python frame number, 0 innermost"),
        argument("--frame", type=whole_number(0), dest="number", metavar="N", help="the same"),
        argument("--globals", action="store_true", help="also the globals of the frame"),
        *LIMIT_OPTIONS,
    ),
    shows_values=True,
)
def show_locals(session: Session, args: Namespace) -> Report:
    """Show the arguments and local variables of a Python frame.

    Works on the selected thread, else on the crashed one. Without a number it is the frame that
    GDB's selected frame runs, or else the next caller that runs one. Unbound names are left out.
    A value that cannot be decoded for sure is marked, never guessed. What a name or a URL says is
    secret is masked; --secrets shows it.
    """
    frame = session.python_frame(args.number if args.frame is None else args.frame)
    number = session.number_of_python_frame(frame)
    which = "frame" if number is None else f"frame {number}"
    reader = requested_variables_reader(session, args)
    variables = reader.variables_of_frame(frame)
    if isinstance(variables, Absent):
        raise InputError(f"{which}: {variables.detail}", hint="another frame")
    if args.globals:
        names = reader.visible_globals(frame)
        variables = variables + ([] if isinstance(names, Absent) else names)
    title = place_text(frame)
    # Whoever says how much of a value to show gets as much.
    is_default = (args.depth, args.width, args.length) == (DEPTH, WIDTH, LENGTH)
    lines = (
        [title, *variable_lines(variables, MAX_VALUE_LINES if is_default else None)]
        if variables
        else [title, "  (no locals; --globals shows the names of a module)"]
    )
    errors = []
    if any(line.endswith(" ...") for line in lines):
        errors.append(
            SoftError("locals", which, "three dots: epi print NAME shows the whole value")
        )
    if any(variable.cut for variable in variables):
        errors.append(SoftError("locals", which, MORE))
    if any(MASKED in variable.text_with_attributes() for variable in variables):
        errors.append(SoftError("locals", which, MASKED_NOTE))
    document = {
        "frame": number,
        "name": frame.name,
        "filename": frame.filename,
        "lineno": frame.lineno,
        "variables": [variable_json(variable) for variable in variables],
    }
    return Report(title, lines=lines, data=document, soft_errors=errors)


def variable_json(variable: Variable) -> dict[str, object]:
    """Return one variable."""
    return {**variable._asdict(), "attributes": dict(variable.attributes)}


def requested_variables_reader(session: Session, args: Namespace) -> FrameVariables:
    """Return the reader of variables, with the limits that were asked for."""
    return FrameVariables(session.values(parse_limit_options(args)))
