# SPDX-License-Identifier: Apache-2.0
"""What kind of object an address is, and which words of an instance are references."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.corruption.heap.address_index import AddressIndex
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import PAGE
from gdb_epi.typing_lite import NamedTuple

TYPE, INSTANCE = "type", "instance"
# Subclass bits of tp_flags (Include/object.h) are public ABI, the same from 3.8 to 3.15.
SUBCLASS = {"tuple": 1 << 26, "bytes": 1 << 27, "str": 1 << 28, "dict": 1 << 29, TYPE: 1 << 31}
HEAP_TYPE = 1 << 9
MAX_BASES = 16
# Members of a type that are functions (Include/cpython/object.h, struct _typeobject, 3.8 to 3.15).
SLOTS = (
    "tp_dealloc", "tp_getattr", "tp_setattr", "tp_repr", "tp_hash", "tp_call", "tp_str",
    "tp_getattro", "tp_setattro", "tp_traverse", "tp_clear", "tp_richcompare", "tp_iter",
    "tp_iternext", "tp_descr_get", "tp_descr_set", "tp_init", "tp_alloc", "tp_new", "tp_free",
    "tp_is_gc", "tp_del", "tp_finalize", "tp_vectorcall",
)  # fmt: skip
MAX_SLOTS = 256
WALKED = frozenset(
    (
        "dict", "list", "tuple", "set", "frozenset", "cell", "function", "code", TYPE,
        "method_descriptor", "classmethod_descriptor", "member_descriptor",
        "getset_descriptor", "wrapper_descriptor",
    )
)  # fmt: skip


class ObjectType(NamedTuple):
    """A type: its address, name and flags; `category` is what a walk does with its objects.

    That is the name of a built-in type, TYPE for classes, INSTANCE for objects of classes written
    in Python, and "" for everything else.
    """

    address: int
    name: str
    flags: int
    category: str


NO_TYPE = ObjectType(0, "", 0, "")


class ObjectTypes:
    """The types of one process, each judged once."""

    def __init__(self, reader: MemoryReader, index: AddressIndex) -> None:
        self._reader, self._index = reader, index
        self._kinds: dict[int, ObjectType] = {0: NO_TYPE}
        self._slots: dict[int, tuple[int, int]] = {}
        self._by_object: dict[int, ObjectType] = {}
        self._type_at = reader.layout.require("PyObject", "ob_type")
        self._flags_at = reader.layout.require("PyTypeObject", "tp_flags")
        self._header = reader.layout.size("PyObject") or 16

    def type_of_object(self, address: int) -> ObjectType:
        """Return the type of the object at an address; NO_TYPE where none is."""
        kind = self._by_object.get(address)
        if kind is None:
            kind = NO_TYPE
            if not address & 7 and 4096 <= address < 1 << 63:
                kind = self._object_type_by_address(self._reader.word(address + self._type_at))
            self._by_object[address] = kind
        return kind

    def types_met_so_far(self) -> list[ObjectType]:
        """Return the types that were met so far."""
        return [kind for kind in self._kinds.values() if kind is not NO_TYPE]

    def objects_of_types(self, names: frozenset[str]) -> dict[str, list[int]]:
        """Return the objects of some types, by the type's name, among all that were asked about."""
        wanted = {kind.address: kind.name for kind in self.types_met_so_far() if kind.name in names}
        objects: dict[str, list[int]] = {name: [] for name in wanted.values()}
        for address, kind in self._by_object.items():
            if kind.address in wanted:
                objects[kind.name].append(address)
        return objects

    def _object_type_by_address(self, kind: int) -> ObjectType:
        judged = self._kinds.get(kind)
        if judged is None:
            judged = self._kinds[kind] = self._read_type(kind)
        return judged

    def types_of_objects(self, addresses: list[int]) -> list[ObjectType]:
        """Return what type_of_object() does for each address; all that is new is read in one go."""
        by_object, at = self._by_object, self._type_at
        new = [n for n in addresses if n not in by_object and not n & 7 and PAGE <= n < 1 << 63]
        kinds = self._reader.words([address + at for address in new])
        for kind in set(kinds).difference(self._kinds):
            self._object_type_by_address(kind)
        by_object.update(zip(new, map(self._kinds.__getitem__, kinds), strict=True))
        return [by_object.get(address, NO_TYPE) for address in addresses]

    def type_names_of(self, words: Sequence[int]) -> tuple[str | int, ...]:
        """Return the name of each object's type; "" for anything but an object, 0 for NULL."""
        by_object = self._by_object
        return tuple(
            [word and (by_object.get(word) or self.type_of_object(word)).name for word in words]
        )

    def is_instance_of(self, address: int, wanted: str) -> bool:
        """Tell whether an object is one of a built-in type, or of a class derived from it."""
        kind = self.type_of_object(address)
        return kind.name == wanted or bool(kind.flags & SUBCLASS.get(wanted, 0))

    def is_heap_type(self, kind: int) -> bool:
        """Tell whether a type was made at run time: a class."""
        return bool(self._reader.word(kind + self._flags_at) & HEAP_TYPE)

    def _read_type(self, kind: int) -> ObjectType:
        name = self._index.type_name(kind)
        if not name:
            return NO_TYPE
        try:
            flags = self._reader.u64(kind + self._flags_at)
        except UnreadableMemory:
            return NO_TYPE
        category = name if name in WALKED and not flags & HEAP_TYPE else ""
        if flags & SUBCLASS[TYPE]:
            category = TYPE
        elif flags & HEAP_TYPE and self._holds_only_references(kind):
            category = INSTANCE
        return ObjectType(kind, name, flags, category)

    def reference_slots_of_class(self, kind: int) -> tuple[tuple[int, int], ...]:
        """Return runs of (offset, number) of the words in a class's instances that are references.

        The list of weak references does not count: an object owns no reference to those.
        """
        start, count = self._slots.get(kind, (0, 0))
        try:
            weak = (self._read_type_member(kind, "tp_weaklistoffset") - start) // 8
        except (UnreadableMemory, LayoutError):
            return ()
        if not 0 <= weak < count:
            return ((start, count),)
        return ((start, weak), (start + 8 * (weak + 1), count - weak - 1))

    def _holds_only_references(self, kind: int) -> bool:
        """Whether all words of a class's instances are references: no C struct is among its bases.

        type.__new__ makes an object of as many items as there are __slots__ (ob_size), and adds
        words for __dict__ and __weakref__ (Objects/typeobject.c, 3.8 to 3.15).
        """
        try:
            size = self._read_type_member(kind, "tp_basicsize")
            at = kind
            for _ in range(MAX_BASES):
                base = self._read_type_member(at, "tp_base")
                if not base:
                    self._slots[kind] = self._header, (size - self._header) // 8
                    return self._header <= size <= self._header + 8 * MAX_SLOTS
                if self._bytes_added_to_base(at, base) != 0:
                    return False
                at = base
        except (UnreadableMemory, LayoutError):
            pass
        return False

    def _bytes_added_to_base(self, kind: int, base: int) -> int:
        """Return how many bytes a class adds to its base that no slot accounts for."""
        added = self._read_type_member(kind, "tp_basicsize") - self._read_type_member(
            base, "tp_basicsize"
        )
        flags = self._reader.u64(kind + self._flags_at)
        name = self._reader.type_name(kind)
        if not flags & HEAP_TYPE or isinstance(name, Absent) or "." in name:
            return -1
        words = self._reader.field(kind, "PyVarObject", "ob_size")
        for member in ("tp_dictoffset", "tp_weaklistoffset"):
            mine, theirs = (
                self._read_type_member(kind, member),
                self._read_type_member(base, member),
            )
            words += mine != theirs and 0 < mine < 1 << 31
        return added - 8 * words

    def _read_type_member(self, kind: int, member: str) -> int:
        return self._reader.field(kind, "PyTypeObject", member)
