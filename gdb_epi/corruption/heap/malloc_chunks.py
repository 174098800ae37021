# SPDX-License-Identifier: Apache-2.0
"""The chunks of glibc's main heap: where it lies, which chunks fit, and what of it is free.

What stands in free memory holds nothing any more. Old tables of dicts, storage of lists that grew,
what was read from a .pyc: the words stay until the memory is used again. The top chunk, which ends
where the heap does, is free too. Blocks in fastbins look as if they were in use. So do those of the
tcache, but each has the same key after its link (2.29 and later: e->key in malloc/malloc.c; the
address of the cache up to 2.33, then a random number).
"""

from __future__ import annotations

from bisect import bisect_right

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault.malloc_heap import FLAGS, MIN_CHUNK, NEVER, PREV_INUSE, main_heap
from gdb_epi.target.api import Region, view_memory
from gdb_epi.typing_lite import NamedTuple

DEFAULT_LIMIT = 16 << 20  # bytes of heap that a default run walks


MAX_CACHED = 0x410  # bytes of the largest chunk in a tcache, unless tunables say else
MIN_KEYS = 4  # chunks with the same number after their first word
CACHE_AT = 16  # where the tcache of the first thread lies in the heap, up to 2.33
NO_ADDRESS = 1 << 48
HEAD = 2  # words: the size before, and the own one


class _FreeChunks(NamedTuple):
    """Free chunks, ascending: where each begins and ends; and `every` chunk of the heap.

    `keys` are the random numbers in those of the tcache.
    """

    starts: list[int]
    ends: list[int]
    every: HeapChunks
    keys: set[int]


class HeapChunks(NamedTuple):
    """The chunks of the main heap: their places in its words, ascending; `start` is its address.

    What a chunk holds begins HEAD words after its place; `heads` are their sizes with flags.
    """

    start: int
    words: memoryview
    places: list[int]
    heads: list[int]

    def count_consistent_chunks(self) -> int:
        """Return how many chunks, from the first on, have a next one that says so too."""
        words, places, heads = self.words, self.places, self.heads
        for number, head in enumerate(heads[1:]):
            if not head & PREV_INUSE and words[places[number + 1]] != heads[number] & ~FLAGS:
                return number
        return max(0, len(places) - 1)

    def places_of_size(self, least: int) -> list[int]:
        """Return the places of the chunks of at least `least` bytes."""
        return [at for at, head in zip(self.places, self.heads, strict=True) if head >= least]


def heap_chunks(context: Context) -> HeapChunks:
    """Return all chunks of the main heap, free ones too; none where it was not walked."""
    return _find_free_chunks(context).every


def is_in_free_chunk(context: Context, address: int) -> bool:
    """Tell whether an address lies in a free chunk of the main heap, after its size."""
    chunks = _find_free_chunks(context)
    number = bisect_right(chunks.starts, address) - 1
    return number >= 0 and address < chunks.ends[number]


def is_tcache_key(context: Context, word: int) -> bool:
    """Tell whether a word is the random number that marks each block of the tcache as freed.

    malloc clears it when it gives the block out again.
    """
    return word in _find_free_chunks(context).keys


@once_per_run
def _find_free_chunks(context: Context) -> _FreeChunks:
    """Walk the heap up to its end or a size that fits nothing."""
    region = main_heap(context.target)
    free = _FreeChunks([], [], HeapChunks(0, memoryview(b"").cast("Q"), [], []), set())
    size = 0 if region is None else region.dumped_size
    if region is None or size > DEFAULT_LIMIT:
        return free
    try:
        words = view_memory(context.target, region.start, size & ~7).cast("Q")
    except UnreadableMemory:
        return free
    places, heads = [], []
    at, head, last = 0, words[1], len(words) - 1
    while head >= MIN_CHUNK and not head & NEVER:
        following = at + (head >> 3)
        if following >= last:
            break
        places.append(at)
        heads.append(head)
        at, head = following, words[following + 1]
    free = free._replace(every=HeapChunks(region.start, words, places, heads))
    ends, flags = [*places, at][1:], [*heads, head][1:]
    chunks = [
        (place, end)
        for place, end, flag in zip(places, ends, flags, strict=True)
        if not flag & PREV_INUSE
    ]
    if head >= MIN_CHUNK and not head & NEVER and 8 * (at + (head >> 3)) == region.size:
        chunks.append((at, at + (head >> 3)))  # the top chunk: never given out, or given back
    cache = region.start + CACHE_AT
    keys: dict[int, list[tuple[int, int]]] = {}  # number after the first word -> chunks
    second = [words[place + HEAD + 1] for place in places]
    for number in [n for n, key in enumerate(second) if key >= NO_ADDRESS or key == cache]:
        if flags[number] & PREV_INUSE and heads[number] & ~FLAGS <= MAX_CACHED:
            keys.setdefault(second[number], []).append((places[number], ends[number]))
    for key, some in keys.items():
        cached = _tcache_chunks(region, words, some) if len(some) >= MIN_KEYS else []
        chunks += cached
        if cached and key != cache:
            free.keys.add(key)
    for at, following in sorted(chunks):
        free.starts.append(region.start + 8 * (at + 2))
        free.ends.append(region.start + 8 * following)
    return free


def _tcache_chunks(
    region: Region, words: memoryview, some: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return chunks with one key, if all their links lead to chunks of the heap.

    From 2.32 on a link is hidden by its own address (PROTECT_PTR).
    """
    for hidden in (True, False):
        links = [
            words[at + 2] ^ (region.start + 8 * (at + 2) >> 12 if hidden else 0) for at, _ in some
        ]
        if all(not link & 15 and (not link or region.start <= link < region.end) for link in links):
            return some
    return []
