# SPDX-License-Identifier: Apache-2.0
"""Python's variables as values of GDB, without debug information of Python.

GDB's frame printers and its DAP server take values only, and show a text as a C string in quotes.
So a text travels as a void pointer that no process has, which a pretty-printer turns back.
"""

from __future__ import annotations

import gdb

from gdb_epi.gdbhost.output import in_host_charset

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
