# SPDX-License-Identifier: Apache-2.0
"""Constants of a .pyc file against objects in memory, bit by bit.

An object of a known value has a known image: its type, its size, its digits or characters.
Reference: longintrepr.h, unicodeobject.h, bytesobject.h, tupleobject.h, floatobject.h and
complexobject.h in Include/cpython (3.8 to 3.15).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.source.pyc import MarshalledCode, OpaqueConstant, Value
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import ADDRESS_BITS, HALF_MASK, WORD_MASK
from gdb_epi.typing_lite import NamedTuple

MAX_TEXT = 1 << 20  # characters or bytes that are compared
MAX_ITEMS = 1 << 16  # objects of one code object
POINTER_BITS = range(ADDRESS_BITS)
ENOUGH = 2  # differences: more are not told apart
COROUTINE = 0x100  # CO_ITERABLE_COROUTINE: set by types.coroutine()
IMMORTAL_INT = 4  # a bit of lv_tag of small ints (3.14)
DIGIT, DIGIT_SIZE = 30, 4
_KINDS = {
    int: "int", bool: "bool", float: "float", complex: "complex", str: "str", bytes: "bytes",
    tuple: "tuple", type(None): "NoneType", type(...): "ellipsis",
}  # fmt: skip
CONSTANTS = frozenset((*_KINDS.values(), "code", "frozenset", "slice"))
# Left out: bytecode is specialized and R6's; the import system writes the file's own name.
_OTHERS = ("co_code", "co_filename")


class ConstantDifference(NamedTuple):
    """A number, or the address of an object, at `slot`, that is not `value`."""

    member: str
    slot: int
    held: int
    value: Value
    number: bool


class _Part(NamedTuple):
    """Bytes of an object's image, as one little-endian number; `ignored` bits may be anything."""

    offset: int
    size: int
    right: int
    ignored: int = 0


