# SPDX-License-Identifier: Apache-2.0
"""numpy's dtypes and arrays, without importing numpy; its scalars are in values_numpy_scalars.py.

Where things are: the fields of a dtype come from tp_members of `numpy.dtype` in the core itself;
the width of `itemsize` there tells numpy 1 (int) from numpy 2 (Py_ssize_t), and with it what
follows. An array is data, nd, dimensions, strides, base, descr, flags (PyArrayObject_fields in
numpy/ndarraytypes.h, the same since 1.7).
An array's repr depends on print options, so its text is a description and never called exact.
"""

from __future__ import annotations

import struct

from gdb_epi.cpython.values_core import Obj, Painter, Undecodable, decodes
from gdb_epi.cpython.values_machinery import tuple_items
from gdb_epi.cpython.values_numpy_text import (
    UNITS,
    complex_text,
    float_text,
    moment_text,
    not_a_time,
)
from gdb_epi.errors import Absent
from gdb_epi.lean import NamedTuple

MAX_DIMENSIONS = 64  # NPY_MAXDIMS: 32, since 2.0 64
MAX_FIELDS = 1000
MAX_RECORDS = 8  # records in records
MAX_ITEM_TEXT = 1024  # bytes of one S or U item
_ALIGNED_STRUCT = 0x80  # NPY_ALIGNED_STRUCT
_T_INT = 1  # Include/structmember.h
_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
_FORMATS = {
    "b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
    "u8": "Q", "f2": "e", "f4": "f", "f8": "d", "c8": "f", "c16": "d",
}  # fmt: skip


class DType(NamedTuple):
    """One dtype: kind and char as numpy gives them, `order` one of =|<>."""

    kind: str
    order: str
    size: int
    names: tuple[tuple[str, int, int], ...]  # of a record: name, dtype (PyObject *), offset
    unit: str  # of datetime64 and timedelta64, "" when it cannot be told

    @property
    def code(self) -> str:
        """Return kind and size, as in dtype.str without the order."""
        if self.kind in "mM":
            return f"{self.kind}8[{self.unit or '?'}]"
        return f"{self.kind}{self.size // 4 if self.kind == 'U' else self.size}"

    @property
    def mark(self) -> str:
        """Return the order of bytes, as in dtype.str."""
        one = self.kind in "SVOb" or self.size == 1
        return "|" if one else "<" if self.order in "=<" else self.order

    @property
    def text(self) -> str:
        """Return what str(dtype) gives."""
        native = self.order in "=|<"
        if self.kind == "O":
            return "object"
        if native and self.kind == "b":
            return "bool"
        if native and self.kind in _KINDS:
            return f"{_KINDS[self.kind]}{8 * self.size}"
        if native and self.kind in "mM":
            return ("datetime64" if self.kind == "M" else "timedelta64") + self.code[2:]
        return self.mark + self.code


# -- dtypes ------------------------------------------------------------------------------------


def dtype_at(painter: Painter, address: int) -> DType:
    """Read a dtype. Raises Undecodable, UnreadableMemory."""
    found = painter.obj(address)
    if not any(info.full_name == "numpy.dtype" for info in found.lineage.types):
        raise Undecodable("its dtype is none")
    kind, order = (chr(painter.reader.u8(painter.member(found, n))) for n in ("kind", "byteorder"))
    size_at, is_int = painter.member(found, "itemsize"), _is_one(painter, found)
    size = painter.reader.u32(size_at) if is_int else painter.reader.i64(size_at)
    if kind in "mM" and size != 8:
        raise Undecodable(f"a dtype of times of {size} bytes")
    if kind not in "biufcmMOSUVT" or order not in "=|<>" or not 0 <= size < 1 << 31:
        raise Undecodable(f"a dtype of kind {kind!r}, order {order!r}, size {size}")
    last = painter.member(found, "alignment")
    # numpy 1: subarray, fields, names, f, metadata, c_metadata follow the int; numpy 2: metadata,
    # hash, two reserved words, subarray, fields, names, c_metadata follow the Py_ssize_t.
    start = (last + 4 + 7 & ~7) if is_int else last + 40
    unit = _unit(painter, start + (40 if is_int else 24)) if kind in "mM" else ""
    names = _fields(painter, start) if kind == "V" else ()
    return DType(kind, order, size, names, unit)


def _is_one(painter: Painter, found: Obj) -> bool:
    for info in found.lineage.types:
        place = painter.world.members(info).get("itemsize")
        if place is not None:
            return place[1] == _T_INT
    raise Undecodable("numpy.dtype declares no member itemsize")


def _unit(painter: Painter, slot: int) -> str:
    """Return the unit of a time dtype: behind NpyAuxData (4 words) in its c_metadata."""
    metadata = painter.reader.u64(slot)
    if not metadata:
        return ""
    base, multiple = struct.unpack("<ii", painter.reader.read(metadata + 32, 8))
    code = UNITS.get(base, "")
    return code if multiple == 1 else f"{multiple}{code}"


