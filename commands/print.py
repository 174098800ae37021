# SPDX-License-Identifier: Apache-2.0
"""`epi print`: one object of the process, by name, by address, or by a path to it."""

from __future__ import annotations

from gdb_epi.argument_types import whole
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.expression_path import resolve_path
from gdb_epi.cpython.values.process_values import values_of
from gdb_epi.cpython.values.repr_decoder import DEPTH, LENGTH, TOTAL, WIDTH, Limits
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import Absent, InputError, SoftError, UnreadableMemory
from gdb_epi.registry import argument, command
from gdb_epi.render.variables import INEXACT, MASKED, MORE
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session


@command(
    "print",
    arguments=(
        argument(
            "expression", nargs="+", type="literal", help="NAME, ADDRESS, or a path: a.b[3]['k']"
        ),
        argument("--frame", type=whole(0), metavar="N", help="Python frame number, 0 innermost"),
        argument("--depth", type=whole(), default=DEPTH, metavar="N", help="containers within"),
        argument("--width", type=whole(), default=WIDTH, metavar="N", help="items of each"),
        argument("--length", type=whole(), default=LENGTH, metavar="N", help="characters"),
        argument("--secrets", action="store_true", help="also passwords, tokens and keys"),
    ),
)
def print_(session: Session, args: Namespace) -> Report:
    """Show one object as repr() would have, and its attributes.

    A name is looked up among the variables of the frame, its globals and the built-ins; 0x... is
    the address of an object. Without --frame it is the frame that GDB's selected frame runs, or
    else the next caller that runs one. Nothing is run: attributes and items are read from memory.
    What a name or a URL says is secret is masked; --secrets shows it.
    """
    python = session.state.required_python()
    total = max(TOTAL, 2 * args.length)
    limits = Limits(args.depth, args.width, args.length, total, args.secrets)
    values = values_of(session.target, python, limits)
    text = _unquoted(" ".join(args.expression))
    reader = FrameVariables(values)
    address = resolve_path(values.decoder(), text, lambda name: _named(session, reader, args, name))
    value = values.named(_last_name(text), address)
    is_masked = value.text.startswith("<masked ")
    about = f"  {value.type or 'unknown type'} at {address:#x}"
    about += "" if value.exact else f", {INEXACT}"
    lines = [*f"{text} = {value.text}".split("\n"), about]
    if (
        value.type not in ("type", "module") and not is_masked
    ):  # whose attributes are a namespace of their own
        attributes = dict(value.attributes) | dict(values.attributes(address))
        value = value._replace(attributes=tuple(attributes.items()))
    lines += [f"  .{name} = {shown}" for name, shown in value.attributes]
    errors = [SoftError("print", text, MORE)] if value.cut else []
    if "<masked " in value.shown():
        errors.append(SoftError("print", text, MASKED))
    data = {
        "expression": text,
        "address": f"0x{address:016x}",
        **value._asdict(),
        "attributes": dict(value.attributes),
    }
    return Report(text, lines=lines, data=data, soft_errors=errors)


def _last_name(text: str) -> str:
    """Return the name under which a path's value is held: that of `a.b['key'][0]` is key."""
    names = [word for word in text.replace("[", ".").split(".") if word.strip("0123456789- ]")]
    return names[-1] if names and not text.startswith("0x") else ""


def _unquoted(text: str) -> str:
    """Return a path without the quotes around all of it, as they are written in shells."""
    quote = text[:1]
    if quote in ("'", '"') and len(text) > 2 and text[-1] == quote and quote not in text[1:-1]:
        return text[1:-1]
    return text


def _named(session: Session, reader: FrameVariables, args: Namespace, name: str) -> int | None:
    frame = _frame(session, args.frame)
    if frame is None:
        return None
    try:
        address = dict(reader.addresses(frame)).get(name)
        return reader.outer(frame, name) if address is None else address
    except UnreadableMemory as error:
        raise InputError(f"{name}: {error}", hint="epi doctor") from None


def _frame(session: Session, number: int | None) -> PyFrame | None:
    state = session.state
    tid = session.chosen_tid()
    thread = state.python_thread(tid) if tid is not None else None
    if thread is None or isinstance(state.python, Absent):
        return None
    return session.frame_or_hole(number)
