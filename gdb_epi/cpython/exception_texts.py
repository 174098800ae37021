# SPDX-License-Identifier: Apache-2.0
"""What exceptions say: message, arguments and notes.

The message is what str() would have given. Which `__str__` that runs is told by tp_str; one that is
written in Python, or not known here, leaves the message absent and the arguments shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values import values_of
from gdb_epi.cpython.values_core import Limits, Painter, Undecodable
from gdb_epi.cpython.values_types import Lineage, TypeInfo
from gdb_epi.errors import (
    NOT_AVAILABLE,
    UNPARSABLE,
    UNREADABLE,
    Absent,
    LayoutError,
    UnreadableMemory,
)
from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import Target

MAX_MESSAGE = 1 << 16  # characters
MAX_NOTES = 100
MAX_TEXT = 16 << 20  # characters of all texts of one process
_LIMITS = Limits(depth=12)  # groups within groups count double
_EXCEPTION = "PyBaseExceptionObject"
_CODEC_FAILS = {  # what the message calls the objects that could not be converted
    "UnicodeEncodeError": ("'{0}' codec can't encode", "character"),
    "UnicodeDecodeError": ("'{0}' codec can't decode", "byte"),
    "UnicodeTranslateError": ("can't translate", "character"),
}
_PROBLEMS = (UnreadableMemory, LayoutError, Undecodable)


class Said(NamedTuple):
    """The texts of one exception; the fields are those of ExceptionInfo."""

    message: str | Absent
    args: str | Absent
    notes: tuple[str, ...] | Absent
    args_exact: bool = True


class Texts:
    """The texts of a process's exceptions."""

    def __init__(self, target: Target, python: PythonState) -> None:
        self._values = values_of(target, python, _LIMITS)
        self._layout = python.layout
        self._room = MAX_TEXT

    def of(self, address: int) -> Said:
        """Return the texts of an exception object. Never raises."""
        if self._room <= 0:
            full = Absent(UNPARSABLE, f"more than {MAX_TEXT} characters of texts")
            return Said(full, full, full)
        said = self._of(address)
        self._room -= sum(len(text) for text in said[:2] if isinstance(text, str))
        self._room -= sum(map(len, () if isinstance(said.notes, Absent) else said.notes))
        return said

    def _of(self, address: int) -> Said:
        painter = self._values.painter()
        args: str | Absent
        message: str | Absent
        notes: tuple[str, ...] | Absent
        try:
            args = painter.show(painter.field(address, _EXCEPTION, "args"))
        except _PROBLEMS as error:
            args = Absent(UNREADABLE, str(error))
        try:
            message = self._message(self._values.painter(), address)
        except _PROBLEMS as error:
            message = Absent(UNPARSABLE, str(error))
        try:
            notes = self._notes(address)
        except _PROBLEMS as error:
            notes = Absent(UNREADABLE, str(error))
        return Said(message, args, notes, painter.exact and not painter.cut)

    def unmade(self, value: int) -> Said:
        """Return the texts of an error indicator whose value is no instance yet.

        It holds what the instance would be made of: nothing, one argument, or a tuple of them.
        """
        painter = self._values.painter()
        if not value or self._ident(painter, value) == "NoneType":
            return Said("", "()", ())
        shown = painter.show(value)
        if self._ident(painter, value) == "tuple":
            why = Absent(NOT_AVAILABLE, "the exception was not made yet")
            return Said(why, shown, (), painter.exact)
        try:
            message: str | Absent = self._str(painter, value)
        except _PROBLEMS as error:
            message = Absent(UNPARSABLE, str(error))
        return Said(message, f"({shown},)", (), painter.exact)

    def _ident(self, painter: Painter, address: int) -> str:
        try:
            return painter.obj(address).lineage.ident
        except UnreadableMemory:
            return ""

    def _notes(self, address: int) -> tuple[str, ...]:
        """Return the strings of `__notes__` (PEP 678), which lie in the instance's dict."""
        painter = self._values.painter()
        contents = painter.field(address, _EXCEPTION, "dict")
        if not contents:
            return ()
        held = painter.world.objects.dict_get(contents, "__notes__")
        if isinstance(held, Absent):
            if held.reason == NOT_AVAILABLE:
                return ()
            raise Undecodable(held.detail)
        if painter.obj(held).lineage.ident != "list":
            raise Undecodable("__notes__ is no list")
        count = painter.signed(held, "PyListObject", "ob_size")
        start = painter.field(held, "PyListObject", "ob_item")
        items = painter.items(start, count, "notes")[:MAX_NOTES] if count else []
        return tuple(self._str(painter, item) for item in items)

    # -- str() --------------------------------------------------------------------------------

    def _slot(self, kind: int) -> int:
        return self._values.world.reader.u64(kind + self._layout.require("PyTypeObject", "tp_str"))

    def _str(self, painter: Painter, address: int) -> str:
        """Return str() of an object. Raises Undecodable when a `__str__` of its own would run."""
        lineage = painter.obj(address).lineage
        if lineage.ident == "str" and self._same_as_root(lineage):
            return painter.string(address, MAX_MESSAGE)
        if lineage.ident in ("bytes", "bytearray") and self._same_as_root(lineage):
            return self._sure(painter, address)  # a __str__ of their own, for python -b alone
        if self._slot(lineage.types[0].address) != self._slot(lineage.types[-1].address):
            raise Undecodable(_whose(painter, lineage.types[0]))
        return self._sure(painter, address)

    def _sure(self, painter: Painter, address: int) -> str:
        """Return repr() of an object. Raises Undecodable when it is not exact."""
        text = painter.show(address)
        if not painter.exact or painter.cut:
            raise Undecodable("a value that is too long, or not sure")
        return text

    def _same_as_root(self, lineage: Lineage) -> bool:
        return self._slot(lineage.types[0].address) == self._slot(lineage.root.address)

    def _message(self, painter: Painter, address: int) -> str | Absent:
        """Return str() of an exception. Reference: Objects/exceptions.c, 3.8 to 3.15."""
        types = painter.obj(address).lineage.types
        slot = self._slot(types[0].address)
        owner = [one for one in types if self._slot(one.address) == slot][-1]
        if owner.python_class:
            return Absent(NOT_AVAILABLE, _whose(painter, owner))
        name = owner.full_name
        if name == "BaseException":
            return self._plain(painter, address)
        if name == "KeyError":
            items = self._args(painter, address)
            one = len(items) == 1
            return self._sure(painter, items[0]) if one else self._plain(painter, address)
        if name == "OSError":
            return self._os_error(painter, address)
        if name == "ImportError":
            said = painter.field(address, "PyImportErrorObject", "msg")
            exact = said and painter.obj(said).type.full_name == "str"
            return self._str(painter, said) if exact else self._plain(painter, address)
        if name == "BaseExceptionGroup":
            return self._group(painter, address)
        if name == "SyntaxError":
            return self._syntax_error(painter, address)
        if name in _CODEC_FAILS:
            return self._unicode_error(painter, address, name)
        return Absent(NOT_AVAILABLE, f"the __str__ of {owner.shown} is not known here")

    def _args(self, painter: Painter, address: int) -> list[int]:
        held = painter.field(address, _EXCEPTION, "args")
        if painter.obj(held).lineage.ident != "tuple":
            raise Undecodable("its arguments are no tuple")
        count = painter.signed(held, "PyTupleObject", "ob_size")
        start = held + painter.world.offset("PyTupleObject", "ob_item")
        return painter.items(start, count, "arguments") if count else []

    def _plain(self, painter: Painter, address: int) -> str:
        """Return what BaseException_str gives: nothing, the argument, or the tuple of them."""
        items = self._args(painter, address)
        if not items:
            return ""
        if len(items) == 1:
            return self._str(painter, items[0])
        return self._sure(painter, painter.field(address, _EXCEPTION, "args"))

    def _os_error(self, painter: Painter, address: int) -> str:
        struct = "PyOSErrorObject"
        names = ("myerrno", "strerror", "filename", "filename2")
        number, text, file, second = (painter.field(address, struct, name) for name in names)
        if not file and not (number and text):
            return self._plain(painter, address)
        said = [self._str(painter, one) if one else "None" for one in (number, text)]
        start = f"[Errno {said[0]}] {said[1]}"
        if not file:
            return start
        names_text = self._sure(painter, file)
        if second:
            names_text += f" -> {self._sure(painter, second)}"
        return f"{start}: {names_text}"

    def _group(self, painter: Painter, address: int) -> str:
        struct = "PyBaseExceptionGroupObject"
        said = self._str(painter, painter.field(address, struct, "msg"))
        held = painter.field(address, struct, "excs")
        count = painter.signed(held, "PyTupleObject", "ob_size")
        return f"{said} ({count} sub-exception{'s' if count != 1 else ''})"

    def _syntax_error(self, painter: Painter, address: int) -> str:
        struct = "PySyntaxErrorObject"
        said, file, number = (
            painter.field(address, struct, n) for n in ("msg", "filename", "lineno")
        )
        text = self._str(painter, said) if said else "None"
        places = []
        if file and painter.obj(file).lineage.ident == "str":
            places.append(painter.string(file, MAX_MESSAGE).rpartition("/")[2])
        if number and painter.obj(number).type.full_name == "int":
            places.append(f"line {self._sure(painter, number)}")
        return f"{text} ({', '.join(places)})" if places else text

    def _unicode_error(self, painter: Painter, address: int, name: str) -> str:
        struct = "PyUnicodeErrorObject"
        held = painter.field(address, struct, "object")
        start, end = (painter.signed(address, struct, member) for member in ("start", "end"))
        fails, unit = _CODEC_FAILS[name]
        if "{0}" in fails:
            fails = fails.format(self._str(painter, painter.field(address, struct, "encoding")))
        reason = self._str(painter, painter.field(address, struct, "reason"))
        units = self._units(painter, held, unit)
        if not 0 <= start < end <= len(units):
            raise Undecodable("its positions lie outside of its object")  # 3.14 clips them
        if end - start > 1:
            return f"{fails} {unit}s in position {start}-{end - 1}: {reason}"
        code = units[start]
        if unit == "byte":
            return f"{fails} byte 0x{code:02x} in position {start}: {reason}"
        letter, digits = ("x", 2) if code <= 0xFF else ("u", 4) if code <= 0xFFFF else ("U", 8)
        return f"{fails} character '\\{letter}{code:0{digits}x}' in position {start}: {reason}"

    def _units(self, painter: Painter, held: int, unit: str) -> Sequence[int]:
        """Return the bytes, or the code points, of what could not be converted."""
        if unit == "character":
            return [ord(one) for one in painter.string(held, MAX_MESSAGE)]
        found = painter.reader.bytes_object(held, MAX_MESSAGE)
        if isinstance(found, Absent) or painter.obj(held).lineage.ident != "bytes":
            raise Undecodable("its object is no bytes, or too many")
        return found


def _whose(painter: Painter, kind: TypeInfo) -> str:
    """Return why str() of an instance is not given: whose `__str__` it would run.

    The slot of a Python class searches for the name when the class, or a base, defines it; and
    when there are several built-in bases, which may have different ones.
    """
    if not kind.python_class:
        return f"{kind.shown} has a __str__ of its own"
    held = painter.world.types.lookup(kind, "__str__")
    if held is not None and held[0].python_class:
        return f"{held[0].shown} has a __str__ of its own"
    told = "none was found in its Python classes, and those of its built-in bases may differ"
    return f"cannot tell whose __str__ {kind.shown} runs: {told}"
