# SPDX-License-Identifier: Apache-2.0
"""str and bytes objects as checksums of themselves: where hash, length and characters lie.

Every hashed str and bytes carries a 64-bit hash of its contents. Only compact strings are read
(others keep their characters elsewhere); up to 3.11 a string may also have no characters yet.
Reference: Include/cpython/unicodeobject.h, Include/cpython/bytesobject.h (3.8 to 3.15).
"""

from __future__ import annotations

import struct

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import Target, try_read
from gdb_epi.typing_lite import NamedTuple

MAX_DATA = 1 << 16  # bytes of one string; longer ones are counted and left out
UNHASHED = WORD_MASK


class HashedString(NamedTuple):
    """One hashed object. `start` is where its `data` lies; `stored` the hash that it carries."""

    address: int
    start: int
    data: bytes
    stored: int


class StringLayout(NamedTuple):
    """How objects of one type are read.

    `head` unpacks (length, hash, state) from the object's address; of bytes `state` is 0. `kinds`
    maps the bits of `state_mask` to (offset of the characters, bytes per character).
    """

    name: str
    type: int
    type_at: int
    length_at: int
    hash_at: int
    state_at: int
    state_mask: int
    kinds: dict[int, tuple[int, int]]

    @property
    def head_size(self) -> int:
        """Return how many bytes hold length, hash and state."""
        return max(self.length_at + 8, self.hash_at + 8, self.state_at + 4)


def str_object_layout(layout: Layout, kind: int) -> StringLayout:
    """Return the form of str."""
    names = ("state.kind", "state.compact", "state.ascii")  # of one word of 32 bits
    fields = [layout.require_field("PyASCIIObject", name) for name in names]
    ascii_size = layout.size("PyASCIIObject") or 0
    compact_size = layout.size("PyCompactUnicodeObject") or 0
    width, compact, is_ascii = (field.bit_offset for field in fields)
    kinds = {1 << width | 1 << compact | 1 << is_ascii: (ascii_size, 1)}
    for size in (1, 2, 4):
        kinds[size << width | 1 << compact] = (compact_size, size)
    return StringLayout(
        name="str",
        type=kind,
        type_at=layout.require("PyObject", "ob_type"),
        length_at=layout.require("PyASCIIObject", "length"),
        hash_at=layout.require("PyASCIIObject", "hash"),
        state_at=fields[0].offset,
        state_mask=sum((1 << field.bit_size) - 1 << field.bit_offset for field in fields),
        kinds=kinds,
    )


def bytes_object_layout(layout: Layout, kind: int) -> StringLayout:
    """Return the form of bytes."""
    length_at = layout.require("PyBytesObject", "ob_size")
    return StringLayout(
        name="bytes",
        type=kind,
        type_at=layout.require("PyObject", "ob_type"),
        length_at=length_at,
        hash_at=layout.require("PyBytesObject", "ob_shash"),
        state_at=length_at,
        state_mask=0,
        kinds={0: (layout.require("PyBytesObject", "ob_sval"), 1)},
    )


def compact_str_size(target: Target, form: StringLayout, address: int) -> int | None:
    """Return the size of a compact string with its NUL; None for any other string."""
    head = try_read(target, address, form.head_size)
    if not head:
        return None
    length = struct.unpack_from("<Q", head, form.length_at)[0]
    kind = form.kinds.get(struct.unpack_from("<I", head, form.state_at)[0] & form.state_mask)
    return None if kind is None or length >> 40 else kind[0] + (length + 1) * kind[1]


def read_hashed_string(target: Target, form: StringLayout, address: int) -> HashedString | str:
    """Return a hashed object, or why there is none: "unhashed", "long", "odd", "unreadable"."""
    try:
        head = target.read(address, form.head_size)
        length, stored = (
            struct.unpack_from("<Q", head, at)[0] for at in (form.length_at, form.hash_at)
        )
        if stored == UNHASHED:
            return "unhashed"
        state = struct.unpack_from("<I", head, form.state_at)[0]
        kind = form.kinds.get(state & form.state_mask)
        if kind is None or length >> 40:
            return "odd"
        if length * kind[1] > MAX_DATA:
            return "long"
        start = address + kind[0]
        return HashedString(address, start, target.read(start, length * kind[1]), stored)
    except UnreadableMemory:
        return "unreadable"
