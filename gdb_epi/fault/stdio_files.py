# SPDX-License-Identifier: Apache-2.0
"""The FILEs that glibc lists: those that are open.

Source: glibc 2.31 to 2.42 libio/bits/types/struct_FILE.h and libio/libioP.h.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.fault.memory_reads import read_word
from gdb_epi.target.api import Target

MAX_FILES = 4096
FILE_CHAIN, FILE_NUMBER, FILE_LOCK = 0x68, 0x70, 0x88  # _chain, _fileno, _lock
FILE_TABLE = 0xD8  # vtable of struct _IO_FILE_plus
FILE_MAGIC, MAGIC_MASK = 0xFBAD0000, 0xFFFF0000  # of _flags, as long as it is open


def stdio_files(target: Target) -> Iterator[int]:
    """Yield the address of each FILE on glibc's list."""
    head = target.symbol("_IO_list_all")
    at = read_word(target, head) if head is not None else None
    seen: set[int] = set()
    while at and at not in seen and len(seen) < MAX_FILES:
        seen.add(at)
        yield at
        at = read_word(target, at + FILE_CHAIN)
