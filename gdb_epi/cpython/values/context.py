# SPDX-License-Identifier: Apache-2.0
"""What all values of one process share: its types, and the attributes of its instances.

Nothing here makes text. Whoever only wants to walk over attributes needs no decoder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.objects.type_objects import HEAPTYPE, Lineage, TypeInfo, TypeReader
from gdb_epi.cpython.values.secrets import MASK, is_secret_name
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple
from gdb_epi.util import memoized

if TYPE_CHECKING:
    from gdb_epi.cpython.frames.coroutines import CoroutineReader

# -- Which values of a process are secrets, so that they are masked under other names too ----------
#
# A variable, attribute or key whose name says so makes its value one. The same object is masked
# wherever it is shown, and so is its text within others. Not what says nothing, and stands for
# much else: short texts, plain words of which all equal ones are one object, and for the text
# alone plain words.

MAX_KEPT = 10_000  # secrets of one process
MIN_OBJECT, MIN_TEXT, LONG_WORD = 4, 6, 16  # characters
MAX_SECRET = 4096
DIGIT, DIGITS = "[0-9a-fA-F]", frozenset("0123456789abcdefABCDEF")
CONTAINERS = frozenset(("tuple", "list", "dict", "set", "frozenset", "bytearray"))


class MaskedValues:
    """The secrets of one process at one stop, as far as names have told them."""

    def __init__(self) -> None:
        self.objects: set[int] = set()
        self.asked_frames = False
        self._texts: set[str] = set()  # of secrets, and how repr() shows those

    def note_secret_variables(self, reader: MemoryReader, names: Iterable[tuple[str, int]]) -> None:
        """Keep the texts among some variables whose names say that they are secrets."""
        for name, address in names:
            if is_secret_name(name):
                try:
                    self.note_secret(reader, address)
                except (UnreadableMemory, LayoutError):
                    continue

    def note_secret(self, reader: MemoryReader, address: int, ident: str = "") -> None:
        """Keep a secret: an object of a built-in type; `ident` names it unless it is a text."""
        if len(self.objects) >= MAX_KEPT:
            return
        if ident in CONTAINERS:
            self.objects.add(address)
            return
        kind = ident or reader.type_name(reader.type_of(address))
        text: str | Absent = Absent("", "")
        if kind == "str":
            text = reader.string(address, MAX_SECRET)
        elif kind == "bytes":
            held = reader.bytes_object(address, MAX_SECRET)
            text = held if isinstance(held, Absent) else held.decode("latin-1")
        if isinstance(text, Absent) or len(text) < MIN_OBJECT:
            return
        is_word = text.isalpha() and (text.islower() or text.istitle()) and len(text) < LONG_WORD
        if is_word and kind == "str" and reader.is_interned(address):
            return  # as "none": a variable with that object has no more to do with the secret
        self.objects.add(address)
        # As "access_token" or "X-Auth-Token"; but "Secret123!" is a password.
        is_name = text.replace("-", "").replace("_", "").isalpha() and is_secret_name(text)
        if len(text) >= MIN_TEXT and not is_word and not is_name:
            self._texts |= {text, repr(text)[1:-1]}

    def mask_secrets_in(self, text: str) -> str:
        """Return a text with `***` in place of the secrets in it.

        Not of digits within a longer number, which may be an address.
        """
        within = [secret for secret in self._texts if secret in text]
        for secret in sorted(within, key=lambda secret: (-len(secret), secret)):
            if len(secret) < LONG_WORD and DIGITS.issuperset(secret):
                import re

                text = re.sub(f"(?<!{DIGIT}){secret}(?!{DIGIT})", MASK, text)
            else:
                text = text.replace(secret, MASK)
        return text


# -- What all values of one process share: its types, and the attributes of its instances ----------

MAX_NAME = 4096
MAX_MEMBER_NAME = 256
MAX_MEMBERS = 200  # of one C type
MAX_SLOTS = 4096  # of one Python class
MAX_CACHED_ATTRIBUTES = 100  # of one instance
MAX_CACHED_INSTANCES = 20_000
# Include/structmember.h: T_OBJECT and T_OBJECT_EX.
OBJECT_MEMBERS = (6, 16)

# Objects/obmalloc.c, PYMEM_*BYTE: the debug allocators (PYTHONMALLOC=debug, -X dev, debug builds)
# fill memory with one of these. 0xdb was the mark of freed memory up to 3.7, and is that of others.
_ALLOCATOR_MARKS = {
    0xCD: "memory that was never filled",
    0xDD: "freed memory",
    0xFD: "the guard around a block",
    0xDB: "freed memory",
    0xCB: "memory that was never filled",
    0xFB: "the guard around a block",
}


def name_allocator_mark(word: int) -> str:
    """Say which mark of the debug allocators a 64-bit word is; "" for any other word."""
    byte = word >> 24 & 0xFF
    meaning = _ALLOCATOR_MARKS.get(byte)
    if meaning is None or word != byte * 0x0101010101010101:
        return ""
    return f"{meaning}: every byte is {byte:#x}, as the debug allocators of CPython leave it"


class Undecodable(EpiError):
    """An object that does not look like one of its type."""


class NoAttribute(Undecodable):
    """An instance all of whose attributes were read, none with that name."""


class Obj(NamedTuple):
    """An object and its type."""

    address: int
    lineage: Lineage

    @property
    def type(self) -> TypeInfo:
        """The type of the object itself."""
        return self.lineage.types[0]

    @property
    def is_exact(self) -> bool:
        """Whether the object is of a built-in type itself, not of a subclass."""
        return self.lineage.types[0].address == self.lineage.root.address


class ValueContext:
    """One process as decoders of values see it, and what they have found out about its types."""

    def __init__(
        self, target: Target, reader: MemoryReader, objects: NamespaceReader, types: TypeReader
    ) -> None:
        self.target = target
        self.reader = reader
        self.objects = objects
        self.types = types
        self.masked = MaskedValues()
        # What decoders remember, by a key of their own.
        self.python_reprs: dict[int, Callable[[Any, Obj], str] | None] = {}  # by type
        self.refused_reprs: set[int] = set()  # types whose own __repr__ cannot be followed
        self.library_facts: dict[str, bool] = {}  # how a library of this process behaves
        self.name_tables: dict[str, dict[int, str]] = {}  # what a module says its numbers mean
        self._slots: dict[int, tuple[tuple[str, int], ...]] = {}  # by type: name and offset
        self._attributes: dict[int, dict[str, int]] = {}  # by instance, of those with few
        self._members: dict[int, dict[str, tuple[int, int]]] = {}

    @cached_property
    def coroutines(self) -> CoroutineReader:
        """The reader of coroutines, generators and frame objects."""
        from gdb_epi.cpython.frames.coroutines import CoroutineReader

        return CoroutineReader(self.reader, self.objects, self.types)

    def obj(self, address: int) -> Obj:
        """Return an object with its type.

        Raises UnreadableMemory when there is none, Undecodable when its memory was freed.
        """
        if address & 7 or not address:
            raise UnreadableMemory(
                address, 8, name_allocator_mark(address) or "not an aligned pointer"
            )
        kind = self.reader.type_of(address)
        if kind & 7 and name_allocator_mark(kind):
            raise Undecodable(name_allocator_mark(kind))
        return Obj(address, self.types.lineage(kind))

    @memoized
    def offset(self, *path: str) -> int:
        """Return the offset of the first of some members that a struct has."""
        return self.reader.layout.require(path[0], *path[1:])

    @memoized
    def attribute_name(self, address: int) -> str | None:
        """Return an attribute's name out of its str object; None when it is damaged."""
        name = self.reader.string(address, MAX_NAME)
        return None if isinstance(name, Absent) else name

    # -- what types declare -------------------------------------------------------------------

    def members(self, info: TypeInfo) -> dict[str, tuple[int, int]]:
        """Return the members that a C type declares in tp_members: (offset, type) by name.

        They tell where the fields of a struct are whose definition no table has. Empty when the
        names lie in memory that nobody has.
        """
        members = self._members.get(info.address)
        if members is None:
            members = self._members[info.address] = dict(self._read_members(info))
        return members

    def _read_members(self, info: TypeInfo) -> Iterator[tuple[str, tuple[int, int]]]:
        reader, size = self.reader, self.reader.layout.size("PyMemberDef") or 0
        at = reader.u64(info.address + self.offset("PyTypeObject", "tp_members"))
        for _ in range(MAX_MEMBERS if at and size else 0):
            pointer = reader.u64(at + self.offset("PyMemberDef", "name"))
            name = reader.c_string(pointer, MAX_MEMBER_NAME) if pointer else None
            if name is None or isinstance(name, Absent):
                return
            kind = reader.u32(at + self.offset("PyMemberDef", "type"))
            yield name, (reader.i64(at + self.offset("PyMemberDef", "offset")), kind)
            at += size

    def slots(self, info: TypeInfo) -> tuple[tuple[str, int], ...]:
        """Return the names and offsets of a class's `__slots__`, those of its bases first."""
        slots = self._slots.get(info.address)
        if slots is None:
            names: dict[str, int] = {}
            for base in reversed(self.types.mro(info)):
                if base.flags & HEAPTYPE and base.dict:
                    names.update(self._slots_of_class_itself(base, info.basicsize))
            slots = self._slots[info.address] = tuple(names.items())
        return slots

    def _slots_of_class_itself(self, info: TypeInfo, size: int) -> Iterator[tuple[str, int]]:
        reader, require = self.reader, self.reader.layout.require
        member_at = require("PyMemberDescrObject", "d_member")
        owner_at = require("PyMemberDescrObject", "d_common.d_type")
        type_at, offset_at = require("PyMemberDef", "type"), require("PyMemberDef", "offset")
        count = 0
        try:
            for key, value in self.objects.dict_items(info.dict):
                if self.types.lineage(reader.type_of(value)).ident != "member_descriptor":
                    continue
                count += 1
                if reader.u64(value + owner_at) != info.address or count > MAX_SLOTS:
                    continue
                member = reader.u64(value + member_at)
                offset = reader.i64(member + offset_at)
                name = reader.string(key, MAX_NAME)
                usable = reader.u32(member + type_at) in OBJECT_MEMBERS and 0 < offset <= size - 8
                if usable and not isinstance(name, Absent):
                    yield name, offset
        except UnreadableMemory:
            return

    # -- attributes of instances --------------------------------------------------------------

    def attributes(self, address: int) -> Iterator[tuple[str, int]]:
        """Yield (name, PyObject *) of what an instance holds in its slots and its dict.

        Raises what reading raises.
        """
        for name, offset in self.slots(self.obj(address).type):
            value = self.reader.u64(address + offset)
            if value:
                yield name, value
        for key, value in self.objects.attributes(address):
            key_name = self.attribute_name(key)
            if key_name is not None:
                yield key_name, value

    def attribute(self, address: int, name: str) -> int:
        """Return one attribute (PyObject *) of an instance.

        Raises Undecodable when it has none, and what reading raises.
        """
        attributes = self._attributes.get(address)
        if attributes is None:
            attributes = {}
            try:
                for key, value in self.attributes(address):
                    if len(attributes) > MAX_CACHED_ATTRIBUTES and (
                        key == name or name in attributes
                    ):
                        return attributes.get(name, value)
                    if len(attributes) <= MAX_CACHED_ATTRIBUTES:
                        attributes.setdefault(key, value)
            except EpiError:  # damage after the one that is wanted
                if name not in attributes:
                    raise
                return attributes[name]
            few = len(attributes) <= MAX_CACHED_ATTRIBUTES
            if few and len(self._attributes) < MAX_CACHED_INSTANCES:
                self._attributes[address] = attributes
        if name not in attributes:
            raise NoAttribute(f"no attribute {name}")
        return attributes[name]
