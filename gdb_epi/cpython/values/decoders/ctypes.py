# SPDX-License-Identifier: Apache-2.0
"""Simple values and pointers of ctypes.

No layout table has the structs of _ctypes; a CDataObject begins with its b_ptr, which points to the
value (Modules/_ctypes/ctypes.h, 3.8 to 3.15).
"""

from __future__ import annotations

import struct

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, decodes, decodes_repr

_FORMATS = frozenset("bBhHiIlLqQfd")  # as struct's; l and L are 8 bytes
_LONG = {"l": "q", "L": "Q"}


@decodes("_ctypes._SimpleCData")
def simple_value(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Simple_repr of Modules/_ctypes/_ctypes.c does: classes of classes have no value."""
    types = obj.lineage.types
    if len(types) < 2 or types[1].address != obj.lineage.root.address:
        return f"<{decoder.class_name(obj)} object at {obj.address:#x}>"
    code = decoder.types.lookup(obj.type, "_type_")
    kind = decoder.string(code[1], 8) if code is not None else ""
    native = decoder.types.lookup(obj.type, "__ctype_le__")
    shown = None
    if native is None or native[1] == obj.type.address:  # else its bytes are swapped
        shown = _simple_value(decoder, decoder.word(obj, 0), kind)
    if shown is None:
        decoder.mark_inexact()
        return decoder.object_repr(obj)
    return f"{decoder.class_name(obj)}({shown})"


def _simple_value(decoder: ReprDecoder, at: int, kind: str) -> str | None:
    """Return the value at an address by its type code; None for those that are not decoded."""
    if kind in _FORMATS:
        form = "<" + _LONG.get(kind, kind)
        return repr(struct.unpack(form, decoder.reader.read(at, struct.calcsize(form)))[0])
    if kind == "?":
        return repr(decoder.reader.u8(at) != 0)
    if kind == "c":
        return repr(decoder.reader.read(at, 1))
    return _pointer_text(decoder, at) if kind == "P" else None


def _pointer_text(decoder: ReprDecoder, at: int) -> str:
    return str(decoder.reader.u64(at) or None)


@decodes_repr(("ctypes", "c_char_p.__repr__"), ("ctypes", "c_wchar_p.__repr__"))
def c_string(decoder: ReprDecoder, obj: Obj) -> str:
    """Show the pointer, as both classes do."""
    return f"{decoder.class_name(obj)}({_pointer_text(decoder, decoder.word(obj, 0))})"


@decodes_repr(("ctypes", "py_object.__repr__"))
def py_object(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what py_object.__repr__ does."""
    held = decoder.reader.u64(decoder.word(obj, 0))
    return f"{decoder.class_name(obj)}({decoder.repr_of(held) if held else '<NULL>'})"
