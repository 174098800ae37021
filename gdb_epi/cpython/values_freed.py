# SPDX-License-Identifier: Apache-2.0
"""Words that tell of memory that was freed, or never filled."""

from __future__ import annotations

# Objects/obmalloc.c, PYMEM_*BYTE: the debug allocators (PYTHONMALLOC=debug, -X dev, debug builds)
# fill memory with one of these. 0xdb was the mark of freed memory up to 3.7, and is that of others.
_MARKS = {
    0xCD: "memory that was never filled",
    0xDD: "freed memory",
    0xFD: "the guard around a block",
    0xDB: "freed memory",
    0xCB: "memory that was never filled",
    0xFB: "the guard around a block",
}


def poison(word: int) -> str:
    """Say which mark of the debug allocators a 64-bit word is; "" when it is none.."""
    what = _MARKS.get(word >> 24 & 0xFF)
    if what is None or word != (word >> 24 & 0xFF) * 0x0101010101010101:
        return ""
    return f"{what}: every byte is {word & 0xFF:#x}, as the debug allocators of CPython leave it"
