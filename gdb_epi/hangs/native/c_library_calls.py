# SPDX-License-Identifier: Apache-2.0
"""What functions of the C library give that native loops call: that compare, compute or yield.

Such a function changes neither memory nor the registers that it must give back (rbx, rbp, rsp, r12
to r15 in the x86-64 psABI): all others may be anything afterwards. What a comparison of texts gives
is known where the texts are in the core.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

MAX_TEXT = 4096
ARGUMENTS = ("rdi", "rsi", "rdx")
CLOBBERED = ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
_OF_MATH = frozenset(
    name + width
    for name in (
        "pow exp exp2 log log2 log10 sin cos tan asin acos atan atan2 sinh cosh tanh sqrt cbrt "
        "fmod floor ceil round trunc rint fabs hypot fmin fmax"
    ).split()
    for width in ("", "f")
)
_COMPARES = frozenset(("strcmp", "strncmp", "memcmp", "strcasecmp", "strncasecmp", "bcmp"))
_OTHERS = frozenset(("strlen", "abs", "labs", "toupper", "tolower"))
_THROUGH_SLOT, _JUMP_THROUGH_SLOT, _CALL = b"\xff\x15", b"\xff\x25", 0xE8
_ENDBR64, _BND = b"\xf3\x0f\x1e\xfa", b"\xf2"
_LONGEST, _STUB = 6, 16  # bytes of a call through a slot, and of a stub
# A loop that sleeps and looks at a flag may be a service's, whose flag a signal's handler sets.
_YIELDS = frozenset(("sched_yield", "pthread_yield", "thrd_yield"))
KNOWN = _OF_MATH | _COMPARES | _OTHERS | _YIELDS
Reader = Callable[[int, int], bytes]


def argument_registers(name: str) -> tuple[str, ...]:
    """Return the registers that hold what a function of KNOWN is given, numbers of floats apart."""
    if name in _OF_MATH or name in _YIELDS:
        return ()
    if name in _COMPARES:
        has_size = "n" in name or name in ("memcmp", "bcmp")
        return ARGUMENTS if has_size else ARGUMENTS[:2]
    return ARGUMENTS[:1]


def function_called_before(back: int, read: Reader, import_name: Callable[[int], str]) -> str:
    """Return the name of what the call in front of an address called in another library.

    By its slot, or by a stub that jumps through the slot; "" for any other call. Raises
    UnreadableMemory.
    """
    call, at = read(back - _LONGEST, _LONGEST), back
    if not call.startswith(_THROUGH_SLOT):
        if call[1] != _CALL:
            return ""
        stub = back + int.from_bytes(call[2:], "little", signed=True)
        code = read(stub, _STUB)
        jump = code.removeprefix(_ENDBR64).removeprefix(_BND)
        if not jump.startswith(_JUMP_THROUGH_SLOT):
            return ""
        at, call = stub + len(code) - len(jump) + _LONGEST, jump[:_LONGEST]
    return import_name(at + int.from_bytes(call[2:], "little", signed=True))


def returned_number_of(name: str, arguments: Mapping[str, int], read: Reader) -> int | None:
    """Return what a function of KNOWN leaves in rax; None where that is not known.

    `read` gives the bytes at an address. Raises UnreadableMemory.
    """
    first, second, third = (arguments.get(each) for each in ARGUMENTS)
    if name == "strlen" and first is not None:
        length = len(_read_text(read, first, MAX_TEXT))
        return length if length < MAX_TEXT else None
    if name not in _COMPARES or first is None or second is None:
        return None
    if len(argument_registers(name)) == len(ARGUMENTS):
        if third is None or third > MAX_TEXT:
            return None
        size = third
    else:
        size = MAX_TEXT
    if name in ("memcmp", "bcmp"):
        left, right = read(first, size), read(second, size)
    else:
        left, right = (_read_text(read, at, size)[:size] for at in (first, second))
    if left == right and len(left) == MAX_TEXT and third is None:
        return None  # they go on
    if "case" in name:
        left, right = left.lower(), right.lower()
    return 0 if left == right else 1 if left > right else 0xFFFFFFFF


def _read_text(read: Reader, at: int, size: int) -> bytes:
    """Return the bytes up to a NUL, in pieces that end where pages do: no more need be there."""
    text = b""
    while len(text) < size:
        piece = read(at + len(text), min(size - len(text), 64 - (at + len(text)) % 64))
        before, end, _ = piece.partition(b"\0")
        text += before
        if end:
            break
    return text
