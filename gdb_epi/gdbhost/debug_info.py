# SPDX-License-Identifier: Apache-2.0
"""Types, constants and symbols as GDB knows them, by its API and never by its printed text.

`type_layout`, `constant_value` and `symbol_address` serve the targets; `DebugTypes` makes layout
tables out of the debug information that is loaded (`epi layout --emit`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import gdb

from gdb_epi.cpython.layout.struct_specs import MAX_DEPTH, TRANSPARENT, find_struct_spec
from gdb_epi.errors import InputError
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import MemberLayout, StructType

_AGGREGATES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
# A stub compiled from headers gives macros a value under this prefix.
STUB_CONSTANT_PREFIX = "EPI_CONST_"
# Debug information can be damaged too: no CPython struct comes near this many members.
_MAX_MEMBERS = 20_000
# libpython3.13.so.1.0, python3.14t, libpython3.12d.so: version and ABI flags.
_PYTHON_FILE = re.compile(r"(?:lib)?python3\.(\d{1,3})([a-z]*)(?:\.so.*|\.debug)?\Z")
# Only plain identifiers reach GDB's evaluator, nothing that could call or assign.
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _member_layout(field: gdb.Field, base_bits: int) -> MemberLayout:
    """Return where one member lies; `base_bits` is the position of its parent.

    For a bit field, offset and size are those of its storage unit (the declared type), and
    bit_offset counts from that unit's least significant bit (little-endian targets).
    """
    bits = base_bits + field.bitpos
    size = field.type.strip_typedefs().sizeof
    if not field.bitsize:
        return MemberLayout(bits // 8, size)
    unit = size * 8
    return MemberLayout(bits // unit * size, size, bits % unit, field.bitsize)


def _walk_members(
    ctype: gdb.Type, prefix: str, base_bits: int, depth: int, descend: frozenset[str] | None
) -> Iterator[tuple[str, MemberLayout]]:
    for field in ctype.fields():
        if not hasattr(field, "bitpos"):
            continue  # a static member has no place in the struct
        inner = field.type.strip_typedefs()
        is_struct = inner.code in _AGGREGATES
        wrapper = is_struct and (not field.name or field.name in TRANSPARENT)
        path = prefix if wrapper else f"{prefix}{field.name}"
        if not wrapper:
            yield path, _member_layout(field, base_bits)
        wanted = wrapper or descend is None or path in descend
        if is_struct and wanted and depth < MAX_DEPTH:
            below = path if wrapper else f"{path}."
            deeper = depth if wrapper else depth + 1
            yield from _walk_members(inner, below, base_bits + field.bitpos, deeper, descend)


def type_layout(name: str) -> StructType | None:
    """Return the members of a C struct or union by dotted path, or None when it is not known.

    `name` is a layout table's key ("PyThreadState") or a C spelling ("struct _ts").
    """
    spec = find_struct_spec(name)
    for spelling in spec.spellings:
        try:
            ctype = gdb.lookup_type(spelling).strip_typedefs()
        except (gdb.error, RuntimeError):
            continue
        if ctype.code not in _AGGREGATES or not ctype.sizeof or not ctype.fields():
            continue  # an opaque declaration: no member is known
        fields: dict[str, MemberLayout] = {}
        for path, member in _walk_members(ctype, "", 0, 1, spec.descend):
            fields.setdefault(path, member)
            if len(fields) >= _MAX_MEMBERS:
                break
        return StructType(name, ctype.sizeof, fields)
    return None


def constant_value(name: str) -> int | None:
    """Return the value of an enumerator, or of a macro that a header stub recorded, or None."""
    for candidate in (name, STUB_CONSTANT_PREFIX + name):
        try:
            symbol = gdb.lookup_static_symbol(candidate)
            if symbol is not None and symbol.addr_class == gdb.SYMBOL_LOC_CONST:
                return int(symbol.value())
        except (gdb.error, RuntimeError):
            continue
    return None


class DebugTypes:
    """C types and constants from the debug information that GDB has loaded."""

    def type_layout(self, name: str) -> StructType | None:
        """Return a C type, or None."""
        return type_layout(name)

    def constant(self, name: str) -> int | None:
        """Return the value of an enumerator, or None."""
        return constant_value(name)

    def layout_table_header(self) -> dict[str, Any]:
        """Return what a layout table says about its origin.

        Raises InputError when no file of a CPython is loaded.
        """
        # The program python3.X has no types of its own when there is a libpython.
        for objfile in sorted(gdb.objfiles(), key=lambda o: "libpython" not in (o.filename or "")):
            match = _PYTHON_FILE.match(os.path.basename(objfile.filename or ""))
            if match:
                return self._header_of_layout_table(objfile, int(match.group(1)), match.group(2))
        raise InputError("no libpython3.X or python3.X is loaded", hint="file PYTHON, then repeat")

    def _header_of_layout_table(
        self, objfile: gdb.Objfile, minor: int, flags: str
    ) -> dict[str, Any]:
        flavour = flags + ("t" if self._is_free_threaded() and "t" not in flags else "")
        return {
            "source": f"table cp3{minor}{flavour} (DWARF of {os.path.basename(objfile.filename)})",
            "version": [3, minor],
            "free_threaded": "t" in flavour,
            "debug": "d" in flavour,
            "arch": "x86_64",
            "how": "dwarf",
            "build_id": objfile.build_id,
            "gdb": gdb.VERSION,
        }

    def _is_free_threaded(self) -> bool:
        """3.13 (gh-108219): PyObject has ob_tid in free-threaded builds only."""
        struct = type_layout("PyObject")
        return struct is not None and "ob_tid" in struct.fields


def symbol_address(name: str) -> int | None:
    """Return the address of a global, static or minimal symbol, or None."""
    if not _IDENTIFIER.match(name):
        return None
    for look_up in (_global_symbol_address, _static_symbol_address, _minimal_symbol_address):
        try:
            address = look_up(name)
        except (gdb.error, RuntimeError):
            continue
        if address:
            return address & WORD_MASK
    return None


def _global_symbol_address(name: str) -> int | None:
    return _address_of_symbol(gdb.lookup_global_symbol(name))


def _static_symbol_address(name: str) -> int | None:
    return _address_of_symbol(gdb.lookup_static_symbol(name))


def _address_of_symbol(symbol: gdb.Symbol | None) -> int | None:
    if symbol is None or symbol.needs_frame:
        return None
    value = symbol.value()
    return int(value.address) if value.address is not None else None


def _minimal_symbol_address(name: str) -> int | None:
    """Ask the evaluator: minimal symbols have no Python API. `&name` reads no memory."""
    value = gdb.parse_and_eval(f"&{name}")
    return int(value)
