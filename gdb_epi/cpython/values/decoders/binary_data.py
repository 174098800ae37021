# SPDX-License-Identifier: Apache-2.0
"""Bytes that have a shape: array, memoryview, mmap, struct."""

from __future__ import annotations

import struct

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes
from gdb_epi.errors import Absent

MAX_DIMENSIONS = 64  # PyBUF_MAX_NDIM
# By the struct's size in words: the word that holds `access`, and its first bit.
_ACCESS_AT = {7: (5, 32), 8: (6, 0), 9: (6, 32)}
_MMAP_ACCESS = ("ACCESS_DEFAULT", "ACCESS_READ", "ACCESS_WRITE", "ACCESS_COPY")
# arraydescr.typecode (Modules/arraymodule.c) and what struct calls the items.
_ARRAY_CODES = {
    "b": "b", "B": "B", "h": "h", "H": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "q": "q",
    "Q": "Q", "f": "f", "d": "d",
}  # fmt: skip


@decodes("array.array")
def array(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode an array.array: header, ob_item, allocated, ob_descr (Modules/arraymodule.c)."""
    head = decoder.layout.size("PyVarObject") or 0
    count = decoder.signed_field(obj.address, "PyVarObject", "ob_size")
    start, _allocated, descr = struct.unpack("<QqQ", decoder.reader.read(obj.address + head, 24))
    code, size = struct.unpack("<cxxxi", decoder.reader.read(descr, 8))
    letter = code.decode("latin-1")
    if letter in "uw":
        return _text_array(decoder, obj, start, count * size, count, letter)
    item_format = _ARRAY_CODES.get(letter)
    if item_format is None or struct.calcsize("<" + item_format) != size or count < 0:
        raise Undecodable(f"an array of {letter!r} with items of {size} bytes")
    name = obj.type.name
    if not count:
        return f"{name}('{letter}')"
    decoder.require_range(start, count * size, "array items")
    number = min(count, decoder.limits.width)
    values = struct.unpack(f"<{number}{item_format}", decoder.reader.read(start, number * size))
    return f"{name}('{letter}', [{decoder.join_text(map(repr, values), count)}])"


def _text_array(
    decoder: ReprDecoder, obj: Obj, start: int, size: int, count: int, letter: str
) -> str:
    """Decode an array of characters: wchar_t, or Py_UCS4 (3.13, gh-80480); both have 4 bytes."""
    if not 0 <= size == 4 * count:
        raise Undecodable(f"an array of {count} characters in {size} bytes")
    if not count:
        return f"{obj.type.name}('{letter}')"
    decoder.require_range(start, size, "array items")
    number = min(count, decoder.limits.length)
    try:
        text = decoder.reader.read(start, 4 * number).decode("utf-32-le", "surrogatepass")
    except UnicodeDecodeError as error:
        raise Undecodable(f"damaged characters: {error.reason}") from None
    decoder.cut = decoder.cut or number < count
    return f"{obj.type.name}('{letter}', {text!r}{'...' if number < count else ''})"


@decodes("memoryview")
def memory_view(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a memoryview: released or not; its format and shape stand beside it."""
    address, reader = obj.address, decoder.reader
    flags = reader.u32(address + decoder.offset("PyMemoryViewObject", "flags"))
    if flags & 1:
        return f"<released memory at {address:#x}>"
    count = reader.u32(address + decoder.offset("PyMemoryViewObject", "view.ndim"))
    if count > MAX_DIMENSIONS:
        raise Undecodable(f"a memoryview of {count} dimensions")
    form = reader.c_string(decoder.field(address, "PyMemoryViewObject", "view.format"), 64)
    size = decoder.signed_field(address, "PyMemoryViewObject", "view.itemsize")
    shape_at = decoder.field(address, "PyMemoryViewObject", "view.shape")
    shape = struct.unpack(f"<{count}q", reader.read(shape_at, 8 * count)) if count else ()
    decoder.note_left_out("format", "?" if isinstance(form, Absent) else repr(form))
    decoder.note_left_out("itemsize", str(size))
    decoder.note_left_out("shape", repr(shape))
    return f"<memory at {address:#x}>"


@decodes("mmap.mmap")
def memory_map(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a mmap: data, size, pos, offset, exports, fd, access (Modules/mmapmodule.c).

    3.13 (gh-78502) put trackfd between the last two, 3.14 flags after that; each makes the struct
    one word longer.
    """
    start, size, position, offset = (decoder.word(obj, index) for index in range(4))
    shown = decoder.type_name(obj)
    if not start:
        return f"<{shown} closed=True>"
    words = (obj.lineage.root.basicsize - (decoder.layout.size("PyObject") or 0)) // 8
    place = _ACCESS_AT.get(words)
    if place is None:
        raise Undecodable("a struct of unknown shape")
    access = decoder.word(obj, place[0]) >> place[1] & 0xFFFFFFFF
    if access >= len(_MMAP_ACCESS):
        raise Undecodable(f"an access of {access}")
    rest = f"length={size}, pos={position}, offset={offset}"
    return f"<{shown} closed=False, access={_MMAP_ACCESS[access]}, {rest}>"


@decodes("_struct.Struct")
def struct_object(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Struct: s_size, s_len, s_codes, s_format (Modules/_struct.c); object's to 3.12.

    The format was bytes up to 3.14.
    """
    form = decoder.word(obj, 3)
    kind = decoder.ident(form)
    if kind not in ("bytes", "str"):
        raise Undecodable("it has no format")
    return f"{decoder.class_name(obj)}({decoder.repr_of(form)[kind == 'bytes' :]})"
