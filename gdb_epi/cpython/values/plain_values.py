# SPDX-License-Identifier: Apache-2.0
"""Contents of objects as plain values, for walks over modules, caches and source texts.

Each answer is None if the object is not of that kind or cannot be read; nothing is raised.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.decoders.builtin_containers import set_items
from gdb_epi.cpython.values.process_values import ProcessValues, get_process_values
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import Any

MAX_TEXT = 16 << 20
MAX_ITEMS = 1 << 20
MAX_PAIRS = 1 << 20

_DAMAGE = (UnreadableMemory, LayoutError, Undecodable)


class PlainValues:
    """Read objects of one process as plain values."""

    def __init__(
        self, target: Target, python: PythonState, values: ProcessValues | None = None
    ) -> None:
        self.values = values or get_process_values(target, python)
        self.context = self.values.context
        self.reader = self.context.reader
        self.objects = self.context.objects
        self._decoder = self.values.decoder()

    def ident(self, address: int) -> str:
        """Return the name of the built-in type that an object derives from; "" when unknown."""
        try:
            return self.context.types.lineage(self.reader.type_of(address)).ident
        except _DAMAGE:
            return ""

    def type_name(self, address: int) -> str:
        """Return the full name of an object's type; "" when it cannot be read."""
        try:
            return self.context.types.at(self.reader.type_of(address)).shown
        except _DAMAGE:
            return ""

    def text(self, address: int, cap: int = MAX_TEXT) -> str | None:
        """Return the contents of a str."""
        if self.ident(address) != "str":
            return None
        text = self.reader.string(address, cap)
        return None if isinstance(text, Absent) else text

    def data(self, address: int, cap: int = MAX_TEXT) -> bytes | None:
        """Return the contents of a bytes object."""
        if self.ident(address) != "bytes":
            return None
        content = self.reader.bytes_object(address, cap)
        return None if isinstance(content, Absent) else content

    def integer(self, address: int) -> int | None:
        """Return a small int."""
        if self.ident(address) not in ("int", "bool"):
            return None
        number = self.objects.integer(address)
        return None if isinstance(number, Absent) else number

    def real(self, address: int) -> float | None:
        """Return a float."""
        import struct

        if self.ident(address) != "float":
            return None
        try:
            raw = self.reader.read(address + self.context.offset("PyFloatObject", "ob_fval"), 8)
        except _DAMAGE:
            return None
        return float(struct.unpack("<d", raw)[0])

    def items(self, address: int) -> list[int] | None:
        """Return the items (PyObject *) of a tuple or list."""
        ident = self.ident(address)
        if ident not in ("tuple", "list"):
            return None
        containers = ContainerReader(self.reader)
        read = containers.tuple_items if ident == "tuple" else containers.list_items
        try:
            return read(address)
        except _DAMAGE:
            return None

    def pairs(self, address: int) -> Iterator[tuple[int, int]]:
        """Yield (key, value) pairs of a dict; end where it is damaged."""
        if self.ident(address) == "dict":
            yield from _until_damage(self.objects.dict_items(address), MAX_PAIRS)

    def members(self, address: int) -> list[int]:
        """Return the members of a set, as far as they can be read."""
        if self.ident(address) not in ("set", "frozenset"):
            return []
        return list(_until_damage(set_items(self._decoder, address), MAX_ITEMS))

    def get(self, contents: int, name: str) -> int | None:
        """Return the value (PyObject *) that a dict has for an ASCII str key."""
        value = self.objects.dict_get(contents, name)
        return None if isinstance(value, Absent) else value

    def attribute(self, address: int, name: str) -> int | None:
        """Return an attribute (PyObject *) of the instance itself, not of its class."""
        for key, value in _until_damage(self.context.attributes(address)):
            if key == name:
                return int(value)
        return None

    def attributes(self, address: int) -> dict[str, int]:
        """Return all readable attributes of an instance."""
        return dict(_until_damage(self.context.attributes(address), MAX_ITEMS))

    def module(self, interpreter: int, name: str) -> int | None:
        """Return the dict of a module in an interpreter (PyInterpreterState *)."""
        contents = self.objects.module_dict(interpreter, name)
        return None if isinstance(contents, Absent) else contents


def _until_damage(values: Iterator[Any], most: int | None = None) -> Iterator[Any]:
    """Yield what can be read, at most `most` values."""
    try:
        yield from islice(values, most)
    except _DAMAGE:
        return
