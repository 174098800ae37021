# SPDX-License-Identifier: Apache-2.0
"""How a value becomes text: limits, the decoder that every decoder is given, the registries.

A decoder returns what repr() would have returned. What it is not sure of it refuses by raising
Undecodable, or marks by `decoder.inexact()`; nothing is guessed.

Words that tell of memory that was freed, or never filled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdb_epi.cpython.objects.type_objects import Lineage, TypeInfo
from gdb_epi.cpython.values.context import ValueContext as ValueContext
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple

# Objects/obmalloc.c, PYMEM_*BYTE: the debug allocators (PYTHONMALLOC=debug, -X dev, debug builds)
# fill memory with one of these. 0xdb was the mark of freed memory up to 3.7, and is that of others.
_MARKS = {
    0xCD: "memory that was never filled",
    0xDD: "freed memory",
    0xFD: "the guard around a block",
    0xDB: "freed memory",
    0xCB: "memory that was never filled",
    0xFB: "the guard around a block",
}


def poison(word: int) -> str:
    """Say which mark of the debug allocators a 64-bit word is; "" when it is none.."""
    what = _MARKS.get(word >> 24 & 0xFF)
    if what is None or word != (word >> 24 & 0xFF) * 0x0101010101010101:
        return ""
    return f"{what}: every byte is {word & 0xFF:#x}, as the debug allocators of CPython leave it"


DEPTH, MAX_DEPTH = 6, 40  # containers in containers
WIDTH, MAX_WIDTH = 100, 1_000_000  # items of one container
LENGTH, MAX_LENGTH = 4096, 1 << 24  # characters of one str, bytes, or digits of an int
TOTAL = 64 << 10  # characters of one value, all in all
MAX_TOTAL = 1 << 26
MAX_ATTRIBUTES = 200
MAX_NESTING = 60  # objects in objects of any kind; damaged ones may hold themselves
MAX_WHY = 200
MAX_NAME = 4096
NEAR = 4096  # bytes: whatever is shorter is simply read

CUT = "..."


class Limits(NamedTuple):
    """How much of one value is shown; what is left out is marked by `...` and `Value.cut`."""

    depth: int = DEPTH
    width: int = WIDTH
    length: int = LENGTH
    total: int = TOTAL

    def bounded(self) -> Limits:
        """Return these limits, none beyond what is safe."""
        return Limits(
            max(1, min(self.depth, MAX_DEPTH)),
            max(0, min(self.width, MAX_WIDTH)),
            max(1, min(self.length, MAX_LENGTH)),
            max(1, min(self.total, MAX_TOTAL)),
        )


class Value(NamedTuple):
    """One object as text.

    `exact`: the text is what repr() would have given, but for what `cut` says. `attributes` are
    those of an instance whose text does not show them, each (name, text).
    """

    type: str
    text: str
    cut: bool
    exact: bool
    attributes: tuple[tuple[str, str], ...] = ()

    def shown(self) -> str:
        """Return the text, with the attributes behind it."""
        if not self.attributes:
            return self.text
        return f"{self.text} with " + ", ".join(f"{k}={v}" for k, v in self.attributes)


class Undecodable(EpiError):
    """An object that does not look like one of its type."""


class Obj(NamedTuple):
    """An object and its type."""

    address: int
    lineage: Lineage

    @property
    def type(self) -> TypeInfo:
        """The type of the object itself."""
        return self.lineage.types[0]


Decoder = Callable[["ReprDecoder", Obj], str]
DECODERS: dict[str, Decoder] = {}  # by the name of a built-in type
PYTHON_REPRS: dict[tuple[str, str], Decoder] = {}  # by module and qualname of a __repr__


def decodes(*names: str) -> Callable[[Decoder], Decoder]:
    """Register the decoder of built-in types, named as by tp_name."""

    def register(decoder: Decoder) -> Decoder:
        for name in names:
            DECODERS[name] = decoder
        return decoder

    return register


def decodes_repr(*names: tuple[str, str]) -> Callable[[Decoder], Decoder]:
    """Register a decoder that does what a `__repr__` written in Python does."""

    def register(decoder: Decoder) -> Decoder:
        for name in names:
            PYTHON_REPRS[name] = decoder
        return decoder

    return register


class ReprDecoder:
    """Paint one value; keeps count of what is left of the limits."""

    def __init__(self, context: ValueContext, limits: Limits) -> None:
        self.context = context
        self.reader = context.reader
        self.layout = context.reader.layout
        self.limits = limits
        self.cut = False
        self.exact = True
        self.bare = False  # the text of the outermost object shows nothing of what it holds
        self.notes: list[tuple[str, str]] = []  # what the outermost object's text does not tell
        self._room = limits.total
        self._depth = 0
        self._nesting = 0
        self._active: set[int] = set()

    # -- one object ---------------------------------------------------------------------------

    def obj(self, address: int) -> Obj:
        """Return an object with its type. Raises UnreadableMemory when it has none."""
        if address & 7 or not address:
            raise UnreadableMemory(address, 8, poison(address) or "not an aligned pointer")
        kind = self.reader.type_of(address)
        if kind & 7 and poison(kind):
            raise Undecodable(poison(kind))
        return Obj(address, self.context.types.lineage(kind))

    def freed(self, address: int) -> bool:
        """Tell whether an object's reference count is 0, as freeing leaves it.

        Free-threaded builds count in two fields, of which this says nothing.
        """
        at = self.layout.offset("PyObject", "ob_refcnt")
        member = self.layout.find("PyObject", "ob_refcnt")
        if at is None or member is None or self.layout.free_threaded:
            return False
        return not any(self.reader.read(address + at, member.size))

    def show(self, address: int) -> str:
        """Return the text of an object; what cannot be decoded is marked. Never raises."""
        if self._room <= 0 or self._nesting >= MAX_NESTING:
            self.cut = True
            return CUT
        self._nesting += 1
        name, before = "an object", self._room
        try:
            found = self.obj(address)
            name = found.type.shown
            text = self._paint(found)
            if self.freed(address):
                self.exact = False
                text = f"<freed (reference count 0): {text}>"
        except (UnreadableMemory, LayoutError, Undecodable) as error:
            text = self.refuse(address, name, str(error))
        self._nesting -= 1
        self._room = min(self._room, before - len(text))  # what is inside paid already
        return text

    def refuse(self, address: int, name: str, why: str) -> str:
        """Return the mark of an object that could not be decoded."""
        self.exact = False
        return f"<cannot decode {name} at {address:#x}: {why[:MAX_WHY]}>"

    def note(self, name: str, text: str) -> None:
        """Note what the text of the outermost object leaves out, such as a generator's line."""
        if self._nesting == 1:
            self.notes.append((name, text))

    def inexact(self) -> None:
        """Note that the text is not what repr() would have returned."""
        self.exact = False

    def _paint(self, found: Obj) -> str:
        lineage = found.lineage
        if not lineage.ident or not lineage.plain:
            return self._instance(found)
        if lineage.plain_object:  # e.g. classmethod, which got a repr with 3.10
            return self.plain_instance(found)
        decoder = DECODERS.get(lineage.ident) or self._of_base(lineage)
        if decoder is None:
            return self._instance(found)
        return decoder(self, found)

    def _of_base(self, lineage: Lineage) -> Decoder | None:
        """Return the decoder of a C base that gave a C type its repr, as numpy.dtype does."""
        for info in lineage.types[1:]:
            same = info.repr == lineage.types[0].repr and not info.python_class
            if same and info.full_name in DECODERS:
                return DECODERS[info.full_name]
        return None

    def _instance(self, found: Obj) -> str:
        """Paint what has no decoder by its built-in type: by its Python __repr__, or by name."""
        if found.lineage.plain_object:
            return self.plain_instance(found)
        decoder = self._python_repr(found.type)
        if decoder is not None:
            return decoder(self, found)
        text = self._own_repr(found)
        if text is not None:
            return text
        self.exact = False
        payload = DECODERS.get(found.lineage.ident)
        if payload is None or found.lineage.plain:
            return self.plain_instance(found)
        return f"{self.plain_instance(found)[:-1]}: {payload(self, found)}>"

    def _own_repr(self, found: Obj) -> str | None:
        """Return what a __repr__ of the program's own gives; it may hide what the object holds."""
        from gdb_epi.cpython.values.repr_from_bytecode import own_repr

        text = own_repr(self, found)
        self.bare = self.bare or not (self._depth or text is None)
        return text

    def plain_instance(self, found: Obj) -> str:
        """Return what object.__repr__ gives."""
        if not found.type.qualname:
            self.exact = False
        self.bare = self.bare or not self._depth
        return f"<{found.type.shown} object at {found.address:#x}>"

    def _python_repr(self, info: TypeInfo) -> Decoder | None:
        known = self.context.python_reprs
        if info.address not in known:
            from gdb_epi.cpython.values.python_classes import function_identity

            found = self.context.types.lookup(info, "__repr__")
            identity = function_identity(self, *found) if found is not None else None
            known[info.address] = PYTHON_REPRS.get(identity) if identity is not None else None
        return known[info.address]

    # -- containers ---------------------------------------------------------------------------

    def enter(self, address: int) -> bool:
        """Begin a container; False when it is inside itself (then do not leave())."""
        if address in self._active:
            return False
        self._active.add(address)
        self._depth += 1
        return True

    def leave(self, address: int) -> None:
        """End a container."""
        self._active.discard(address)
        self._depth -= 1

    @property
    def too_deep(self) -> bool:
        """Whether the contents of one more container are to be left out."""
        return self._depth > self.limits.depth

    def join(self, addresses: Iterable[int], count: int) -> str:
        """Return the items of a container with commas, `...` for those left out."""
        return self.join_text((self.show(address) for address in addresses), count)

    def join_text(self, texts: Iterable[str], count: int) -> str:
        """Return texts with commas, at most as many as the width allows; `count` are expected."""
        parts: list[str] = []
        if count and self.too_deep:
            self.cut = True
            return CUT
        if count:
            for text in texts:
                if len(parts) >= self.limits.width or self._room <= 0:
                    break
                parts.append(text)
                self._room -= 2
        if len(parts) < count:
            self.cut = True
            parts.append(CUT)
        return ", ".join(parts)

    # -- memory -------------------------------------------------------------------------------

    def field(self, found: int, struct: str, *members: str) -> int:
        """Return a 64-bit member of a struct at an address."""
        return self.reader.u64(found + self.context.offset(struct, *members))

    def signed(self, found: int, struct: str, *members: str) -> int:
        """Return a Py_ssize_t member of a struct at an address."""
        return self.reader.i64(found + self.context.offset(struct, *members))

    def require_range(self, address: int, size: int, what: str) -> None:
        """Raise Undecodable unless a range of this size can be there at all."""
        if size < 0:
            raise Undecodable(f"{what}: a negative size")
        if size <= NEAR:
            return
        region = self.context.target.region_at(address)
        if region is not None and address + size <= region.end:
            return
        end = self.context.target.region_at(address + size - 1)
        if region is None or end is None or size >> 40:
            raise Undecodable(f"{what} of {size} bytes do not fit the mapping")

    def word(self, found: Obj, index: int) -> int:
        """Return a 64-bit word of an object's struct, counted from behind its header."""
        return self.reader.u64(found.address + (self.layout.size("PyObject") or 0) + 8 * index)

    def number(self, found: Obj, index: int) -> int:
        """Return a Py_ssize_t of an object's struct, counted as by word()."""
        value = self.word(found, index)
        return value - (1 << 64) if value >> 63 else value

    def member(self, found: Obj, name: str) -> int:
        """Return the address of a member that a C type declares. Raises Undecodable."""
        for info in found.lineage.types:
            place = self.context.members(info).get(name)
            if place is not None and 0 < place[0] < info.basicsize:
                return found.address + place[0]
        raise Undecodable(f"its type declares no member {name}")

    def type_name(self, found: Obj) -> str:
        """Return tp_name. Raises Undecodable when nobody has it."""
        if not found.type.full_name:
            raise Undecodable("its type has no name")
        return found.type.full_name

    def class_name(self, found: Obj) -> str:
        """Return `__name__` of the type. Raises Undecodable when nobody has it."""
        self.type_name(found)
        return found.type.name

    def ident(self, address: int) -> str:
        """Return the built-in type that an object goes back to, "" when there is none."""
        return self.obj(address).lineage.ident

    def items(self, address: int, count: int, what: str) -> list[int]:
        """Read an array of PyObject *, as far as the width allows."""
        self.require_range(address, 8 * count, what)
        number = min(count, self.limits.width)
        data = self.reader.read(address, 8 * number)
        return [int.from_bytes(data[at : at + 8], "little") for at in range(0, 8 * number, 8)]

    def string(self, address: int, cap: int = 4096) -> str:
        """Return a short str object's contents. Raises Undecodable."""
        found = self.reader.string(address, cap)
        if isinstance(found, Absent):
            raise Undecodable(found.detail)
        return found
