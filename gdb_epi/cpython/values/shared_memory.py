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
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr

_FORMATS = frozenset("bBhHiIlLqQfd")  # as struct's; l and L are 8 bytes
_LONG = {"l": "q", "L": "Q"}
_MAX_VALUE = 0x7FFFFFFF


@decodes("_ctypes._SimpleCData")
def simple(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Simple_repr of Modules/_ctypes/_ctypes.c does: classes of classes have no value."""
    types = found.lineage.types
    if len(types) < 2 or types[1].address != found.lineage.root.address:
        return f"<{decoder.class_name(found)} object at {found.address:#x}>"
    code = decoder.context.types.lookup(found.type, "_type_")
    kind = decoder.string(code[1], 8) if code is not None else ""
    native = decoder.context.types.lookup(found.type, "__ctype_le__")
    shown = None
    if native is None or native[1] == found.type.address:  # else its bytes are swapped
        shown = _simple_value(decoder, decoder.word(found, 0), kind)
    if shown is None:
        decoder.inexact()
        return decoder.plain_instance(found)
    return f"{decoder.class_name(found)}({shown})"


def _simple_value(decoder: ReprDecoder, at: int, kind: str) -> str | None:
    """Return the value at an address by its type code; None for those that are not decoded."""
    if kind in _FORMATS:
        form = "<" + _LONG.get(kind, kind)
        return repr(struct.unpack(form, decoder.reader.read(at, struct.calcsize(form)))[0])
    if kind == "?":
        return repr(decoder.reader.u8(at) != 0)
    if kind == "c":
        return repr(decoder.reader.read(at, 1))
    return _pointer(decoder, at) if kind == "P" else None


def _pointer(decoder: ReprDecoder, at: int) -> str:
    return str(decoder.reader.u64(at) or None)


@decodes_repr(("ctypes", "c_char_p.__repr__"), ("ctypes", "c_wchar_p.__repr__"))
def c_string(decoder: ReprDecoder, found: Obj) -> str:
    """Do what both do: show the pointer."""
    return f"{decoder.class_name(found)}({_pointer(decoder, decoder.word(found, 0))})"


@decodes_repr(("ctypes", "py_object.__repr__"))
def c_object(decoder: ReprDecoder, found: Obj) -> str:
    """Do what py_object.__repr__ does."""
    held = decoder.reader.u64(decoder.word(found, 0))
    return f"{decoder.class_name(found)}({decoder.show(held) if held else '<NULL>'})"


@decodes_repr(("multiprocessing.sharedctypes", "SynchronizedBase.__repr__"))
def synchronized(decoder: ReprDecoder, found: Obj) -> str:
    """Do what SynchronizedBase.__repr__ does; str() of what it holds must be its repr()."""
    held = attribute(decoder, found.address, "_obj")
    if decoder.ident(held) != "_ctypes._SimpleCData":
        decoder.inexact()
    return f"<{decoder.class_name(found)} wrapper for {decoder.show(held)}>"


def _semlock(decoder: ReprDecoder, found: Obj) -> int:
    held = attribute(decoder, found.address, "_semlock")
    if not decoder.ident(held).endswith("SemLock"):
        raise Undecodable("its _semlock is none")
    return held


def _value(decoder: ReprDecoder, semlock: int) -> int:
    """Return the value of a semaphore. Raises UnreadableMemory when it was not dumped."""
    return decoder.reader.u32(decoder.field(semlock, "SemLockObject", "handle")) & _MAX_VALUE


@decodes_repr(("multiprocessing.synchronize", "Semaphore.__repr__"))
def semaphore(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Semaphore.__repr__ does."""
    return f"<{decoder.class_name(found)}(value={_value(decoder, _semlock(decoder, found))})>"


@decodes_repr(("multiprocessing.synchronize", "BoundedSemaphore.__repr__"))
def bounded_semaphore(decoder: ReprDecoder, found: Obj) -> str:
    """Do what BoundedSemaphore.__repr__ does."""
    semlock = _semlock(decoder, found)
    most = decoder.reader.u32(semlock + decoder.context.offset("SemLockObject", "maxvalue"))
    return f"<{decoder.class_name(found)}(value={_value(decoder, semlock)}, maxvalue={most})>"


@decodes_repr(("multiprocessing.synchronize", "Event.__repr__"))
def event(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Event.__repr__ does (3.12+): set when its semaphore can be taken."""
    flag = decoder.obj(attribute(decoder, found.address, "_flag"))
    status = "set" if _value(decoder, _semlock(decoder, flag)) else "unset"
    return f"<{found.type.qualname} at {found.address:#x} {status}>"


@decodes_repr(("multiprocessing.synchronize", "Lock.__repr__"))
def lock(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Lock.__repr__ does; whether a held one is one's own depends on who asks."""
    semlock = _semlock(decoder, found)
    name = decoder.class_name(found)
    if decoder.reader.u32(semlock + decoder.context.offset("SemLockObject", "count")):
        decoder.inexact()
        owner = decoder.field(semlock, "SemLockObject", "last_tid")
        return f"<{name}(owner=thread {owner:#x} of this process)>"
    owner_text = "None" if _value(decoder, semlock) == 1 else "SomeOtherProcess"
    return f"<{name}(owner={owner_text})>"
