# SPDX-License-Identifier: Apache-2.0
"""The type of the C++ exception in flight when a process was terminated.

An exception's unwind header begins with the class of its language; libstdc++ and libc++abi both
have the std::type_info pointer 0x50 bytes before it. Pointers to such headers lie on the stack of
the functions that throw and terminate. Source: Itanium C++ ABI, "Exception Handling", 2.2.1; GCC 12
libstdc++-v3/libsupc++/unwind-cxx.h (struct __cxa_exception, x86-64); LLVM 15 libcxxabi
src/cxa_exception.h.
"""

from __future__ import annotations

import struct

from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault import read_word
from gdb_epi.signature.mangled import class_name
from gdb_epi.signature.names import one_line
from gdb_epi.target.api import Target

MAX_STACK = 64 << 10  # bytes of stack that are searched
MAX_NAME = 512  # bytes of a type's name
_CLASSES = {b"\0++CCUNG": False, b"\1++CCUNG": True, b"\0++CGNLC": False, b"\1++CGNLC": True}
_TYPE = 0x50  # before the unwind header
_PRIMARY = 0x70  # from the thrown object back to its __cxa_exception
_WORD = 8
_SIMPLE = {
    "b": "bool", "c": "char", "i": "int", "j": "unsigned", "l": "long", "m": "unsigned long",
    "x": "long long", "d": "double", "f": "float", "PKc": "char const*", "Pc": "char*",
    "Pv": "void*", "Dn": "nullptr",
}  # fmt: skip


def exception_type(target: Target, start: int, end: int) -> str | None:
    """Return the type of the innermost exception that the stack from `start` to `end` points to.

    None when there is none, or its type's name cannot be read.
    """
    region = target.region_at(start)
    if region is None:
        return None
    end = min(end, region.end, region.start + region.dumped)
    size = min(end - start, MAX_STACK) // _WORD * _WORD
    if size <= 0:
        return None
    try:
        stack = target.read(start, size)
    except UnreadableMemory:
        return None
    seen: set[int] = set()
    for (pointer,) in struct.iter_unpack("<Q", stack):
        if pointer in seen or pointer % _WORD or not _is_data(target, pointer):
            continue
        seen.add(pointer)
        found = _type_at(target, pointer)
        if found:
            return found
    return None


def _is_data(target: Target, pointer: int) -> bool:
    region = target.region_at(pointer)
    return region is not None and "w" in region.perms


def _type_at(target: Target, header: int) -> str | None:
    try:
        dependent = _CLASSES.get(target.read(header, _WORD))
    except UnreadableMemory:
        return None
    if dependent is None:
        return None
    info = read_word(target, header - _TYPE)
    if dependent and info:  # there it is the pointer to the object that was thrown first
        info = read_word(target, info - _PRIMARY)
    name = read_word(target, info + _WORD, dumped_only=False) if info else None
    return _type_name(_text(target, name)) if name else None


def _text(target: Target, address: int) -> str:
    for size in (MAX_NAME, 64):
        try:
            raw = target.read(address, size)
        except UnreadableMemory:
            continue
        return raw.split(b"\0", 1)[0].decode("utf-8", "backslashreplace") if b"\0" in raw else ""
    return ""


def _type_name(mangled: str) -> str | None:
    mangled = mangled.removeprefix("*")  # GCC: compared by address
    if not mangled:
        return None
    return one_line(_SIMPLE.get(mangled) or class_name(mangled) or mangled)
