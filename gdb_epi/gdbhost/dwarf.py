# SPDX-License-Identifier: Apache-2.0
"""C types and constants out of debug information, through GDB's type API (never its text)."""

from __future__ import annotations

from collections.abc import Iterator

import gdb

from gdb_epi.cpython.layout.spec import MAX_DEPTH, TRANSPARENT, spec_for
from gdb_epi.target.api import Member, StructType

_AGGREGATES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
# A stub compiled from headers gives macros a value under this prefix.
STUB_CONSTANT_PREFIX = "EPI_CONST_"
# Debug information can be damaged too: no CPython struct comes near this many members.
_MAX_MEMBERS = 20_000


def _lookup(name: str) -> gdb.Type | None:
    try:
        found = gdb.lookup_type(name).strip_typedefs()
    except (gdb.error, RuntimeError):
        return None
    if found.code not in _AGGREGATES or not found.sizeof or not found.fields():
        return None  # an opaque declaration: no member is known
    return found


def _member(field: gdb.Field, base_bits: int) -> Member:
    """Return where one member lies; `base_bits` is the position of its parent.

    For a bit field, offset and size are those of its storage unit (the declared type), and
    bit_offset counts from that unit's least significant bit (little-endian targets).
    """
    bits = base_bits + field.bitpos
    size = field.type.strip_typedefs().sizeof
    if not field.bitsize:
        return Member(bits // 8, size)
    unit = size * 8
    return Member(bits // unit * size, size, bits % unit, field.bitsize)


def _walk(
    ctype: gdb.Type, prefix: str, base_bits: int, depth: int, descend: frozenset[str] | None
) -> Iterator[tuple[str, Member]]:
    for field in ctype.fields():
        if not hasattr(field, "bitpos"):
            continue  # a static member has no place in the struct
        inner = field.type.strip_typedefs()
        is_struct = inner.code in _AGGREGATES
        wrapper = is_struct and (not field.name or field.name in TRANSPARENT)
        path = prefix if wrapper else f"{prefix}{field.name}"
        if not wrapper:
            yield path, _member(field, base_bits)
        wanted = wrapper or descend is None or path in descend
        if is_struct and wanted and depth < MAX_DEPTH:
            below = path if wrapper else f"{path}."
            deeper = depth if wrapper else depth + 1
            yield from _walk(inner, below, base_bits + field.bitpos, deeper, descend)


def type_layout(name: str) -> StructType | None:
    """Return the members of a C struct or union by dotted path, or None when it is not known.

    `name` is a layout table's key ("PyThreadState") or a C spelling ("struct _ts").
    """
    spec = spec_for(name)
    for spelling in spec.spellings:
        ctype = _lookup(spelling)
        if ctype is None:
            continue
        fields: dict[str, Member] = {}
        for path, member in _walk(ctype, "", 0, 1, spec.descend):
            fields.setdefault(path, member)
            if len(fields) >= _MAX_MEMBERS:
                break
        return StructType(name, ctype.sizeof, fields)
    return None


def constant(name: str) -> int | None:
    """Return the value of an enumerator, or of a macro that a header stub recorded, or None."""
    for candidate in (name, STUB_CONSTANT_PREFIX + name):
        try:
            symbol = gdb.lookup_static_symbol(candidate)
            if symbol is not None and symbol.addr_class == gdb.SYMBOL_LOC_CONST:
                return int(symbol.value())
        except (gdb.error, RuntimeError):
            continue
    return None
