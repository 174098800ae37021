# SPDX-License-Identifier: Apache-2.0
"""Types of a process: what a PyTypeObject says, and which built-in type a type goes back to.

Built-in types with a flag of their own (int, str, list, ...) are known by that flag and never by
name, so they are known even where the names lie in memory that the core left out, and no class
can pretend to be one. All others are recognised by tp_name, or, without it, by their address.
"""

from __future__ import annotations

from contextlib import suppress

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import split_into_words
from gdb_epi.typing_lite import NamedTuple

MAX_BASES = 128
MAX_TYPE_SIZE = 1 << 20  # bytes of one instance
MAX_TYPE_NAME = 4096
MAX_LOOKED_UP = 100_000

# Public ABI, Include/object.h (3.8 to 3.15).
HEAPTYPE = 1 << 9
_READY = 1 << 12
_FLAGS = (
    (1 << 24, "int"),
    (1 << 25, "list"),
    (1 << 26, "tuple"),
    (1 << 27, "bytes"),
    (1 << 28, "str"),
    (1 << 29, "dict"),
    (1 << 30, "BaseException"),
    (1 << 31, "type"),
)
FLAGGED = frozenset(name for _, name in _FLAGS)


STRUCT_SEQUENCE = "structseq"  # time.struct_time, os.stat_result, sys.flags ...


class TypeInfo(NamedTuple):
    """One PyTypeObject. `full_name` is tp_name, "" when nobody has it."""

    address: int
    full_name: str
    module: str  # "" when it is unknown
    qualname: str
    # Members of the struct, without tp_:
    flags: int
    basicsize: int
    itemsize: int
    base: int  # PyTypeObject * or 0
    dict: int  # 0 for static types of 3.12+, which keep theirs in the interpreter
    mro: int
    repr: int

    @property
    def name(self) -> str:
        """Return `__name__`: tp_name without the module."""
        return self.full_name.rpartition(".")[2] if not self.is_python_class else self.full_name

    @property
    def is_python_class(self) -> bool:
        """Whether a class statement seems to have made it."""
        return bool(self.flags & HEAPTYPE) and "." not in self.full_name

    @property
    def qualified_name(self) -> str:
        """Return the name that object.__repr__ gives: module.qualname, builtins left out."""
        if self.module in ("", "builtins"):
            return self.qualname or "?"
        return f"{self.module}.{self.qualname}"


class Lineage(NamedTuple):
    """A type with its bases by tp_base, itself first; `ident` names the built-in at `root`."""

    types: tuple[TypeInfo, ...]
    ident: str  # "" when only `object` is known about it
    root: TypeInfo

    @property
    def has_repr_of_root(self) -> bool:
        """Whether repr() runs the same C function as for the built-in type."""
        return self.types[0].repr == self.root.repr

    @property
    def has_repr_of_object(self) -> bool:
        """Whether repr() runs what `object` has; the last type is `object` when it has no base."""
        of_object = self.types[-1].repr if not self.types[-1].base else 0
        return of_object != 0 and self.types[0].repr == of_object


