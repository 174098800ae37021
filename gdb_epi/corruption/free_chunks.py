# SPDX-License-Identifier: Apache-2.0
"""Which memory of glibc's main heap is free: what stands there holds nothing any more.

Old tables of dicts, storage of lists that grew, what was read from a .pyc: the words stay until
the memory is used again. Blocks in glibc's caches (tcache, fastbins) look as if they were in use.
"""

from __future__ import annotations

from bisect import bisect_right

from gdb_epi.corruption.checks.malloc_chunks import (
    DEFAULT_LIMIT,
    FLAGS,
    MIN_CHUNK,
    NEVER,
    PREV_INUSE,
    main_heap,
)
from gdb_epi.corruption.context import Context
from gdb_epi.errors import UnreadableMemory
from gdb_epi.lean import NamedTuple


class _Free(NamedTuple):
    """Free chunks, ascending: where each begins and ends."""

    starts: list[int]
    ends: list[int]


def in_free_chunk(context: Context, address: int) -> bool:
    """Whether an address lies in a free chunk of the main heap, behind its own size."""
    if "free chunks" not in context.kept:
        context.kept["free chunks"] = _free_chunks(context)
    known: _Free = context.kept["free chunks"]
    number = bisect_right(known.starts, address) - 1
    return number >= 0 and address < known.ends[number]


def _free_chunks(context: Context) -> _Free:
    """Walk the heap up to its end or a size that fits nothing."""
    found = _Free([], [])
    region = main_heap(context)
    size = 0 if region is None else min(region.dumped, region.size)
    if region is None or size > DEFAULT_LIMIT:
        return found
    try:
        words = memoryview(context.target.read(region.start, size & ~7)).cast("Q")
    except UnreadableMemory:
        return found
    at, last = 0, len(words) - 1
    head = words[1]
    while head >= MIN_CHUNK and not head & NEVER:
        following = at + ((head & ~FLAGS) >> 3)
        if following >= last:
            break
        head = words[following + 1]
        if not head & PREV_INUSE:
            found.starts.append(region.start + 8 * (at + 2))
            found.ends.append(region.start + 8 * following)
        at = following
    return found
