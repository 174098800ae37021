# SPDX-License-Identifier: Apache-2.0
"""R7: a chunk size in glibc's main heap that one bit makes fit the chunks behind it.

R12: links of free chunks in glibc's main heap that the chunks they name do not answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.memory import read_words
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence, Skipped, word_evidence
from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault.reads import read_word
from gdb_epi.sizes import ADDRESS_BITS
from gdb_epi.target.api import Region, Target
from gdb_epi.typing_lite import NamedTuple

# Sizes of glibc's first chunk, struct tcache_perthread_struct (malloc/malloc.c: 0x250 in 2.26 to
# 2.29, 0x290 since 2.30 where the counts have 16 bits, 0x300 since 2.42), with PREV_INUSE. From
# 2.42 on a few small chunks lie before it: it is made when something is first freed.
TCACHE_SIZES = (0x251, 0x291, 0x301)
MAX_BEFORE_TCACHE, MOST_BEFORE_TCACHE = 8, 0x100
HEAD_WORDS = 512
LEAST_FIRST, MOST_FIRST = 0x240, 0x1000  # its size in any other version
PROBED = 1 << 16  # bytes in which its successors are looked for
FLAGS = 7  # PREV_INUSE, IS_MMAPPED, NON_MAIN_ARENA
PREV_INUSE = 1
NEVER = 14  # IS_MMAPPED, NON_MAIN_ARENA, and a size that is no multiple of 16
MIN_CHUNK = 0x20
FOLLOWING = 16  # chunks that must fit behind a corrected size
LARGE = 128 << 10  # bytes; from here on glibc maps blocks by themselves (M_MMAP_THRESHOLD)
MAX_INSIDE = 1 << 14  # words of a mended chunk that are looked at
BACK = 8  # chunks before the place where the walk fails
MAX_BREAKS = 8
DEFAULT_LIMIT = 16 << 20  # bytes of heap that a default run walks
WINDOW = 1 << 14  # words that are read at once
MAX_WINDOWS = 256  # kept; then they are read again
LINE_WORDS = 8  # of a cache line
MAX_GONE = 512  # words behind a header of zeros in which chunks begin again


class Gone(NamedTuple):
    """A chunk whose header is 0, in a cache line of zeros, and the one before it: addresses."""

    before: int
    header: int


class HeapWords:
    """The words of a heap, read by windows; places are counted in words from `start`.

    Raises UnreadableMemory.
    """

    def __init__(self, target: Target, start: int, count: int) -> None:
        self.start = start
        self.count = count
        self._target = target
        self._windows: dict[int, memoryview] = {}

    def __getitem__(self, at: int) -> int:
        """Return the word at a place."""
        words = self._windows.get(at // WINDOW)
        word: int = (self._window(at // WINDOW) if words is None else words)[at % WINDOW]
        return word

    def __len__(self) -> int:
        """Return the number of words."""
        return self.count

    def slice(self, at: int, count: int) -> Iterator[int]:
        """Yield words from a place on, up to the end."""
        return (self[number] for number in range(at, min(at + count, self.count)))

    def _window(self, number: int) -> memoryview:
        words = self._windows.get(number)
        if words is None:
            if len(self._windows) >= MAX_WINDOWS:
                self._windows.clear()
            size = 8 * min(WINDOW, self.count - number * WINDOW)
            data = self._target.read(self.start + 8 * number * WINDOW, size)
            words = self._windows[number] = memoryview(data).cast("Q")
        return words

    def run(self, at: int, recent: deque[int]) -> tuple[int, int]:
        """Follow chunks that fit, in one window; return the place of the last and their number.

        They are appended to `recent`. As `_next`, which says why, in a quarter of the time.
        """
        words = self._window(at // WINDOW)
        first = at - at % WINDOW
        end, at = len(words) - 1, at - first
        count = 0
        size = words[at + 1] if at < end else 0
        while size >= MIN_CHUNK and not size & NEVER:
            length = size & ~FLAGS
            following = at + (length >> 3)
            if following >= end:
                break
            size = words[following + 1]
            if not size & PREV_INUSE and words[following] != length:
                break
            recent.append(first + at)
            at = following
            count += 1
        return first + at, count


@check("R7")
def malloc_chunks(context: Context) -> Iterator[Evidence | Skipped]:
    """Walk the chunks of glibc's main heap; where they stop fitting, try each bit of the sizes.

    Innocent causes: overruns of a block (the words beside are damaged too, and several bits of the
    size), the three flag bits (left out: an overrun by one zero byte clears them). Heaps of threads
    and mmapped blocks are not walked.
    """
    region = main_heap(context)
    if region is None:
        yield Skipped("R7", "no heap that begins with glibc's tcache: another malloc, or no heap")
        return
    size = min(region.dumped, region.size)
    if size > DEFAULT_LIMIT and not context.sweep:
        yield Skipped("R7", f"the heap has {size >> 20} MiB: only with --sweep")
        return
    if not context.budget.take(size):
        yield Skipped("R7", "the budget does not reach for the heap")
        return
    heap = HeapWords(context.target, region.start, size // 8)
    try:
        for found in _walk(heap):
            if isinstance(found, int):
                context.counts["malloc chunks"] = found
            elif isinstance(found, Gone):
                context.kept.setdefault("chunks gone", []).append(found)  # of the check M:line
            else:
                yield Skipped("R7", found) if isinstance(found, str) else found
    except UnreadableMemory as error:
        yield Skipped("R7", f"{error}")


def main_heap(context: Context) -> Region | None:
    """Return the heap that glibc's brk() grows; None for another malloc, or without one."""
    for region in context.target.regions():
        if region.path is None and "w" in region.perms and region.dumped >= 0x1000:
            try:
                head = context.target.read(region.start, 16)
            except UnreadableMemory:
                continue
            first, size = int.from_bytes(head[:8], "little"), int.from_bytes(head[8:], "little")
            if not first and (
                _holds_tcache(context, region) or _begins_chain(context, region, size)
            ):
                return region
    return None


