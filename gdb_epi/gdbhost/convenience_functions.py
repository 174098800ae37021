# SPDX-License-Identifier: Apache-2.0
"""`$epi_repr(p)` and its kin: functions for GDB's expressions and conditions of breakpoints.

Imported by `source gdb_epi`: modules that only a call needs are imported by the call. Without
debug information of Python an object is an integer, its address.
"""

from __future__ import annotations

from collections.abc import Callable

import gdb

from gdb_epi.typing_lite import TYPE_CHECKING, Any
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.cpython.types import PyFrame

MAX_ARGUMENT = 4096  # characters of a name


class _EpiFunction(gdb.Function):  # type: ignore[misc]
    def __init__(self, name: str, answer: Callable[..., Any]) -> None:
        # Without indentation; inspect.cleandoc costs 5 ms.
        self.__doc__ = "\n".join(map(str.strip, (answer.__doc__ or "").split("\n")))
        self._name = name
        self._answer = answer
        super().__init__(name)

    def invoke(self, *arguments: gdb.Value) -> Any:
        """Answer, or raise GdbError in one line."""
        from gdb_epi.errors import EpiError
        from gdb_epi.gdbhost.output import gdb_error, in_host_charset
        from gdb_epi.render.escape import escape

        wanted = self._answer.__code__.co_argcount
        if len(arguments) != wanted:
            raise gdb_error(f"${self._name} takes {counted(wanted, 'argument')}")
        try:
            answer = self._answer(*arguments)
            return in_host_charset(escape(answer)) if isinstance(answer, str) else answer
        except EpiError as error:
            raise gdb_error(error.one_line_text()) from None


def epi_repr(p: gdb.Value) -> Any:
    """$epi_repr(P): the object at P as repr() shows it, a string.

    P is a pointer, an address as an integer, or a name as a string: $epi_repr("self.name").
    Nothing of the process is run.
    """
    return _decode_argument(p)[0]


def epi_type(p: gdb.Value) -> Any:
    """$epi_type(P): the name of the type of the object at P, a string; P as for $epi_repr."""
    return _decode_argument(p)[1]


def epi_local(name: gdb.Value) -> Any:
    """$epi_local("NAME"): where the object lies that a name of the selected Python frame refers to.

    It is a PyObject *, or an integer without debug information of Python. NAME may be a path or of
    a module: $epi_local("self.parts[0]"), $epi_local("json.decoder").
    """
    from gdb_epi.errors import UsageError
    from gdb_epi.expressions import locate_object, render_value
    from gdb_epi.gdbhost.parameter_values import value_limits
    from gdb_epi.gdbhost.sessions import shared_sessions

    text = _string_literal(name)
    if text is None:
        raise UsageError('$epi_local takes a string: $epi_local("x")')
    session = shared_sessions().current_session()
    values = session.values(value_limits())
    located = locate_object(session, values, text)
    render_value(session, values, text, located.address)  # a secret's address stays a secret's
    address = located.address
    try:
        return gdb.Value(address).cast(gdb.lookup_type("PyObject").pointer())
    except gdb.error:
        return gdb.Value(address).cast(gdb.lookup_type("unsigned long"))


def epi_line() -> Any:
    """$epi_line(): the line that the selected Python frame runs, an integer."""
    from gdb_epi.errors import InputError

    line = _selected_frame().lineno
    if line is None:
        raise InputError("the line of the selected Python frame is not known")
    return line


def epi_file() -> Any:
    """$epi_file(): the file of the code that the selected Python frame runs, a string."""
    return _selected_frame().filename


def epi_func() -> Any:
    """$epi_func(): the qualified name of the function that the selected Python frame runs."""
    frame = _selected_frame()
    return frame.qualname or frame.name


FUNCTIONS = (epi_repr, epi_type, epi_local, epi_line, epi_file, epi_func)


def install_functions() -> None:
    """Register the functions; again when sourced again."""
    for function in FUNCTIONS:
        _EpiFunction(function.__name__, function)


def _selected_frame() -> PyFrame:
    from gdb_epi.gdbhost.sessions import shared_sessions

    return shared_sessions().current_session().python_frame(None)


def _decode_argument(value: gdb.Value) -> tuple[str, str]:
    """Return text and type of what an argument means. Raises InputError for what is no object."""
    from gdb_epi.errors import Absent, InputError
    from gdb_epi.expressions import C_STRUCTS, locate_object, render_value
    from gdb_epi.gdbhost.c_expressions import c_value_of
    from gdb_epi.gdbhost.parameter_values import value_limits
    from gdb_epi.gdbhost.sessions import shared_sessions

    session = shared_sessions().current_session()
    values = session.values(value_limits())
    text = _string_literal(value)
    if text is not None:
        address, struct = locate_object(session, values, text)
    else:
        text = ""
        pointer = c_value_of(value, "the argument")
        address, struct = pointer.address, C_STRUCTS.get(pointer.type, "")
        if not struct and not pointer.is_object:
            raise InputError(f"the argument is of the C type {value.type}: no object of Python")
    if struct:
        from gdb_epi.render.c_structs import describe_c_struct

        words = describe_c_struct(session.state, struct, address)
        if isinstance(words, Absent):
            raise InputError(words.detail)
        return words, struct
    shown = render_value(session, values, text, address)
    if not shown.type:
        raise InputError(shown.text.strip("<>"))
    return shown.text, shown.type


def _string_literal(value: gdb.Value) -> str | None:
    """Return a string that was written into an expression; None for every other value."""
    if value.type.code not in (gdb.TYPE_CODE_ARRAY, getattr(gdb, "TYPE_CODE_STRING", None)):
        return None
    length = min(value.type.sizeof, MAX_ARGUMENT)
    return str(value.string("utf-8", "surrogateescape", length)).rstrip("\0")
