# SPDX-License-Identifier: Apache-2.0
"""Python's variables as values of GDB, without debug information of Python.

GDB's frame printers and its DAP server take values only, and show a text as a C string in quotes.
So a text travels as a void pointer that no process has, which a pretty-printer turns back.
"""

from __future__ import annotations

import gdb

from gdb_epi.cpython.values.repr_decoder import ReprLimits
from gdb_epi.errors import Absent, EpiError
from gdb_epi.expressions import C_STRUCTS, render_value
from gdb_epi.gdbhost.c_expressions import STACK_REF, c_type_name, c_value_of, is_object_struct
from gdb_epi.gdbhost.output import in_host_charset
from gdb_epi.gdbhost.parameter_values import value_limits
from gdb_epi.gdbhost.sessions import shared_sessions
from gdb_epi.render.c_structs import describe_c_struct
from gdb_epi.render.escape import escape, one_line
from gdb_epi.typing_lite import Any

MAX_TEXTS = 100_000  # the oldest go first
FIRST = 1 << 62  # not canonical: no pointer of a process has such a value
_texts: dict[int, str] = {}


class PrintedName(str):
    """A name: the CLI takes a str, the DAP server an object with `print_name`."""

    __slots__ = ()

    @property
    def print_name(self) -> str:
        """Return the name."""
        return str(self)


class PythonValuePrinter:
    """The text of a Python value."""

    def __init__(self, text: str) -> None:
        from gdb_epi.render.escape import escape

        self._text = " ".join(escape(text).split("\n"))

    def value(self) -> gdb.Value:
        """Return a value that GDB shows as the text."""
        number = next(reversed(_texts), FIRST) + 1
        if len(_texts) >= MAX_TEXTS:
            del _texts[next(iter(_texts))]
        _texts[number] = self._text
        return gdb.Value(number).cast(gdb.lookup_type("void").volatile().pointer())


class PythonSymbol:
    """One variable (GDB manual, "Frame Decorator API": the symbol and value interface)."""

    def __init__(self, name: str, text: PythonValuePrinter) -> None:
        self._name = PrintedName(in_host_charset(name))
        self._text = text

    def symbol(self) -> PrintedName:
        """Return the name."""
        return self._name

    def value(self) -> gdb.Value:
        """Return the value."""
        return self._text.value()


class TextPrinter:
    """The pretty-printer: the text as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def to_string(self) -> str:
        """Return the text."""
        return in_host_charset(self._text)


def python_text_printer(value: gdb.Value) -> TextPrinter | None:
    """Return the printer of a PythonValuePrinter's value; None for every other value."""
    if value.type.code != gdb.TYPE_CODE_PTR or not _texts:
        return None
    if value.type.target().code != gdb.TYPE_CODE_VOID or value.is_optimized_out:
        return None
    try:
        text = _texts.get(int(value))
    except gdb.error:  # a register that was not saved, memory that is not there
        return None
    return None if text is None else TextPrinter(text)


def install_printer() -> None:
    """Put the printer into GDB's list, once."""
    if python_text_printer not in gdb.pretty_printers:
        gdb.pretty_printers.append(python_text_printer)


# Objects of Python in GDB's own `print`: pretty-printers, off until `set epi printers on`.
#
# They apply by the names and members of C types: to pointers to PyObject and to structs that
# begin with it, to these structs themselves, and to CPython's thread states, interpreters and
# frames. Every other printer has precedence, so that CPython's libpython.py keeps its types,
# whichever was loaded first.


NAME = "epi"
# One value of many in `info locals` and `bt`; `set epi depth`, `width` and `length` change it.
SHORT = ReprLimits(depth=3, width=10, length=120, total=300)


class PythonPrinters:
    """GDB's printer: called for every value; `enable` and `disable pretty-printer` know it."""

    def __init__(self) -> None:
        self.name = NAME
        self.enabled = True
        self.subprinters = None
        self._asking = False

    def __call__(self, value: gdb.Value) -> Any:
        """Return a printer for a value of Python; None for others, and when another has one."""
        if self._asking or not is_python_type(value.type):
            return None
        self._asking = True
        try:
            return self._other_printer_of(value) or _printer_of_value(value)
        finally:
            self._asking = False

    def prepare_values(self, _event: object) -> None:
        """Prepare the values while no frame is printed."""
        shared_sessions().prepare_for_printing()

    def _other_printer_of(self, value: gdb.Value) -> Any:
        for printer in gdb.pretty_printers:
            if printer is not self and getattr(printer, "enabled", True):
                answer = printer(value)
                if answer is not None:
                    return answer
        return None


def is_python_type(ctype: gdb.Type) -> bool:
    """Tell whether a C type is that of a Python object, a pointer to one, or of CPython's own."""
    plain = ctype.strip_typedefs()
    if plain.code == gdb.TYPE_CODE_PTR:
        target = plain.target()
        return c_type_name(target) in C_STRUCTS or is_object_struct(target)
    if plain.code != gdb.TYPE_CODE_STRUCT and plain.code != gdb.TYPE_CODE_UNION:
        return False
    return c_type_name(ctype) == STACK_REF or is_object_struct(ctype)


def _printer_of_value(value: gdb.Value) -> TextPrinter | None:
    """Return the printer; None where GDB's own way says more: NULL, optimized out, unreadable."""
    try:
        pointer = c_value_of(value)
        if not pointer.address:
            return None
        text: str | Absent = ""
        struct = C_STRUCTS.get(pointer.type, "")
        if struct:
            session = shared_sessions().prepared_session()
            if session is not None:
                text = describe_c_struct(session.state, struct, pointer.address)
        elif at_hand := shared_sessions().prepared_values(value_limits(SHORT)):
            shown = render_value(*at_hand, "", pointer.address)
            text = shown.text if shown.type else ""
    except (EpiError, gdb.error):
        return None
    if isinstance(text, Absent) or not text:
        return None
    return TextPrinter(f"{pointer.address:#x} {escape(one_line(text))}")


def switch_printers(*, on: bool) -> None:
    """Put the printer into GDB's list, or take it out; nothing of it is there before."""
    ours = [printer for printer in gdb.pretty_printers if isinstance(printer, PythonPrinters)]
    for printer in ours:
        gdb.pretty_printers.remove(printer)
        gdb.events.stop.disconnect(printer.prepare_values)
    if on:
        printer = PythonPrinters()
        gdb.pretty_printers.append(printer)
        shared_sessions().prepare_for_printing()
        gdb.events.stop.connect(printer.prepare_values)  # after that of shared_sessions()