def _holds_tcache(context: Context, region: Region) -> bool:
    """Whether one of the first chunks has the size of glibc's table of small free blocks."""
    words = read_words(context, region.start, HEAD_WORDS)
    at = 0
    for _ in range(MAX_BEFORE_TCACHE + 1):
        size = words[at + 1] if at + 1 < len(words) else 0
        if size in TCACHE_SIZES:
            return True
        if not size & PREV_INUSE or not MIN_CHUNK < size < MOST_BEFORE_TCACHE:
            return False
        at += (size & ~FLAGS) // 8
    return False


def _begins_chain(context: Context, region: Region, size: int) -> bool:
    """Whether chunks of any other glibc follow (2.42 has a larger first one)."""
    if not size & PREV_INUSE or not LEAST_FIRST <= size <= MOST_FIRST:
        return False
    count = min(region.dumped, region.size, PROBED) // 8
    try:
        return _fits(HeapWords(context.target, region.start, count), 0, size)
    except UnreadableMemory:
        return False


def _walk(heap: HeapWords) -> Iterator[Evidence | Gone | str | int]:
    """Yield evidence, complaints, headers of zeros, and at the end the number of chunks."""
    at, count, breaks = 0, 0, 0
    recent: deque[int] = deque(maxlen=BACK + 1)
    while at + 1 < heap.count:
        at, passed = heap.run(at, recent)
        count += passed
        following = _next(heap, at)
        if following is not None:
            recent.append(at)
            at = following
            count += 1
            continue
        breaks += 1
        repair = _repair(heap, [*recent, at]) if breaks <= MAX_BREAKS else None
        gone = _gone(heap, at) if repair is None and breaks <= MAX_BREAKS else None
        if gone is not None:
            yield Gone(heap.start + 8 * at, heap.start + 8 * gone[0])
            recent.clear()
            at = gone[1]
            continue
        if repair is None:
            if at + 1 < heap.count and not _is_tail(heap, at):
                place = heap.start + 8 * at
                yield f"the chunks end at {place:#x} after {count}; no single flip mends them"
            break
        place, size = repair
        yield _evidence(heap, place, size)
        recent.clear()
        at = place + (size & ~FLAGS) // 8
    yield count


