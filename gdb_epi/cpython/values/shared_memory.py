# SPDX-License-Identifier: Apache-2.0
"""Simple values of ctypes, and what `multiprocessing` shares: values, semaphores, events.

No table has the structs of _ctypes; a CDataObject begins with its b_ptr, which points to the value
(Modules/_ctypes/ctypes.h, 3.8 to 3.15). A POSIX semaphore has its value in its low 31 bits (glibc
2.21 and later: nptl/internaltypes.h, struct new_sem; musl the same). Shared memory of
`multiprocessing` has no name left, so that the kernel dumps it as it does anonymous memory.
"""

from __future__ import annotations

import struct

from gdb_epi.cpython.values.attributes import attribute
from gdb_epi.cpython.values.core import Obj, Painter, Undecodable, decodes, decodes_repr

_FORMATS = frozenset("bBhHiIlLqQfd")  # as struct's; l and L are 8 bytes
_LONG = {"l": "q", "L": "Q"}
_MAX_VALUE = 0x7FFFFFFF


@decodes("_ctypes._SimpleCData")
def simple(painter: Painter, found: Obj) -> str:
    """Do what Simple_repr of Modules/_ctypes/_ctypes.c does: classes of classes have no value."""
    types = found.lineage.types
    if len(types) < 2 or types[1].address != found.lineage.root.address:
        return f"<{painter.class_name(found)} object at {found.address:#x}>"
    code = painter.world.types.lookup(found.type, "_type_")
    kind = painter.string(code[1], 8) if code is not None else ""
    native = painter.world.types.lookup(found.type, "__ctype_le__")
    shown = None
    if native is None or native[1] == found.type.address:  # else its bytes are swapped
        shown = _simple_value(painter, painter.word(found, 0), kind)
    if shown is None:
        painter.inexact()
        return painter.plain_instance(found)
    return f"{painter.class_name(found)}({shown})"


def _simple_value(painter: Painter, at: int, kind: str) -> str | None:
    """Return the value at an address by its type code; None for those that are not decoded."""
    if kind in _FORMATS:
        form = "<" + _LONG.get(kind, kind)
        return repr(struct.unpack(form, painter.reader.read(at, struct.calcsize(form)))[0])
    if kind == "?":
        return repr(painter.reader.u8(at) != 0)
    if kind == "c":
        return repr(painter.reader.read(at, 1))
    return _pointer(painter, at) if kind == "P" else None


def _pointer(painter: Painter, at: int) -> str:
    return str(painter.reader.u64(at) or None)


@decodes_repr(("ctypes", "c_char_p.__repr__"), ("ctypes", "c_wchar_p.__repr__"))
def c_string(painter: Painter, found: Obj) -> str:
    """Do what both do: show the pointer."""
    return f"{painter.class_name(found)}({_pointer(painter, painter.word(found, 0))})"


@decodes_repr(("ctypes", "py_object.__repr__"))
def c_object(painter: Painter, found: Obj) -> str:
    """Do what py_object.__repr__ does."""
    held = painter.reader.u64(painter.word(found, 0))
    return f"{painter.class_name(found)}({painter.show(held) if held else '<NULL>'})"


@decodes_repr(("multiprocessing.sharedctypes", "SynchronizedBase.__repr__"))
def synchronized(painter: Painter, found: Obj) -> str:
    """Do what SynchronizedBase.__repr__ does; str() of what it holds must be its repr()."""
    held = attribute(painter, found.address, "_obj")
    if painter.ident(held) != "_ctypes._SimpleCData":
        painter.inexact()
    return f"<{painter.class_name(found)} wrapper for {painter.show(held)}>"


def _semlock(painter: Painter, found: Obj) -> int:
    held = attribute(painter, found.address, "_semlock")
    if not painter.ident(held).endswith("SemLock"):
        raise Undecodable("its _semlock is none")
    return held


def _value(painter: Painter, semlock: int) -> int:
    """Return the value of a semaphore. Raises UnreadableMemory when it was not dumped."""
    return painter.reader.u32(painter.field(semlock, "SemLockObject", "handle")) & _MAX_VALUE


@decodes_repr(("multiprocessing.synchronize", "Semaphore.__repr__"))
def semaphore(painter: Painter, found: Obj) -> str:
    """Do what Semaphore.__repr__ does."""
    return f"<{painter.class_name(found)}(value={_value(painter, _semlock(painter, found))})>"


@decodes_repr(("multiprocessing.synchronize", "BoundedSemaphore.__repr__"))
def bounded_semaphore(painter: Painter, found: Obj) -> str:
    """Do what BoundedSemaphore.__repr__ does."""
    semlock = _semlock(painter, found)
    most = painter.reader.u32(semlock + painter.world.offset("SemLockObject", "maxvalue"))
    return f"<{painter.class_name(found)}(value={_value(painter, semlock)}, maxvalue={most})>"


@decodes_repr(("multiprocessing.synchronize", "Event.__repr__"))
def event(painter: Painter, found: Obj) -> str:
    """Do what Event.__repr__ does (3.12+): set when its semaphore can be taken."""
    flag = painter.obj(attribute(painter, found.address, "_flag"))
    status = "set" if _value(painter, _semlock(painter, flag)) else "unset"
    return f"<{found.type.qualname} at {found.address:#x} {status}>"


@decodes_repr(("multiprocessing.synchronize", "Lock.__repr__"))
def lock(painter: Painter, found: Obj) -> str:
    """Do what Lock.__repr__ does; whether a held one is one's own depends on who asks."""
    semlock = _semlock(painter, found)
    name = painter.class_name(found)
    if painter.reader.u32(semlock + painter.world.offset("SemLockObject", "count")):
        painter.inexact()
        owner = painter.field(semlock, "SemLockObject", "last_tid")
        return f"<{name}(owner=thread {owner:#x} of this process)>"
    owner_text = "None" if _value(painter, semlock) == 1 else "SomeOtherProcess"
    return f"<{name}(owner={owner_text})>"