def _fields(painter: Painter, start: int) -> tuple[tuple[str, int, int], ...]:
    fields, names = painter.reader.u64(start + 8), painter.reader.u64(start + 16)
    if (
        not names
        or painter.ident(names) != "tuple"
        or painter.ident(fields) not in ("dict", "mappingproxy")
    ):
        return ()
    by_name = {}
    for key, value in painter.world.objects.dict_items(fields):
        by_name[painter.string(key)] = tuple_items(painter, value)
    found = []
    for item in tuple_items(painter, names)[:MAX_FIELDS]:
        name = painter.string(item)
        parts = by_name.get(name, [])
        if len(parts) < 2:
            raise Undecodable(f"a record without the field {name}")
        offset = painter.world.objects.integer(parts[1])
        found.append((name, parts[0], -1 if isinstance(offset, Absent) else offset))
    return tuple(found)


@decodes("numpy.dtype")
def dtype(painter: Painter, found: Obj) -> str:
    """Decode a dtype."""
    one = dtype_at(painter, found.address)
    if one.names:
        parts = [(name, dtype_at(painter, at)) for name, at, _ in one.names]
        if any(part.kind == "V" for _, part in parts):
            painter.inexact()
        if not _is_packed(painter, one, [part for _, part in parts], found):
            painter.inexact()  # its offsets or its alignment would be shown
        return f"dtype([{', '.join(f'({n!r}, {p.mark + p.code!r})' for n, p in parts)}])"
    if one.kind in "VT" or (one.kind in "mM" and not one.unit):
        painter.inexact()
    if one.kind in "SO":
        return f"dtype('{'O' if one.kind == 'O' else one.code}')"
    return f"dtype('{one.mark + one.code if one.kind in 'mM' else one.text}')"


def _is_packed(painter: Painter, one: DType, parts: list[DType], found: Obj) -> bool:
    """Tell whether a record's fields lie back to back, and nothing asked for alignment."""
    if painter.reader.u8(painter.member(found, "flags")) & _ALIGNED_STRUCT:
        return False
    at = 0
    for (_, _, offset), part in zip(one.names, parts, strict=True):
        if offset != at:
            return False
        at += part.size
    return at == one.size


# -- arrays ------------------------------------------------------------------------------------


@decodes("numpy.ndarray")
def array(painter: Painter, found: Obj) -> str:
    """Describe an array: shape, dtype and the first values in C order."""
    painter.inexact()
    data, number = painter.word(found, 0), painter.word(found, 1) & 0xFFFFFFFF
    if number > MAX_DIMENSIONS:
        raise Undecodable(f"an array of {number} dimensions")
    shape, strides = (_longs(painter, painter.word(found, at), number) for at in (2, 3))
    one = dtype_at(painter, painter.word(found, 5))
    count = 1
    for length in shape:
        count *= length
    if any(length < 0 for length in shape) or count >> 48:
        raise Undecodable(f"an array of shape {shape}")
    if not painter.enter(found.address):
        return "..."
    try:
        inside = _items(painter, data, shape, strides, one, count)
    finally:
        painter.leave(found.address)
    head = f"{found.type.shown} shape={shape} dtype={one.text}"
    return f"<{head}{': ' + inside if inside else ''}>"


def _longs(painter: Painter, address: int, number: int) -> tuple[int, ...]:
    if not number:
        return ()
    return struct.unpack(f"<{number}q", painter.reader.read(address, 8 * number))


def _items(
    painter: Painter,
    data: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    one: DType,
    count: int,
) -> str:
    first = range(min(count, painter.limits.width))
    places = (place_of(data, index, shape, strides) for index in first)
    return painter.join_text((item_text(painter, at, one) for at in places), count)


def place_of(data: int, index: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Return the address of an item in C order; `strides` are in bytes."""
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        index, place = divmod(index, length)
        data += place * stride
    return data & (1 << 64) - 1


def item_text(painter: Painter, at: int, one: DType, depth: int = 0) -> str:
    """Return one item of an array, as repr() of what item() gives."""
    if one.kind == "O":
        return painter.show(painter.reader.u64(at))
    if one.names:
        if depth > MAX_RECORDS:
            raise Undecodable("records in records without an end")
        parts = [
            item_text(painter, at + offset, dtype_at(painter, of), depth + 1)
            if offset >= 0
            else "?"
            for _, of, offset in one.names
        ]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    size = min(one.size, MAX_ITEM_TEXT)
    raw = painter.reader.read(at, size) if size else b""
    big = one.order == ">"
    if one.kind == "S":
        return repr(raw.rstrip(b"\0"))
    if one.kind == "U":
        return repr(raw.decode("utf-32-be" if big else "utf-32-le", "replace").rstrip("\0"))
    form = _FORMATS.get(f"{one.kind}{one.size}")
    mark = ">" if big else "<"
    if one.kind in "mM":
        value = struct.unpack(f"{mark}q", raw)[0]
        text = moment_text(value, one.unit) if one.kind == "M" else f"{value} {one.unit}"
        return "NaT" if not_a_time(value) else text or str(value)
    if form is None:
        return f"<{one.size} bytes>"
    if one.kind == "c":
        real, imaginary = struct.unpack(f"{mark}2{form}", raw)
        return complex_text(real, imaginary, form)
    value = struct.unpack(mark + form, raw)[0]
    return float_text(value, form) if one.kind == "f" else str(value)