class TypeReader:
    """The types of one process, each read once."""

    def __init__(
        self, reader: MemoryReader, objects: NamespaceReader, interpreters: tuple[int, ...]
    ) -> None:
        layout = reader.layout
        self._reader = reader
        self._objects = objects
        self._interpreters = interpreters
        self._known: dict[int, TypeInfo | tuple[int, int, str]] = {}  # why it cannot be read
        self._lineages: dict[int, Lineage] = {}
        self._looked_up: dict[tuple[int, str], int] = {}  # by dict and name; 0: it has none
        self._at = {
            field: layout.require("PyTypeObject", "tp_" + field)
            for field in ("basicsize", "itemsize", "repr", "flags", "base", "dict", "mro")
        }
        self._size = max(self._at.values()) + 8
        self._qualname = layout.require("PyHeapTypeObject", "ht_qualname")

    def type_at(self, address: int) -> TypeInfo:
        """Return the type at an address. Raises UnreadableMemory when there is none."""
        info = self._known.get(address)
        if info is None:
            try:
                info = self._read_type_info(address)
            except UnreadableMemory as error:
                info = error.address, error.size, error.why
            self._known[address] = info
        if not isinstance(info, TypeInfo):
            raise UnreadableMemory(*info)  # anew: one that is kept keeps all who met it
        return info

    def type_of_object(self, address: int) -> TypeInfo:
        """Return the type of an object. Raises UnreadableMemory when there is none."""
        if address & 7 or not address:
            raise UnreadableMemory(address, 8, "not an aligned pointer")
        return self.type_at(self._reader.type_of(address))

    def type_name_of(self, address: int) -> str:
        """Return module and qualname of an object's type; "" when it is no object."""
        try:
            return self.type_of_object(address).qualified_name
        except UnreadableMemory:
            return ""

    def root_builtin_type_name(self, address: int) -> str:
        """Return the built-in type that an object goes back to; "" when it is no object."""
        try:
            return self.lineage(self.type_of_object(address).address).ident
        except UnreadableMemory:
            return ""

    def flags(self, address: int) -> int:
        """Return tp_flags of the type at an address. Raises UnreadableMemory when there is none.

        Only the struct is checked, neither its name nor its dict.
        """
        info = self._known.get(address)
        return (
            info.flags if isinstance(info, TypeInfo) else self._read_type_members(address)["flags"]
        )

    def _read_type_members(self, address: int) -> dict[str, int]:
        if address & 7 or not address:
            raise UnreadableMemory(address, self._size, "no type: not an aligned pointer")
        head = self._reader.read(address, self._size)
        field = {k: int.from_bytes(head[at : at + 8], "little") for k, at in self._at.items()}
        sane = 0 < field["basicsize"] < MAX_TYPE_SIZE and field["itemsize"] < MAX_TYPE_SIZE
        if not field["flags"] & _READY or not sane:
            raise UnreadableMemory(address, self._size, "no type: its fields make no sense")
        return field

    def _read_type_info(self, address: int) -> TypeInfo:
        field = self._read_type_members(address)
        text = self._reader.type_name(address)
        name = "" if isinstance(text, Absent) or not text.isprintable() else text
        module, dot, qualname = name.rpartition(".")
        if field["flags"] & HEAPTYPE:
            with suppress(UnreadableMemory):
                named = self._reader.u64(address + self._qualname)
                qualname = self._str_contents(named) or qualname
            held = self._objects.dict_get(field["dict"], "__module__") if field["dict"] else 0
            module = (
                "" if isinstance(held, Absent) or not held else self._str_contents(held)
            ) or module
        elif name and not dot:
            module = "builtins"
        return TypeInfo(address, name, module, qualname, **field)

    def _str_contents(self, address: int) -> str:
        """Return the contents of a str, "" where it cannot be read."""
        text = self._reader.string(address, MAX_TYPE_NAME)
        return "" if isinstance(text, Absent) else text

    def lineage(self, address: int) -> Lineage:
        """Return a type with its bases and the built-in type that it goes back to."""
        lineage = self._lineages.get(address)
        if lineage is None:
            lineage = self._lineages[address] = self._lineage(address)
        return lineage

    def _lineage(self, address: int) -> Lineage:
        types = [self.type_at(address)]
        seen = {address}
        while types[-1].base and len(types) < MAX_BASES:
            if types[-1].base in seen:
                raise UnreadableMemory(address, 8, "the bases of the type make a cycle")
            seen.add(types[-1].base)
            types.append(self.type_at(types[-1].base))
        for flag, name in _FLAGS:
            flagged = [info for info in types if info.flags & flag]
            if types[0].flags & flag and flagged:
                # A C subclass with a repr of its own (bool, defaultdict, OrderedDict, structseq
                # types) comes before the type that gives the flag.
                for info in flagged[:-1]:
                    if not info.is_python_class and info.repr != flagged[-1].repr:
                        return Lineage(tuple(types), _ident_by_own_repr(info, name), info)
                return Lineage(tuple(types), name, flagged[-1])
        for info in types:
            ident = info.full_name
            if not info.is_python_class and ident and ident not in FLAGGED and ident != "object":
                return Lineage(tuple(types), ident, info)
        return Lineage(tuple(types), "", types[-1])

    def mro(self, info: TypeInfo) -> list[TypeInfo]:
        """Return the method resolution order, or the chain of tp_base where it is unreadable."""
        layout = self._reader.layout
        try:
            count = self._reader.field(info.mro, "PyTupleObject", "ob_size")
            if not 0 < count <= MAX_BASES:
                raise UnreadableMemory(info.mro, 8, f"an MRO of {count} types")
            first_item = info.mro + layout.require("PyTupleObject", "ob_item")
            return [
                self.type_at(base)
                for base in split_into_words(self._reader.read(first_item, 8 * count))
            ]
        except UnreadableMemory:
            return list(self.lineage(info.address).types)

    def lookup(self, info: TypeInfo, name: str) -> tuple[TypeInfo, int] | None:
        """Return the class and the attribute (PyObject *) that `type.name` finds, or None."""
        for base in self.mro(info):
            value = self._attribute_in_class_dict(base.dict, name) if base.dict else 0
            if value:
                return base, value
        return None

    def _attribute_in_class_dict(self, contents: int, name: str) -> int:
        """Return what a class's dict has of a name, or 0; a damaged one may have a million."""
        attribute = self._looked_up.get((contents, name))
        if attribute is None:
            value = self._objects.dict_get(contents, name)
            attribute = 0 if isinstance(value, Absent) else value
            if len(self._looked_up) < MAX_LOOKED_UP:
                self._looked_up[contents, name] = attribute
        return attribute

    def module_dict(self, name: str) -> int:
        """Return the dict (PyObject *) of an imported module, 0 when there is none."""
        for interpreter in self._interpreters:
            contents = self._objects.module_dict(interpreter, name)
            if not isinstance(contents, Absent):
                return contents
        return 0


def _ident_by_own_repr(info: TypeInfo, name: str) -> str:
    """Return what a C type with a repr of its own is that derives from a flagged type."""
    if name == "int" and not info.flags & HEAPTYPE:
        return "bool"  # the only static type that derives from int
    if name == "tuple" and info.full_name not in ("datetime.IsoCalendarDate", "torch.Size"):
        return STRUCT_SEQUENCE
    return info.full_name
