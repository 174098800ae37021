# SPDX-License-Identifier: Apache-2.0
"""The values of one process: any PyObject as text, each decoded once.

Importing this module imports, and so registers, all of `decoders/` and `libraries/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.cpython.types import PythonState, ThreadState
from gdb_epi.cpython.values import decoders, libraries
from gdb_epi.cpython.values.context import Obj, Undecodable, ValueContext
from gdb_epi.cpython.values.decoders.builtin_containers import set_items
from gdb_epi.cpython.values.repr_decoder import (
    MAX_ATTRIBUTES,
    DecodedValue,
    ReprDecoder,
    ReprLimits,
    ThreadCallingRepr,
)
from gdb_epi.cpython.values.secrets import MASKED, is_secret_name
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.loader import import_all_modules
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import Any

# If a decoder cannot be imported, its types are shown by name.
LOAD_ERRORS = import_all_modules(decoders) + import_all_modules(libraries)
MAX_CACHED_VALUES = 200_000
# Attributes of an instance are shown next to it, each no longer than this.
ATTRIBUTE_LIMITS = ReprLimits(depth=2, width=20, length=200, total=1000)


class ProcessValues:
    """The objects of one process as text; each is decoded once."""

    def __init__(
        self,
        target: Target,
        reader: MemoryReader,
        interpreters: tuple[int, ...] = (),
        limits: ReprLimits | None = None,
    ) -> None:
        objects = NamespaceReader(reader)
        types = TypeReader(reader, objects, interpreters)
        self.context = ValueContext(target, reader, objects, types)
        self.limits = (limits or ReprLimits()).bounded()
        self.threads: tuple[ThreadState, ...] = ()
        self._asked_by: ThreadCallingRepr | None = None  # the thread whose frame is being read
        self._values: dict[int, DecodedValue] = {}
        self._attribute_texts: dict[int, str] = {}
        self._attribute_limits = self.limits.capped_by(ATTRIBUTE_LIMITS)

    def decode_as_thread_of_frame(self, frame: int) -> None:
        """Decode from now on as the thread of this frame would show values; 0: as no thread."""
        self._asked_by = self._threads_by_frame.get(frame)

    @cached_property
    def _threads_by_frame(self) -> dict[int, ThreadCallingRepr]:
        """The threads as askers, by frame."""
        return {
            frame.address: ThreadCallingRepr(thread.ident, thread.name)
            for thread in self.threads
            if thread.name is not None
            for frame in thread.frames
        }

    def value_of(self, address: int) -> DecodedValue:
        """Return an object as text. Never raises; what cannot be decoded is marked."""
        value = self._values.get(address)
        if value is None:
            value, is_for_all = self._decode_value(address)
            if is_for_all and len(self._values) < MAX_CACHED_VALUES:
                self._values[address] = value
        return value

    def value_of_name(self, name: str, address: int) -> DecodedValue:
        """Return the object with this name as text, masked if the name is that of a secret."""
        if self.limits.secrets or not is_secret_name(name):
            return self.value_of(address)
        decoder = self.decoder()
        text = decoder.repr_of_named(name, address)
        value = self.value_of(address)
        if not text.startswith(MASKED):
            return value
        return DecodedValue(value.type, text, False, False)

    def _decode_value(self, address: int) -> tuple[DecodedValue, bool]:
        """Return an object as text, and whether it is the same for every asking thread."""
        decoder = self.decoder(asked_by=self._asked_by)
        text = decoder.repr_of(address)
        try:
            kind = decoder.obj(address).type.qualified_name
        except (UnreadableMemory, LayoutError, Undecodable):
            kind = ""
        attributes = self.attributes(address) if decoder.opaque else ()
        inside = self._attributes_of_objects_named_in(decoder.bare, self.limits.total - len(text))
        notes = (*decoder.notes, *attributes, *inside)
        value = DecodedValue(kind, text, decoder.cut, decoder.exact, notes)
        return value, not decoder.depends_on_asker

    def _attributes_of_objects_named_in(
        self, objects: list[int], room: int
    ) -> Iterator[tuple[str, str]]:
        """Yield attributes of objects that the text of a value names by their addresses."""
        for address in objects:
            for name, shown in self.attributes(address):
                room -= len(name) + len(shown)
                if room < 0:
                    return
                yield f"{address:#x}.{name}", shown

    def decoder(
        self, limits: ReprLimits | None = None, asked_by: ThreadCallingRepr | None = None
    ) -> ReprDecoder:
        """Return a decoder for one value."""
        return ReprDecoder(self.context, limits or self.limits, _repr_from_bytecode, asked_by)

    def attributes(self, address: int) -> tuple[tuple[str, str], ...]:
        """Return the attributes of an instance, each as (name, text). Never raises."""
        shown: list[tuple[str, str]] = []
        try:
            for name, value in self.context.attributes(address):
                if len(shown) >= min(MAX_ATTRIBUTES, self.limits.width):
                    shown.append(("...", "..."))
                    break
                shown.append((name, self._attribute_text(name, value)))
        except (UnreadableMemory, LayoutError, Undecodable) as error:
            shown.append(("...", f"<cannot decode the attributes: {error}>"))
        return tuple(shown)

    def _attribute_text(self, name: str, address: int) -> str:
        if not self.limits.secrets and is_secret_name(name):
            return self.decoder(self._attribute_limits).repr_of_named(name, address)
        text = self._attribute_texts.get(address)
        if text is None:
            text = self.decoder(self._attribute_limits).repr_of(address)
            if len(self._attribute_texts) < MAX_CACHED_VALUES:
                self._attribute_texts[address] = text
        return text


def _repr_from_bytecode(decoder: ReprDecoder, obj: Obj) -> str | None:
    # Imported for the first class with its own __repr__.
    from gdb_epi.cpython.values.repr_from_bytecode import repr_by_programs_own_method

    return repr_by_programs_own_method(decoder, obj)


def get_process_values(
    target: Target, python: PythonState, limits: ReprLimits | None = None
) -> ProcessValues:
    """Return the values of a decoded process."""
    reader = MemoryReader(target, python.layout)
    values = ProcessValues(target, reader, python.interpreter_addresses(), limits)
    values.threads = tuple(python.threads())
    if python.searched is not None:
        python.searched.masked = python.searched.masked or values.context.masked
        values.context.masked = python.searched.masked
    return values


# Contents of objects as plain values, for walks over modules, caches and source texts.
#
# Each answer is None if the object is not of that kind or cannot be read; nothing is raised.


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
            return self.context.types.type_at(self.reader.type_of(address)).qualified_name
        except _DAMAGE:
            return ""

    def text(self, address: int, cap: int = MAX_TEXT) -> str | None:
        """Return the contents of a str."""
        if self.ident(address) != "str":
            return None
        text = self.reader.string(address, cap)
        return None if isinstance(text, Absent) else text

    def bytes_value(self, address: int, cap: int = MAX_TEXT) -> bytes | None:
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

    def float_value(self, address: int) -> float | None:
        """Return a float."""
        import struct

        if self.ident(address) != "float":
            return None
        try:
            raw = self.reader.read(address + self.context.offset("PyFloatObject", "ob_fval"), 8)
        except _DAMAGE:
            return None
        return float(struct.unpack("<d", raw)[0])

    def sequence_items(self, address: int) -> list[int] | None:
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

    def dict_pairs(self, address: int) -> Iterator[tuple[int, int]]:
        """Yield (key, value) pairs of a dict; end where it is damaged."""
        if self.ident(address) == "dict":
            yield from _values_until_damage(self.objects.dict_items(address), MAX_PAIRS)

    def set_members(self, address: int) -> list[int]:
        """Return the members of a set, as far as they can be read."""
        if self.ident(address) not in ("set", "frozenset"):
            return []
        return list(_values_until_damage(set_items(self._decoder, address), MAX_ITEMS))

    def dict_value(self, contents: int, name: str) -> int | None:
        """Return the value (PyObject *) that a dict has for an ASCII str key."""
        value = self.objects.dict_get(contents, name)
        return None if isinstance(value, Absent) else value

    def attribute(self, address: int, name: str) -> int | None:
        """Return an attribute (PyObject *) of the instance itself, not of its class."""
        for key, value in _values_until_damage(self.context.attributes(address)):
            if key == name:
                return int(value)
        return None

    def attributes(self, address: int) -> dict[str, int]:
        """Return all readable attributes of an instance."""
        return dict(_values_until_damage(self.context.attributes(address), MAX_ITEMS))

    def module_dict(self, interpreter: int, name: str) -> int | None:
        """Return the dict of a module in an interpreter (PyInterpreterState *)."""
        contents = self.objects.module_dict(interpreter, name)
        return None if isinstance(contents, Absent) else contents


def _values_until_damage(values: Iterator[Any], most: int | None = None) -> Iterator[Any]:
    """Yield what can be read, at most `most` values."""
    try:
        yield from islice(values, most)
    except _DAMAGE:
        return
