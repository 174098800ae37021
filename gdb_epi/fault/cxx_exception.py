# SPDX-License-Identifier: Apache-2.0
"""An uncaught C++ exception: whether one ended the process, its type, who threw it, its text.

The type is read off the stack. An exception's unwind header begins
with the class of its language; libstdc++ and libc++abi both have the std::type_info pointer 0x50
bytes before it. Pointers to such headers lie on the stack of the functions that throw and
terminate. Source: Itanium C++ ABI, "Exception Handling", 2.2.1; GCC 12
libstdc++-v3/libsupc++/unwind-cxx.h (struct __cxa_exception, x86-64); LLVM 15 libcxxabi
src/cxa_exception.h.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from gdb_epi.errors import NOT_AVAILABLE, UNPARSABLE, Absent
from gdb_epi.fault.memory_reads import c_string, read_up_to, read_word, try_read
from gdb_epi.sizes import HALF_MASK, WORD, split_into_words
from gdb_epi.target.api import NativeFrame, Target
from gdb_epi.target.cfi import find_caller_of

_TERMINATE = frozenset((
    "std::terminate", "_ZSt9terminatev", "__cxxabiv1::__terminate",
    "_ZN10__cxxabiv111__terminateEPFvvE", "__gnu_cxx::__verbose_terminate_handler",
    "_ZN9__gnu_cxx27__verbose_terminate_handlerEv", "__cxa_pure_virtual",
    "__cxa_deleted_virtual",
))  # fmt: skip
_ABORT = frozenset(("abort", "__GI_abort"))
_THROW = ("__cxa_throw", "__cxa_rethrow")
# What throws or looks for a handler; a noexcept function is where the personality gives up, and
# stripped libstdc++ has no name for the terminate() that it calls then.
_THROWING = frozenset((*_THROW, "__gxx_personality_v0", "__cxa_call_unexpected"))
LIBRARIES = ("libstdc++.so", "libc++abi.so", "libc++.so")
_HEADER = 0x20  # bytes of struct _Unwind_Exception, before the thrown object
_TEXT_AT = WORD  # in std::runtime_error and std::logic_error, after the vtable (libstdc++-v3)
_LENGTH, _CAPACITY, _COUNT = -24, -16, -8  # of its string's representation, before the text
# mov %rbx,%rdi or mov %rbp,%rdi, and a call: of malloc, in operator new.
_KEPT_SIZE = {b"\x48\x89\xdf\xe8": "rbx", b"\x48\x89\xef\xe8": "rbp"}
_NEW_BYTES = 64
MAX_TEXT = 4096
MEMBERS = 4  # words of a thrown object that are looked at
MAX_FRAMES = 64  # from the innermost on
MAX_STACK = 64 << 10  # bytes of stack that are searched
MAX_NAME = 512  # bytes of a type's name
_CLASSES = {b"\0++CCUNG": False, b"\1++CCUNG": True, b"\0++CGNLC": False, b"\1++CGNLC": True}
_TYPE = 0x50  # before the unwind header
_PRIMARY = 0x70  # from the thrown object back to its __cxa_exception
_SIMPLE = {
    "b": "bool", "c": "char", "i": "int", "j": "unsigned", "l": "long", "m": "unsigned long",
    "x": "long long", "d": "double", "f": "float", "PKc": "char const*", "Pc": "char*",
    "Pv": "void*", "Dn": "nullptr",
}  # fmt: skip


def evidence_of_terminate(frames: Sequence[NativeFrame]) -> str | None:
    """Return the evidence that std::terminate() ended the process; None when nothing does."""
    names = [(frame.function or "").removeprefix("__GI_") for frame in frames[:MAX_FRAMES]]
    named = next((name for name in names if name in _TERMINATE), None)
    if named is not None:
        return named
    aborted = next((outer for inner, outer in pairwise(frames[:MAX_FRAMES])
                    if inner.function in _ABORT), None)  # fmt: skip
    if aborted is None or aborted.function is not None:
        return None
    if not aborted.module_name.startswith(LIBRARIES):
        return None
    return next((name for name in names if name in _THROWING), None)


def throwing_frame(frames: Sequence[NativeFrame]) -> NativeFrame | None:
    """Return the frame that threw: the one that called __cxa_throw. None when it is gone.

    libstdc++ throws for others (std::__throw_out_of_range): then the one that called into it.
    """
    kept = frames[:MAX_FRAMES]
    for number, (inner, outer) in enumerate(pairwise(kept), 1):
        if inner.function in _THROW:
            outside = (f for f in kept[number:] if "libstdc++" not in (f.module or ""))
            return next(outside, outer)
    return None


def exception_type(target: Target, frames: Sequence[NativeFrame]) -> str | None:
    """Return the type of the innermost exception that the stack points to.

    None when there is none, or its type's name cannot be read.
    """
    header = _unwind_header(target, frames)
    return _exception_type_by_unwind_header(target, header) if header else None


def exception_text(target: Target, frames: Sequence[NativeFrame]) -> str | Absent:
    """Return what what() of the exception gives: it is data of the program.

    Absent for types that do not derive from std::runtime_error or std::logic_error first, whose
    text has no place that is known; those two have a reference-counted string after their vtable
    in every version (libstdc++-v3/include/std/stdexcept, __cow_string).
    """
    header = _unwind_header(target, frames)
    text = read_word(target, header + _HEADER + _TEXT_AT) if header else None
    if text is None:
        return Absent(NOT_AVAILABLE, "no exception is on the stack")
    length, capacity = read_word(target, text + _LENGTH), read_word(target, text + _CAPACITY)
    fits = length is not None and capacity is not None and length <= min(capacity, MAX_TEXT)
    raw = try_read(target, text, (length or 0) + 1) if fits else b""
    if raw.find(b"\0") != length:
        return Absent(UNPARSABLE, "its type keeps no text where std::runtime_error does")
    return raw[:-1].decode("utf-8", "backslashreplace")


def system_error_number(target: Target, frames: Sequence[NativeFrame]) -> int | None:
    """Return the number of a std::system_error: its error_code stands behind the text.

    Reference: libstdc++-v3/include/std/system_error, a std::runtime_error and then _M_code.
    """
    header = _unwind_header(target, frames)
    code = read_word(target, header + _HEADER + _TEXT_AT + WORD) if header else None
    return None if code is None else code & HALF_MASK


def size_asked_of_operator_new(target: Target, registers: Mapping[str, int]) -> int | None:
    """Return how many bytes operator new was asked for that threw std::bad_alloc; None unknown.

    It keeps the number in a register over its calls (libstdc++-v3/libsupc++/new_op.cc), which the
    functions that it called have saved.
    """
    new, throw = target.symbol("_Znwm"), target.symbol("__cxa_throw")
    if new is None or throw is None or not registers.get("rsp"):
        return None
    code = read_up_to(target, new, _NEW_BYTES)
    kept = next((name for moved, name in _KEPT_SIZE.items() if moved in code), None)
    caller = find_caller_of(target, throw, registers, MAX_FRAMES) if kept else None
    if kept is None or caller is None:
        return None
    text = target.region_at(caller.pc)
    is_new = text is not None and text.start <= new < text.end
    return caller.registers.get(kept) if is_new else None


def memory_words_of_exception(target: Target, frames: Sequence[NativeFrame]) -> Iterator[int]:
    """Yield the words of the thrown object behind its vtable, and of what they point to.

    There pybind11::error_already_set and nanobind::python_error keep the Python exception.
    """
    header = _unwind_header(target, frames)
    members = (
        split_into_words(try_read(target, header + _HEADER + WORD, MEMBERS * WORD))
        if header
        else []
    )
    for member in members:
        yield member
        if member % WORD == 0 and _is_in_writable_memory(target, member):
            yield from split_into_words(try_read(target, member, MEMBERS * WORD))


def _unwind_header(target: Target, frames: Sequence[NativeFrame]) -> int | None:
    """Return the unwind header of the innermost exception that the stack points to."""
    start = frames[0].sp if frames else 0
    region = target.region_at(start)
    if region is None:
        return None
    end = min(start + MAX_STACK, region.end, region.start + region.dumped)
    stack = try_read(target, start, max(end - start, 0) & -WORD)
    for pointer in dict.fromkeys(split_into_words(stack)):
        if (
            pointer % WORD == 0
            and _is_in_writable_memory(target, pointer)
            and _exception_type_by_unwind_header(target, pointer)
        ):
            return pointer
    return None


def _is_in_writable_memory(target: Target, pointer: int) -> bool:
    region = target.region_at(pointer)
    return region is not None and "w" in region.perms


def _exception_type_by_unwind_header(target: Target, header: int) -> str | None:
    dependent = _CLASSES.get(try_read(target, header, WORD))
    if dependent is None:
        return None
    info = read_word(target, header - _TYPE)
    if dependent and info:  # there it is the pointer to the object that was thrown first
        info = read_word(target, info - _PRIMARY)
    at = read_word(target, info + WORD, dumped_only=False) if info else None
    name = c_string(target, at, MAX_NAME, 64) if at else b""
    return _demangled_type_name(name.decode("utf-8", "backslashreplace"))


def _demangled_type_name(mangled: str) -> str | None:
    mangled = mangled.removeprefix("*")  # GCC: compared by address
    if not mangled:
        return None
    if mangled in _SIMPLE:
        return _SIMPLE[mangled]
    from gdb_epi.demangle.itanium import class_name  # four modules that other crashes do not need

    return class_name(mangled) or mangled
