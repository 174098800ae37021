# SPDX-License-Identifier: Apache-2.0
"""Bytes and words of the dead process that may not be in the core."""

from __future__ import annotations

from gdb_epi.machine import Architecture
from gdb_epi.sizes import PAGE
from gdb_epi.target.api import DUMPED, Target
from gdb_epi.target.api import try_read as try_read

NULL_PAGE = PAGE  # no address below is ever mapped


def read_up_to(target: Target, address: int, size: int) -> bytes:
    """Return as many of `size` bytes as can be read (b"" for none)."""
    memory = try_read(target, address, size) if size > 0 else b""
    if memory:
        return memory
    readable, too_many = 0, size
    while too_many - readable > 1:
        middle = (readable + too_many) // 2
        piece = try_read(target, address, middle)
        if piece:
            memory, readable = piece, middle
        else:
            too_many = middle
    return memory


def c_string(target: Target, address: int, *sizes: int) -> bytes:
    """Return what stands before the first NUL; b"" where that is not within the bytes read.

    Those are as many as the first of `sizes` for which all can be read.
    """
    memory = next(filter(None, (try_read(target, address, size) for size in sizes)), b"")
    text, end, _ = memory.partition(b"\0")
    return text if end else b""


def read_word(target: Target, address: int, *, dumped_only: bool = True) -> int | None:
    """Return the 64-bit word at `address`; None when it is not in the core.

    With `dumped_only`, bytes that only a file on the analysing machine has count as absent.
    """
    if address < NULL_PAGE or address > (1 << 64) - 8:
        return None
    dumped_word = getattr(target, "dumped_word", None)  # most are asked of a core file
    word: int | None = None if dumped_word is None else dumped_word(address)
    if word is not None:
        return word
    if dumped_only and target.provenance(address, 8) != DUMPED:
        return None
    return read_u64(target, address)


def read_u64(target: Target, address: int) -> int | None:
    """Return an unsigned 64-bit word, wherever its bytes come from; None when unreadable."""
    memory = try_read(target, address, 8)
    return int.from_bytes(memory, "little") if memory else None


def read_u32(target: Target, address: int) -> int | None:
    """Return an unsigned 32-bit word, wherever its bytes come from; None when unreadable."""
    memory = try_read(target, address, 4)
    return int.from_bytes(memory, "little") if memory else None


def follows_call(target: Target, machine: Architecture, address: int) -> bool | None:
    """Return whether a call ends at a code address; None when the code is not readable."""
    code = try_read(target, address - 8, 8)
    return machine.is_call(code) if code else None