class CodeComparer:
    """Compares code objects of one process with those of .pyc files."""

    def __init__(self, reader: MemoryReader) -> None:
        self.reader = reader
        self._kinds: dict[int, str] = {}
        require, offset = reader.layout.require, reader.layout.offset
        self._tag_at = offset("PyLongObject", "lv_tag")  # 3.12 (gh-101291)
        self._int_size_at = offset("PyLongObject", "ob_size")
        self._digits_at = require("PyLongObject", "ob_digit")
        self._real_at = require("PyFloatObject", "ob_fval")
        self._complex_at = require("PyComplexObject", "cval")
        self._bytes_at = require("PyBytesObject", "ob_sval")
        self._bytes_size_at = require("PyBytesObject", "ob_size")
        self._length_at = require("PyASCIIObject", "length")
        self._heads = [
            reader.layout.size(s) or 0 for s in ("PyASCIIObject", "PyCompactUnicodeObject")
        ]
        self._items_at = require("PyTupleObject", "ob_item")
        self._count_at = require("PyTupleObject", "ob_size")

    def differences(self, address: int, code: MarshalledCode) -> list[ConstantDifference]:
        """Return how a code object differs from one of a file; at most ENOUGH.

        Raises UnreadableMemory.
        """
        differing: list[ConstantDifference] = []
        objects: list[tuple[str, int, Value]] = []
        for member, value in code.members.items():
            offset = self.reader.layout.offset("PyCodeObject", member)
            if offset is None or member in _OTHERS:
                continue
            if type(value) is not int:
                objects.append((member, address + offset, value))
                continue
            held = self.reader.u32(address + offset)
            ignored = COROUTINE if member == "co_flags" else 0
            if (held ^ value) & HALF_MASK & ~ignored:
                differing.append(ConstantDifference(member, address + offset, held, value, True))
                if len(differing) == ENOUGH:
                    return differing
        return self._objects(objects, differing)

    def _objects(
        self, todo: list[tuple[str, int, Value]], differing: list[ConstantDifference]
    ) -> list[ConstantDifference]:
        for _ in range(MAX_ITEMS):
            if not todo or len(differing) == ENOUGH:
                break
            member, slot, value = todo.pop()
            held = self.reader.u64(slot)
            if isinstance(value, OpaqueConstant | MarshalledCode):
                continue
            if not self._is(held, value):
                difference = ConstantDifference(member, slot, held, value, False)
                if not any(
                    difference[2:] == other[2:] for other in differing
                ):  # a name held twice is one
                    differing.append(difference)
            elif isinstance(value, tuple):
                start = held + self._items_at
                todo += [(member, start + 8 * n, element) for n, element in enumerate(value)]
        return differing

    def flip(self, difference: ConstantDifference) -> tuple[int, int] | None:
        """Return (address of a byte, bit from there) that makes a difference go; None if none does.

        The pointer may be wrong, or what it leads to. None also where either would explain it.
        """
        if difference.number:
            assert isinstance(difference.value, int)
            return _single(difference.slot, (difference.held ^ difference.value) & HALF_MASK)
        right = [
            bit
            for bit in POINTER_BITS
            if self._equals(difference.held ^ 1 << bit, difference.value)
        ]
        ways = [(difference.slot + bit // 8, bit % 8) for bit in right]
        if self.kind(difference.held) == _KINDS.get(type(difference.value)):
            inside = self._one_bit_inside(difference.held, difference.value)
            ways += [inside] if inside is not None else []
        return ways[0] if len(ways) == 1 else None

    def _one_bit_inside(self, address: int, value: Value) -> tuple[int, int] | None:
        """Return the one bit in which an object differs from a value of its type."""
        try:
            parts = [(part.offset, self._wrong(address, part)) for part in self._image(value)]
        except UnreadableMemory:
            return None
        wrong = [(address + offset, flips) for offset, flips in parts if flips]
        return _single(*wrong[0]) if len(wrong) == 1 else None

    def unwritten(self, difference: ConstantDifference, place: int) -> bool:
        """Whether what is held is no constant, name or text that a compiler makes of any source."""
        if difference.number:
            return False
        if difference.slot <= place < difference.slot + 8:
            return self.kind(difference.held) not in CONSTANTS
        if not isinstance(difference.value, str):
            return False
        text = self.reader.string(difference.held, MAX_TEXT)
        if isinstance(text, Absent) or (difference.value.isascii() and not text.isascii()):
            return True  # no bit of it says that characters are ASCII, but where they begin
        name = difference.member != "co_consts" and difference.value.isidentifier()
        return (difference.value.isprintable() and not text.isprintable()) or (
            name and not text.isidentifier()
        )

    def kind(self, address: int) -> str:
        """Return the name of an object's type; "" when there is none."""
        try:
            kind = self.reader.type_of(address)
        except UnreadableMemory:
            return ""
        if kind not in self._kinds:
            name = self.reader.type_name(kind)
            self._kinds[kind] = "" if isinstance(name, Absent) else name
        return self._kinds[kind]

    def _equals(self, address: int, value: Value) -> bool:
        """Tell whether an object and all that it holds is that value."""
        try:
            if not self._is(address, value):
                return False
            if not isinstance(value, tuple):
                return True
            start = address + self._items_at
            todo: list[tuple[str, int, Value]] = [
                ("", start + 8 * n, part) for n, part in enumerate(value)
            ]
            return not self._objects(todo, [])
        except UnreadableMemory:
            return False

    def _is(self, address: int, value: Value) -> bool:
        """Whether an object is that value; of a tuple its length alone. Raises UnreadableMemory."""
        if address & 7 or self.kind(address) != _KINDS.get(type(value)):
            return False
        try:
            return not any(self._wrong(address, part) for part in self._image(value))
        except UnreadableMemory:
            return False

    def _wrong(self, address: int, part: _Part) -> int:
        raw = self.reader.read(address + part.offset, part.size)
        return (int.from_bytes(raw, "little") ^ part.right) & ~part.ignored

    def _image(self, value: Value) -> Iterable[_Part]:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            return self._integer(value)
        if isinstance(value, bytes):
            return _parts_with_size(self._bytes_size_at, len(value), self._bytes_at, value)
        if isinstance(value, tuple):
            return _parts_with_size(self._count_at, len(value), self._items_at, b"")
        if isinstance(value, float):
            return [_part(self._real_at, struct.pack("<d", value))]
        if isinstance(value, complex):
            return [_part(self._complex_at, struct.pack("<dd", value.real, value.imag))]
        return ()

    def _text(self, value: str) -> list[_Part]:
        highest = max(map(ord, value), default=0)
        codec = "latin-1" if highest < 0x100 else "utf-16-le" if highest < 0x10000 else "utf-32-le"
        encoded = value.encode(codec, "surrogatepass")
        return _parts_with_size(self._length_at, len(value), self._heads[highest >= 0x80], encoded)

    def _integer(self, value: int) -> list[_Part]:
        count = -(-abs(value).bit_length() // DIGIT)
        digits = b"".join(
            (abs(value) >> DIGIT * n & (1 << DIGIT) - 1).to_bytes(DIGIT_SIZE, "little")
            for n in range(count)
        )
        sign = (value > 0) - (value < 0)
        if self._tag_at is not None:
            parts = [_Part(self._tag_at, 8, count << 3 | 1 - sign, IMMORTAL_INT)]
        else:
            assert self._int_size_at is not None
            parts = [_Part(self._int_size_at, 8, sign * count & WORD_MASK)]
        return [*parts, _part(self._digits_at, digits)]


def _part(offset: int, content: bytes) -> _Part:
    return _Part(offset, len(content), int.from_bytes(content, "little"))


def _parts_with_size(size_at: int, size: int, data_at: int, content: bytes) -> list[_Part]:
    return [_Part(size_at, 8, size), _part(data_at, content)]


def _single(place: int, flips: int) -> tuple[int, int] | None:
    """Return (address of a byte, bit) of the one bit that is set; None for more."""
    if flips.bit_count() != 1:
        return None
    bit = flips.bit_length() - 1
    return place + bit // 8, bit % 8
