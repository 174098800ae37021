# SPDX-License-Identifier: Apache-2.0
"""Numbers in LEB128, as DWARF has them (DWARF 5, 7.6)."""

from __future__ import annotations

MAX_BITS = 70  # of ten bytes, which hold any number of 64 bits


def unsigned_leb128(encoded: bytes, at: int) -> tuple[int, int]:
    """Return an unsigned number and the offset after it. Raises IndexError."""
    byte = encoded[at]
    at += 1
    if byte < 0x80:
        return byte, at
    value = byte & 0x7F
    shift = 7
    while byte >= 0x80:
        if shift == MAX_BITS:
            raise IndexError("a number of more than 64 bits")
        byte = encoded[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
    return value, at


def signed_leb128(encoded: bytes, at: int) -> tuple[int, int]:
    """Return a signed number and the offset after it. Raises IndexError."""
    first = at
    value, at = unsigned_leb128(encoded, at)
    return value - (1 << 7 * (at - first)) if encoded[at - 1] & 0x40 else value, at
