# SPDX-License-Identifier: Apache-2.0
"""MemoryReader: a target and a layout together; scalars and strings out of memory."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.errors import UNPARSABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

MAX_C_STRING = 4096
MAX_STRING_CHARS = 1 << 20

_U64 = struct.Struct("<Q")
_U32 = struct.Struct("<I")
_I64 = struct.Struct("<q")

# Width in bytes of one character, by PyUnicode kind (Include/cpython/unicodeobject.h, 3.3+).
CODECS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


def make_field_struct(fields: Iterable[tuple[int, str]]) -> struct.Struct:
    """Return what takes (offset, format character) out of a struct; the offsets ascend."""
    parts, end = ["<"], 0
    for offset, code in fields:
        parts.append(f"{offset - end}x{code}")
        end = offset + struct.calcsize("<" + code)
    return struct.Struct("".join(parts))


class CircularList(NamedTuple):
    """A circular list: its head, where a node has the next one, low bits of that which are flags.

    `size` is that of a node.
    """

    head: int
    next_at: int
    flags: int
    size: int


def why_chain_ends(node: int, link: CircularList, cap: int, *, repeats: bool) -> str:
    """Return why a walk over a list does not go on at a node."""
    why = "a cycle or a NULL in a list of the collector"
    if node and not repeats:
        why = f"more than {cap} objects; not walked further"
    return str(UnreadableMemory(node, link.size, why))


class MemoryReader:
    """Scalars, C strings and str objects of one process.

    Methods raise UnreadableMemory; those that return text return an Absent instead.
    """

    def __init__(self, target: Target, layout: Layout) -> None:
        self.target = target
        self.layout = layout
        self.read = target.read
        self._state = layout.find("PyASCIIObject", "state")
        self._length_at = layout.require("PyASCIIObject", "length")
        self._kind = layout.find("PyASCIIObject", "state.kind")
        self._compact = layout.find("PyASCIIObject", "state.compact")
        self._ascii = layout.find("PyASCIIObject", "state.ascii")
        self._ascii_size = layout.size("PyASCIIObject") or 0
        self._compact_size = layout.size("PyCompactUnicodeObject") or 0
        self._data_at = layout.offset("PyUnicodeObject", "data", "data.any")
        self._type_at = layout.require("PyObject", "ob_type")

    def u64(self, address: int) -> int:
        """Read an unsigned 64-bit word, e.g. a pointer."""
        return int(_U64.unpack(self.read(address, 8))[0])

    def u32(self, address: int) -> int:
        """Read an unsigned 32-bit word."""
        return int(_U32.unpack(self.read(address, 4))[0])

    def i64(self, address: int) -> int:
        """Read a Py_ssize_t."""
        return int(_I64.unpack(self.read(address, 8))[0])

    def u8(self, address: int) -> int:
        """Read one byte."""
        return self.read(address, 1)[0]

    def field(self, address: int, struct: str, *members: str) -> int:
        """Return a pointer or size_t: the first of some members that the struct at an address has.

        Raises LayoutError where it has none of them, as signed_field() and field32() do.
        """
        return self.u64(address + self.layout.require(struct, *members))

    def signed_field(self, address: int, struct: str, *members: str) -> int:
        """Return a member that is a Py_ssize_t."""
        return self.i64(address + self.layout.require(struct, *members))

    def field32(self, address: int, struct: str, *members: str) -> int:
        """Return a member of 32 bits, taken as unsigned."""
        return self.u32(address + self.layout.require(struct, *members))

    def text_field(self, address: int, struct: str, member: str) -> str:
        """Return the text of a member that is a str; "" where it is none."""
        text = self.string(self.field(address, struct, member), MAX_C_STRING)
        return "" if isinstance(text, Absent) else text

    def definition_name(
        self, address: int, struct: str = "PyCFunctionObject", member: str = "m_ml"
    ) -> str | Absent:
        """Return the name of a function or method of C, as its PyMethodDef has it."""
        definition = self.field(address, struct, member)
        return self.c_string(self.field(definition, "PyMethodDef", "ml_name"))

    def unpack(self, address: int, fields: struct.Struct) -> tuple[int, ...] | None:
        """Return the fields at an address; None where they are not at hand in one piece."""
        try:
            return fields.unpack(self.read(address, fields.size))
        except UnreadableMemory:
            return None

    def type_of(self, address: int) -> int:
        """Return ob_type of a PyObject."""
        return self.u64(address + self._type_at)

    def chain(self, link: CircularList, cap: int) -> tuple[list[int], str]:
        """Return the nodes of a circular list, at most `cap`, and why the walk ended early.

        "" where it came back to the head. A node whose next one cannot be read is left out.
        """
        nodes: list[int] = []
        seen = {link.head}
        try:
            node = self.u64(link.head + link.next_at) & ~link.flags
            while node != link.head:
                if node in seen or not node or len(nodes) >= cap:
                    return nodes, why_chain_ends(node, link, cap, repeats=node in seen)
                following = self.u64(node + link.next_at) & ~link.flags
                seen.add(node)
                nodes.append(node)
                node = following
        except UnreadableMemory as error:
            return nodes, str(error)
        return nodes, ""

    def c_string(self, address: int, cap: int = MAX_C_STRING) -> str | Absent:
        """Read a NUL-terminated UTF-8 string, in small steps up to the end of its mapping."""
        parts: list[bytes] = []
        size = 0
        try:
            while size < cap:
                step = 64 - (address + size) % 64
                part = self.read(address + size, step)
                end = part.find(b"\0")
                parts.append(part if end < 0 else part[:end])
                if end >= 0:
                    return b"".join(parts).decode("utf-8", "surrogateescape")
                size += step
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))
        return Absent(UNPARSABLE, f"no end within {cap} bytes at {address:#x}")

    def type_name(self, type_address: int) -> str | Absent:
        """Return tp_name of a PyTypeObject, or what the modules of the process call the type.

        Absent when the name lies in read-only data that the core left out and no file has, and no
        module names it.
        """
        try:
            name_at = self.field(type_address, "PyTypeObject", "tp_name")
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))
        text = self.c_string(name_at, 512)
        if isinstance(text, Absent) and self.layout.type_name is not None:
            return self.layout.type_name(type_address) or text
        return text

    def string(self, address: int, cap: int = MAX_STRING_CHARS) -> str | Absent:
        """Decode a str object; lone surrogates are kept as such.

        Absent when it is unreadable or does not look like a str. Reference:
        Include/cpython/unicodeobject.h (3.8 to 3.15).
        """
        try:
            return self._string(address, cap)
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))

    def _bits(self, head: bytes, member: tuple[int, int, int, int]) -> int:
        offset, size, shift, width = member
        value = int.from_bytes(head[offset : offset + size], "little")
        return value >> shift & ((1 << width) - 1) if width else value

    def _string(self, address: int, cap: int) -> str | Absent:
        head = self.read(address, self._ascii_size)
        length = int.from_bytes(head[self._length_at : self._length_at + 8], "little")
        if self._kind is None or self._compact is None or self._ascii is None:
            return Absent(UNPARSABLE, "the layout has no str state bits")
        kind = self._bits(head, self._kind)
        codec = CODECS.get(kind)
        if codec is None:
            return Absent(UNPARSABLE, f"no str at {address:#x} (kind {kind})")
        if length > cap:
            return Absent(UNPARSABLE, f"str of {length} characters at {address:#x} (cap {cap})")
        start = address + self._ascii_size
        if not self._bits(head, self._compact):
            if self._data_at is None:
                return Absent(UNPARSABLE, "the layout has no PyUnicodeObject.data")
            start = self.u64(address + self._data_at)
        elif not self._bits(head, self._ascii):
            start = address + self._compact_size
        try:
            return self.read(start, length * kind).decode(codec, "surrogatepass")
        except UnicodeDecodeError as error:
            return Absent(UNPARSABLE, f"damaged str at {address:#x}: {error.reason}")

    def is_string(self, address: int, text: str) -> bool:
        """Tell whether a str object holds `text`; ASCII in one read and without decoding it.

        Walks over dicts read hundreds of keys that they do not look for.
        """
        if not text.isascii():  # a module's name may be any identifier, or read from damaged memory
            return self.string(address, 4096) == text
        wanted = text.encode("ascii")
        size = self._ascii_size
        try:
            raw = self.read(address, size + len(wanted))
        except UnreadableMemory:  # a shorter str at the end of a mapping, or no str at all
            return self.string(address, 4096) == text
        length = int.from_bytes(raw[self._length_at : self._length_at + 8], "little")
        if length != len(wanted):
            return False
        return raw[size:] == wanted or self.string(address, 4096) == text

    def which_string(self, address: int, texts: Sequence[str]) -> str | None:
        """Return which of some texts a str object holds; None for another one."""
        return next((text for text in texts if self.is_string(address, text)), None)

    def value_of(self, entries: Iterable[tuple[int, int]], text: str) -> int | None:
        """Return the value of the first (str object, value) whose str holds a text."""
        return next((value for key, value in entries if self.is_string(key, text)), None)

    def plain_string(self, address: int, cap: int) -> str | None:
        """Return the text of a compact ASCII str that is at hand in one piece; None of others."""
        return None

    def bare_string(self, address: int, cap: int) -> bytes | None:
        """Return the bytes of a compact ASCII str, whatever its state says, as is_string() reads.

        None of one with more than `cap` characters, and where it cannot be read.
        """
        size = self._ascii_size
        try:
            length = self.u64(address + self._length_at)
            return self.read(address + size, length) if length <= cap else None
        except UnreadableMemory:
            return None

    def bytes_object(self, address: int, cap: int) -> bytes | Absent:
        """Return the contents of a bytes object of at most `cap` bytes."""
        try:
            size = self.signed_field(address, "PyBytesObject", "ob_size")
            if not 0 <= size <= cap:
                return Absent(UNPARSABLE, f"bytes of length {size} at {address:#x} (cap {cap})")
            return self.read(address + self.layout.require("PyBytesObject", "ob_sval"), size)
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))
