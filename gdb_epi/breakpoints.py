# SPDX-License-Identifier: Apache-2.0
"""Breakpoints in Python code: what a user's words mean, and the report about the breakpoint."""

from __future__ import annotations

import re

from gdb_epi.cpython.frames.breakpoint_locations import (
    BreakpointLocation,
    find_entry_location,
    find_line_location,
)
from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.context import Undecodable
from gdb_epi.cpython.values.expression_path import follow_steps
from gdb_epi.cpython.values.repr_decoder import ReprDecoder
from gdb_epi.errors import InputError, LayoutError, UnreadableMemory, UsageError
from gdb_epi.expressions import locate_object
from gdb_epi.locks.python.call_sites import read_name_tuple
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.target.api import LIVE
from gdb_epi.target.memory_search import OutOfTime

MAX_WRAPPERS = 20
_LINE = re.compile(r"(?P<file>.+):(?P<line>\d{1,9})\Z", re.DOTALL)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_BARE_NAME = re.compile(r"(?<![\w$.>])[A-Za-z_]\w*")  # no convenience variable, no member
IMPORTED_LATER = "let it run until the module is imported, then again"


def set_breakpoint(session: Session, words: list[str], *, temporary: bool) -> Report:
    """Stop the process where a function is entered or a line is reached, and say so.

    Raises InputError where that is not possible, with the reason, and UsageError.
    """
    text, _, condition = (" ".join(words) + " ").partition(" if ")
    text, condition = text.strip(), condition.strip()
    if not text or (not condition and words[-1:] == ["if"]):
        raise UsageError("a function or FILE:LINE is missing", hint="help epi break")
    if session.target.kind != LIVE or session.host is None:
        raise InputError("a core does not run", hint="attach PID, or run the program in GDB")
    python = session.state.required_python()
    try:
        place = _parse_location(session, text)
        _refuse_python_names(session, place, condition)
    except (LayoutError, UnreadableMemory, Undecodable) as error:
        raise InputError(f"cannot stop at {text}: {error}") from None
    number = session.host.set_python_breakpoint(python, place, condition, temporary=temporary)
    kind = "Temporary Python breakpoint" if temporary else "Python breakpoint"
    lines = [f"{kind} {number}: {place.name} at {place.where}"]
    lines += [f"  {place.note}"] if place.note else []
    document = {
        "number": number,
        "name": place.name,
        "filename": place.filename,
        "line": place.line,
        "condition": condition or None,
        "temporary": temporary,
        "address": f"0x{place.address:016x}",
        "note": place.note or None,
    }
    return Report("breakpoint", lines=lines, data=document)


def _refuse_python_names(session: Session, place: BreakpointLocation, condition: str) -> None:
    """Raise UsageError where a condition, which GDB evaluates, names what only Python has.

    Else each call would stop the process, to say that GDB does not know the name.
    """
    reader = session.values().context.reader
    tables = ("co_names", "co_varnames", "co_localsplusnames", "co_freevars", "co_cellvars")
    names = {name for table in tables for name in read_name_tuple(reader, place.code, table)}
    for name in _BARE_NAME.findall(_QUOTED.sub("", condition)):
        if name not in names:
            continue
        try:
            assert session.host is not None
            session.host.evaluate(name)
        except InputError:
            what = f"{name} is a variable of Python, and GDB evaluates the condition"
            hint = f'epi break {place.name} if $_streq($epi_repr("{name}"), "10")'
            raise UsageError(what, hint=hint) from None


def _parse_location(session: Session, text: str) -> BreakpointLocation:
    values = session.values()
    codes = CodeReader(values.context.reader)
    line = _LINE.match(text)
    if line is None:
        located = locate_object(session, values, text)
        if located.c_struct:
            raise InputError(f"{text} is no function of Python", hint=f"break {text}")
        return find_entry_location(
            codes, _code_of_callable(values.decoder(), located.address, text)
        )
    try:
        return find_line_location(
            codes, _all_code_objects(session), line["file"], int(line["line"])
        )
    except LookupError as error:
        raise InputError(str(error), hint=IMPORTED_LATER) from None
    except OutOfTime:
        raise InputError(
            "the code objects were not found in time", hint="a function's name"
        ) from None


def _code_of_callable(decoder: ReprDecoder, address: int, text: str) -> int:
    """Return the code object (PyCodeObject *) that a callable runs.

    A function that functools.wraps() has put around another one stands for that one.
    """
    for _ in range(MAX_WRAPPERS):
        kind = decoder.ident(address)
        try:
            address = follow_steps(decoder, address, f"{text}.__wrapped__", len(text))
            continue
        except InputError:
            pass
        if kind == "method":
            address = decoder.field(address, "PyMethodObject", "im_func")
        elif kind in ("classmethod", "staticmethod"):
            address = decoder.word(decoder.obj(address), 0)
        elif kind == "function":
            return decoder.field(address, "PyFunctionObject", "func_code")
        elif kind == "code":
            return address
        else:
            break
    shown = decoder.obj(address).type
    raise _not_a_function_error(text, shown)


def _not_a_function_error(text: str, kind: TypeInfo) -> InputError:
    if kind.qualified_name == "type":
        return InputError(f"{text} is a class", hint=f"epi break {text}.__init__")
    in_c = "builtin" in kind.qualified_name or kind.qualified_name in (
        "method_descriptor",
        "wrapper_descriptor",
    )
    hint = (
        "break, with the name that it has in C" if in_c or "cython" in kind.qualified_name else ""
    )
    return InputError(f"{text} is of type {kind.qualified_name}: no function of Python", hint=hint)


def _all_code_objects(session: Session) -> list[int]:
    """Return the code objects of the process. Raises OutOfTime, LayoutError."""
    python = session.state.required_python()
    heap = ObjectSearch(session.target, python)
    kinds = [info for info in heap.types_by_address().values() if info.qualified_name == "code"]
    return [address for info in kinds for address, _ in heap.objects_of_type(info.address)]