def _next(heap: HeapWords, at: int, size: int | None = None) -> int | None:
    """Return where the chunk behind begins; None when this one does not fit.

    The end of the heap counts as a chunk: it is behind the top.
    """
    size = heap[at + 1] if size is None else size
    length = size & ~FLAGS
    if length < MIN_CHUNK or size & NEVER:
        return None
    following = at + length // 8
    if following > heap.count:
        return None
    if following + 1 >= heap.count:
        return following if following == heap.count else None
    if not heap[following + 1] & PREV_INUSE and heap[following] != length:
        return None
    return following


def _gone(heap: HeapWords, at: int) -> tuple[int, int] | None:
    """Return (the place of the next chunk, that of one behind it), where a line of zeros is.

    A word of the line may have been written since. None where the next header is not 0, or no
    chunks fit behind the line.
    """
    size = heap[at + 1]
    if not MIN_CHUNK <= size <= 8 * heap.count or size & NEVER:
        return None
    place = at + (size >> 3 & ~1)
    line = (heap.start // 8 + place + 1) // LINE_WORDS * LINE_WORDS - heap.start // 8
    end = line + LINE_WORDS
    if end + MIN_CHUNK > heap.count or line < 0 or heap[place + 1]:
        return None
    if sum(word != 0 for word in heap.slice(line, LINE_WORDS)) > 1:
        return None
    for behind in range(end, min(end + MAX_GONE, heap.count - 1), 2):
        if _fits(heap, behind, heap[behind + 1]):
            return place, behind
    return None


def _is_tail(heap: HeapWords, at: int) -> bool:
    """Whether the heap ends in zeros: what trimming or a foreign sbrk() leaves."""
    return not any(heap.slice(at, 512))


def _repair(heap: HeapWords, places: list[int]) -> tuple[int, int] | None:
    """Return (place, size) of a one-bit change behind which all fits; None without one.

    The last place that can be mended, and the smallest size: others would jump over chunks that
    are whole.
    """
    for place in reversed(places):
        sizes = [heap[place + 1] ^ 1 << bit for bit in range(4, 64)]
        fitting = [size for size in sizes if _fits(heap, place, size)]
        if fitting:
            size = min(fitting)
            return None if _jumps_over_chunks(heap, place, size) else (place, size)
    return None


def _jumps_over_chunks(heap: HeapWords, place: int, size: int) -> bool:
    """Whether chunks inside of a mended one lead to its end: then a header among them is damaged.

    A block that was joined of freed ones holds their old headers too; it is given up. In a large
    one a chain of them is enough: random words over a size hit some far header by chance.
    """
    end = place + (size & ~FLAGS) // 8
    for start in range(place + 4, min(end, place + MAX_INSIDE), 2):
        at: int | None = start
        for _ in range(FOLLOWING):
            at = _next(heap, at) if at is not None and at + 1 < end else None
            if at == end:
                return True
        if at is not None and at < end and size > LARGE:
            return True
    return False


def _fits(heap: HeapWords, place: int, size: int) -> bool:
    at = _next(heap, place, size)
    for number in range(FOLLOWING):
        if at is None:
            return False
        if at >= heap.count:
            return number > 0
        at = _next(heap, at)
    return at is not None


def _evidence(heap: HeapWords, place: int, size: int) -> Evidence:
    where = heap.start + 8 * (place + 1)
    found = heap[place + 1]
    return word_evidence(
        "R7",
        where,
        found,
        size,
        MEMORY,
        f"the size of the malloc chunk at {where - 8:#x} is {found:#x}; with {size:#x} the "
        f"{FOLLOWING} chunks behind it fit",
    )


MAX_FREE = 4096  # chunks whose links are looked at
MAX_CHUNKS = 1 << 18
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
