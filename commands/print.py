# SPDX-License-Identifier: Apache-2.0
"""`epi print`: one object of the process, by name, by address, or by a path to it."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.argument_types import whole_number
from gdb_epi.cpython.values.repr_decoder import DecodedValue
from gdb_epi.cpython.values.secrets import MASKED
from gdb_epi.errors import Absent, InputError, SoftError
from gdb_epi.registry import argument, command
from gdb_epi.render.variables import (
    INEXACT,
    LIMIT_OPTIONS,
    MASKED_NOTE,
    MORE,
    parse_limit_options,
    value_lines,
)
from gdb_epi.report import Report
from gdb_epi.session import Session


@command(
    "print",
    arguments=(
        argument(
            "expression",
            nargs="+",
            type="literal",
            completes="names",
            help="NAME, module.NAME, ADDRESS, an expression of GDB, or a path: a.b[3]['k']",
        ),
        argument(
            "--frame", type=whole_number(0), metavar="N", help="Python frame number, 0 innermost"
        ),
        *LIMIT_OPTIONS,
    ),
    shows_values=True,
)
def print_object(session: Session, args: Namespace) -> Report:
    """Show one object as repr() would have, and its attributes.

    A name is looked up among the variables of the frame, its globals and the built-ins, then in
    sys.modules: json.JSONDecoder. Without --frame the frame is the one that GDB's selected frame
    runs, or else the next caller that runs one. What is no name of Python is an expression of GDB:
    $rdi, a variable of C, *(PyObject **)p, 0x7f12. Behind either, .name and [key] follow Python,
    -> follows C. Nothing is run: attributes and items are read from memory.
    What a name or a URL says is secret is masked; --secrets shows it.
    """
    from gdb_epi.expressions import locate_object, render_value

    values = session.values(parse_limit_options(args))
    text = _strip_quotes(" ".join(args.expression))
    address, struct = locate_object(session, values, text, args.frame)
    if struct:
        return _c_struct_report(session, text, struct, address)
    value = render_value(session, values, text, address)
    is_masked = value.text.startswith(MASKED)
    about = f"  {value.type or 'unknown type'} at {address:#x}"
    about += "" if value.exact or not value.type else f", {INEXACT}"
    lines = []
    for line in f"{text} = {value.text}".split("\n"):
        lines += value_lines(line, most=None)
    lines.append(about)
    # The attributes of a type or module are a namespace of their own.
    if value.type not in ("type", "module") and not is_masked:
        attributes = dict(value.attributes) | dict(values.attributes(address))
        value = value._replace(attributes=tuple(attributes.items()))
    if value.type:  # what is no object has no attributes that could not be read
        for name, shown in value.attributes:
            line = f"  {name if name == '...' else f'.{name} ='} {shown}"
            lines += value_lines(line, most=None)
    errors = [SoftError("print", text, MORE)] if value.cut else []
    if MASKED in value.text_with_attributes():
        errors.append(SoftError("print", text, MASKED_NOTE))
    document = {
        "expression": text,
        "address": f"0x{address:016x}",
        **value._asdict(),
        "attributes": dict(value.attributes),
    }
    return Report(text, lines=lines, data=document, soft_errors=errors)


def _c_struct_report(session: Session, text: str, struct: str, address: int) -> Report:
    """Return what a C struct of CPython is."""
    from gdb_epi.render.c_structs import describe_c_struct

    shown = describe_c_struct(session.state, struct, address)
    if isinstance(shown, Absent):
        raise InputError(f"{text}: {shown.detail}", hint=f"print {text}")
    document = {
        "expression": text,
        "address": f"0x{address:016x}",
        **DecodedValue(struct, shown, cut=False, exact=False)._asdict(),
        "attributes": {},
    }
    lines = [f"{text} = {shown}", f"  {struct} at {address:#x}"]
    return Report(text, lines=lines, data=document)


def _strip_quotes(text: str) -> str:
    """Return a path without the quotes around all of it, as they are written in shells."""
    quote = text[:1]
    if quote in ("'", '"') and len(text) > 2 and text[-1] == quote and quote not in text[1:-1]:
        return text[1:-1]
    return text
