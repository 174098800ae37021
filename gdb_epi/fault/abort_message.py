# SPDX-License-Identifier: Apache-2.0
"""What glibc says about an abort: `__abort_msg`, readable without a stack.

assert(), malloc's checks and _FORTIFY_SOURCE store their message there before abort().
Source: glibc 2.36 sysdeps/posix/libc_fatal.c, assert/assert.c (struct abort_msg_s {unsigned int
size; char msg[]}); the symbol is exported as GLIBC_PRIVATE from 2.4 on.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.target.api import DUMPED, Target, module_at
from gdb_epi.target.cfi import find_caller_of
from gdb_epi.typing_lite import NamedTuple

MAX_MESSAGE = 4096  # examined bytes; __PRETTY_FUNCTION__ may be long
MAX_SOURCE = 256  # characters of an assertion's place and expression
MAX_FUNCTION = 2048  # characters of the function that an assertion names
MAX_FRAMES_OF_ABORT = 6  # pthread_kill, raise and abort are three
_HEADER = 4
# The fixed phrases of glibc 2.31 to 2.42 malloc/malloc.c (malloc_printerr) by their first words.
_MALLOC = (
    "double free or corruption", "free(): ", "malloc(): ", "realloc(): ", "malloc_consolidate(): ",
    "corrupted double-linked list", "corrupted size vs. prev_size", "munmap_chunk(): ",
    "mremap_chunk(): ", "tcache_thread_shutdown(): ", "calloc(): ", "sysmalloc: ",
    "break adjusted to free malloc space", "invalid fastbin entry", "_int_free: ",
)  # fmt: skip
_FORTIFY = (
    "*** buffer overflow detected ***",
    "*** stack smashing detected ***",
    "*** longjmp causes uninitialized stack frame ***",
    "*** %n in writable segment",
    "*** bit out of range 0 - FD_SETSIZE on fd_set ***",  # debug/fdelt_chk.c
    "*** invalid %N$ use detected ***",  # stdio-common/vfprintf-internal.c
)
# Messages about an access outside of its memory; the others are about a call that is not allowed.
OVERRUNS = ("*** buffer overflow", "*** stack smashing", "*** bit out of range")
# Fixed messages of __libc_fatal(), and what each means; the category stays "other".
FATAL = {
    "FATAL: exception not rethrown": (  # nptl/unwind.c, unwind_cleanup()
        "C++ code with a catch (...) that does not throw again was left by a thread that ends: by "
        "pthread_exit() or a cancellation, as Python ends threads that want the GIL while it exits"
    ),
    **dict.fromkeys(  # sysdeps/nptl/unwind-forcedunwind.c
        (
            f"libgcc_s.so.1 must be installed for pthread_{call} to work"
            for call in ("exit", "cancel")
        ),
        "a thread that ends needs libgcc_s.so.1, and that cannot be loaded here",
    ),
    "The futex facility returned an unexpected error code": (  # sysdeps/nptl/futex-internal.h
        "the kernel refused a lock's word: the lock's memory was given back or overwritten, or it "
        "does not lie at a multiple of 4"
    ),
    "Fatal glibc error: pthread_mutex": (
        "a mutex was not in the state that its user left it in: destroyed, copied or overwritten"
    ),
    "Fatal glibc error: malloc assertion failure": (
        "malloc found its own data in a state that it does not leave them in"
    ),
    "Fatal error: glibc detected an invalid stdio handle": (  # libio/vtables.c
        "a FILE did not name one of glibc's tables of operations: it was closed already, "
        "overwritten, or is none"
    ),
    "cannot allocate memory in static TLS block": "too many libraries with static TLS were loaded",
}
# Of these a damaged word is as good a cause as any.
OF_STATE = ("The futex", "Fatal glibc error", "Fatal error: glibc detected")


class AbortMessage(NamedTuple):
    """The kind of message ("assert", "malloc", "fortify", "other") and its class.

    An unknown message may contain data of the program, so its `text` is "". Otherwise `text` is a
    fixed phrase of glibc, or the source of an assertion (file, line, expression) without anything
    in quotes. `function` is what an assertion names: __func__ in C, __PRETTY_FUNCTION__ in C++.
    """

    kind: str
    klass: str
    function: str
    text: str = ""


def read_abort_message(
    target: Target, registers: Mapping[str, int] | None = None
) -> AbortMessage | Absent | None:
    """Return what glibc stored before abort(); None when it stored nothing.

    Nothing sets the variable back, so the message of an earlier abort that a handler survived (by
    siglongjmp, as cysignals does) is still there. With the `registers` of the thread that called
    abort(), a message counts only where the C library itself was the caller.

    Absent when the symbol or the bytes cannot be had (another libc, truncated core).
    """
    symbol = target.symbol("__abort_msg")
    if symbol is None:
        return Absent(NOT_AVAILABLE, "no symbol __abort_msg")
    try:
        if target.provenance(symbol, 8) != DUMPED:
            return Absent(UNREADABLE, "__abort_msg is not in the core")
        address = struct.unpack("<Q", target.read(symbol, 8))[0]
        if not address or (registers and _is_abort_called_outside_libc(target, registers)):
            return None
        return _read_message_at(target, address)
    except UnreadableMemory as error:
        return Absent(UNREADABLE, str(error))


def _is_abort_called_outside_libc(target: Target, registers: Mapping[str, int]) -> bool:
    """Tell whether code outside of the C library called abort(); False where that is not seen."""
    abort = target.symbol("abort")
    caller = find_caller_of(target, abort, registers, MAX_FRAMES_OF_ABORT) if abort else None
    if abort is None or caller is None:
        return False
    libc, module = module_at(target, abort), module_at(target, caller.pc - 1)
    return module is not None and libc is not None and module.path != libc.path


def _read_message_at(target: Target, address: int) -> AbortMessage:
    size = struct.unpack("<I", target.read(address, _HEADER))[0]
    wanted = min(size, MAX_MESSAGE)
    raw = target.read(address + _HEADER, max(0, wanted - _HEADER))
    return classify_glibc_message(raw.split(b"\0", 1)[0].decode("utf-8", "backslashreplace"))


def classify_glibc_message(text: str) -> AbortMessage:
    """Classify an abort message of glibc."""
    text = text.strip()
    for phrase in _FORTIFY:
        if text.startswith(phrase):
            return AbortMessage("fortify", phrase.strip("* "), "", phrase)
    for phrase in _MALLOC:
        if text.startswith(phrase):
            return AbortMessage("malloc", _fixed_phrase_slug(text), "", text.split("\n", 1)[0][:64])
    if ": Assertion `" in text:
        head, _, failed = text.partition(": Assertion `")
        where, _, function = head.rpartition(": ")
        source = _short_assertion_text(where, failed.rpartition("' failed")[0])
        return AbortMessage("assert", "", function[:MAX_FUNCTION], source)
    fatal = next((phrase for phrase in FATAL if text.startswith(phrase)), "")
    return AbortMessage("other", "", "", fatal)


def _short_assertion_text(where: str, expression: str) -> str:
    """Return "ext.c:22: n > 0" of an assertion's place ("prog: /src/ext.c:22") and expression."""
    place = where.rpartition(": ")[2].rpartition("/")[2]
    parts = expression.split('"')
    shown = '"'.join("..." if number % 2 else part for number, part in enumerate(parts))
    return f"{place}: {shown}"[:MAX_SOURCE]


def _fixed_phrase_slug(text: str) -> str:
    """Return the fixed phrase as one word: "double free or corruption (out)" and so on."""
    phrase = text.split("\n", 1)[0][:64]
    kept = [letter if letter.isalnum() else "-" for letter in phrase.lower()]
    return "-".join(part for part in "".join(kept).split("-") if part)
