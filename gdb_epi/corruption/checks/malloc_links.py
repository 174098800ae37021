# SPDX-License-Identifier: Apache-2.0
"""R12: links of free chunks in glibc's main heap that the chunks they name do not answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.corruption.checks.malloc_chunks import (
    DEFAULT_LIMIT,
    FLAGS,
    MIN_CHUNK,
    PREV_INUSE,
    HeapWords,
    main_heap,
)
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence, word_evidence
from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault import read_word

MAX_FREE = 4096  # chunks whose links are looked at
MAX_CHUNKS = 1 << 18
ADDRESS_BITS = 47
FORWARD, BACKWARD = 16, 24  # bytes: fd and bk of struct malloc_chunk (malloc/malloc.c)


@check("R12")
def malloc_links(context: Context) -> Iterator[Evidence]:
    """Compare the links of the chunks in bins: the next one's link back must name this one.

    The word one bit away must be a chunk that does so. Innocent causes: a write to a freed block
    changes its links in many bits; malloc clears and sets both links of a pair together. Small
    blocks in the caches of threads have single links, and are left out. R7 says what was skipped.
    """
    region = main_heap(context)
    size = 0 if region is None else min(region.dumped, region.size)
    if region is None or (size > DEFAULT_LIMIT and not context.sweep):
        return
    words = HeapWords(context.target, region.start, size // 8)
    with suppress(UnreadableMemory):
        for at in _free(words):
            chunk = region.start + 8 * at
            for offset, answer in ((FORWARD, BACKWARD), (BACKWARD, FORWARD)):
                link = words[at + offset // 8]
                if read_word(context.target, link + answer) != chunk:
                    yield from _mended(context, chunk, offset, answer, link)


def _free(words: HeapWords) -> Iterator[int]:
    """Yield the places of chunks that the chunk behind them says to be free."""
    at, count, last = 0, 0, len(words) - 1
    size = words[1] if last > 0 else 0
    for _ in range(MAX_CHUNKS):
        length = size & ~FLAGS
        following = at + length // 8
        if length < MIN_CHUNK or length & 8 or following >= last or count == MAX_FREE:
            return
        size = words[following + 1]
        if not size & PREV_INUSE:
            if words[following] != length:
                return
            count += 1
            yield at
        at = following


def _mended(
    context: Context, chunk: int, offset: int, answer: int, link: int
) -> Iterator[Evidence]:
    near = (link ^ 1 << bit for bit in range(64))
    found = [
        one
        for one in near
        if not one >> ADDRESS_BITS and read_word(context.target, one + answer) == chunk
    ]
    if len(found) == 1:
        yield word_evidence(
            "R12",
            chunk + offset,
            link,
            found[0],
            MEMORY,
            f"a link of the free malloc chunk at {chunk:#x} is {link:#018x}; the chunk one bit "
            f"away, {found[0]:#018x}, links back to it",
        )
