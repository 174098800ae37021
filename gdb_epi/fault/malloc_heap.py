# SPDX-License-Identifier: Apache-2.0
"""The chunks of glibc's heaps: where they lie, and which chunks fit what is after them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.target.api import Region, Target, view_memory
from gdb_epi.target.libc import runs_on_musl
from gdb_epi.typing_lite import NamedTuple

# Sizes of glibc's first chunk, struct tcache_perthread_struct (malloc/malloc.c: 0x250 in 2.26 to
# 2.29, 0x290 since 2.30 where the counts have 16 bits, 0x300 since 2.42), with PREV_INUSE. From
# 2.42 on a few small chunks lie before it: it is made when something is first freed.
TCACHE_SIZES = (0x251, 0x291, 0x301)
MAX_CHUNKS_BEFORE_TCACHE, MAX_SIZE_BEFORE_TCACHE = 8, 0x100
HEAD_WORDS = 512
MIN_FIRST, MAX_FIRST = 0x240, 0x1000  # its size in any other version
PROBED = 1 << 16  # bytes in which its successors are looked for
FLAGS = 7  # PREV_INUSE, IS_MMAPPED, NON_MAIN_ARENA
PREV_INUSE, IS_MMAPPED = 1, 2
HEAD_BYTES = 16  # of a chunk before its block, of one in its own mapping too
NEVER = 14  # IS_MMAPPED, NON_MAIN_ARENA, and a size that is not a multiple of 16
NON_MAIN = 4  # NON_MAIN_ARENA: of chunks that were given out of the heap of an arena of threads
MIN_CHUNK = 0x20
FOLLOWING = 16  # chunks that must fit after a corrected size
MAX_CHUNKS, MAX_FREE = 1 << 18, 4096  # chunks that are walked, free ones that are looked at
MAX_WRONG, MAX_CACHED = 4, 1 << 16  # links that are told; blocks of one list of the tcache
TCACHE_LISTS, TCACHE_WORDS = 64, 82  # with 64 counts of 16 bits, and the chunk's head
WINDOW = 1 << 14  # words that are read at once
MAX_WINDOWS = 256  # kept; then they are read again
# malloc/arena.c: HEAP_MAX_SIZE, to a multiple of which each heap of an arena of threads is aligned;
# struct heap_info (the arena, the heap before, size) with 32 bytes, with 48 since 2.35; the first
# heap of an arena goes on with its struct malloc_state (mutex, flags, 10 fastbins, top, bins), and
# that with chunks, the first of which is the tcache of the thread that made it.
HEAP_ALIGNMENT, HEAP_INFO, TOP_AT = 64 << 20, (0x20, 0x30), 0x60
STATE_SIZES = range(0x800, 0xA00, 16)  # bytes of struct malloc_state; 0x898 in 2.27 to 2.41
MAX_HEAPS = 256


class HeapWords:
    """The words of a heap, read by windows; places are counted in words from `start`.

    Raises UnreadableMemory.
    """

    def __init__(
        self, target: Target, start: int, count: int, never: int = NEVER, top: int = 0
    ) -> None:
        self.start = start
        self.count = count
        self.never = never  # flags that no chunk of this heap has
        self.top = top  # the chunk that ends where the heap does, by its arena; 0: not known
        self._target = target
        self._windows: dict[int, memoryview] = {}

    def __getitem__(self, at: int) -> int:
        """Return the word at a place."""
        words = self._windows.get(at // WINDOW)
        word: int = (self._words_of_window(at // WINDOW) if words is None else words)[at % WINDOW]
        return word

    def __len__(self) -> int:
        """Return the number of words."""
        return self.count

    def words_from(self, at: int, count: int) -> Iterator[int]:
        """Yield words from a place on, up to the end."""
        return (self[number] for number in range(at, min(at + count, self.count)))

    def _words_of_window(self, number: int) -> memoryview:
        words = self._windows.get(number)
        if words is None:
            if len(self._windows) >= MAX_WINDOWS:
                self._windows.clear()
            size = 8 * min(WINDOW, self.count - number * WINDOW)
            view = view_memory(self._target, self.start + 8 * number * WINDOW, size)
            words = self._windows[number] = view.cast("Q")
        return words

    def follow_chunks(self, at: int, recent: deque[int] | list[int]) -> tuple[int, int]:
        """Follow chunks that fit, in one window; return the place of the last and their number.

        They are appended to `recent`. As `next_chunk`, which says why, in a quarter of the time.
        """
        words, never = self._words_of_window(at // WINDOW), self.never
        first = at - at % WINDOW
        end, at = len(words) - 1, at - first
        count = 0
        size = words[at + 1] if at < end else 0
        while size >= MIN_CHUNK and not size & never:
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


def main_heap(target: Target) -> Region | None:
    """Return the heap that glibc's brk() grows; None for another malloc, or without one."""
    if runs_on_musl(target):
        return None
    for region in target.regions():
        if region.path is None and "w" in region.perms and region.dumped >= 0x1000:
            try:
                head = target.read(region.start, 16)
            except UnreadableMemory:
                continue
            first, size = int.from_bytes(head[:8], "little"), int.from_bytes(head[8:], "little")
            if not first and (_holds_tcache(target, region) or _begins_chain(target, region, size)):
                return _extended_heap(target, region)
    return None


def thread_heaps(target: Target, *, malloc_gave_up: bool) -> list[HeapWords]:
    """Return the heaps of arenas of threads, from their first chunk to the end of their top.

    Of arenas with one heap, whose chunks end where it does. Not where the arena is locked: some
    thread may be changing headers. If malloc gave up and one is locked, that thread did so there.
    """
    if runs_on_musl(target):
        return []
    heaps: list[HeapWords] = []
    of_locked: list[HeapWords] = []
    for region in target.regions():
        if region.start % HEAP_ALIGNMENT or region.path is not None or "w" not in region.perms:
            continue
        arena, size = (read_word(target, region.start + at) or 0 for at in (0, 16))
        if arena - region.start not in HEAP_INFO or not 0 < size <= region.dumped_size:
            continue
        locked, top = (read_word(target, arena + at) for at in (0, TOP_AT))
        end = region.start + size
        if top is None or not arena < top < end or top % 16 or end % 16:
            continue
        if locked is None:
            continue
        for first in range(arena + STATE_SIZES.start & -16, arena + STATE_SIZES.stop, 16):
            head = read_word(target, first + 8)
            if head is not None and head & NON_MAIN and head & ~NON_MAIN in TCACHE_SIZES:
                heap = HeapWords(target, first, (end - first) // 8, NEVER & ~NON_MAIN, top)
                (of_locked if locked & 0xFFFFFFFF else heaps).append(heap)
                break
        if len(heaps) == MAX_HEAPS:
            break
    return heaps + of_locked if malloc_gave_up and len(of_locked) == 1 else heaps


def _extended_heap(target: Target, heap: Region) -> Region:
    """Return the heap with the mappings right after it in which its chunks go on.

    What brk() adds in a forked child becomes a mapping of its own: the kernel does not extend
    one that is shared with the parent by its anon_vma (linux mm/vma.c, is_mergeable_anon_vma).
    """
    for region in target.regions():
        if region.start != heap.end:
            continue
        anonymous = region.path is None and "w" in region.perms
        complete = heap.dumped >= heap.size and region.dumped > 0
        if not anonymous or not complete or not _continues_past_mapping(target, heap, region):
            break
        heap = heap._replace(end=region.end, dumped=heap.size + region.dumped)
    return heap


def _continues_past_mapping(target: Target, heap: Region, behind: Region) -> bool:
    """Whether the last chunk of a heap does not end with its mapping, or others follow there."""
    words = HeapWords(target, heap.start, heap.size // 8)
    recent: deque[int] = deque(maxlen=1)
    at = 0
    try:
        while at + 1 < words.count:
            at, _ = words.follow_chunks(at, recent)
            following = next_chunk(words, at)
            if following is None:
                return True  # a chunk crosses the end, or is damaged
            at = following
        count = min(behind.dumped, behind.size, PROBED) // 8
        head = HeapWords(target, behind.start, count)
        return count > 1 and chunks_fit(head, 0, head[1])
    except UnreadableMemory:
        return False


def _holds_tcache(target: Target, region: Region) -> bool:
    """Tell whether one of the first chunks has the size of glibc's table of small free blocks."""
    try:
        words = memoryview(target.read(region.start, 8 * HEAD_WORDS)).cast("Q")
    except UnreadableMemory:
        return False
    at = 0
    for _ in range(MAX_CHUNKS_BEFORE_TCACHE + 1):
        size = words[at + 1] if at + 1 < len(words) else 0
        if size in TCACHE_SIZES:
            return True
        if not size & PREV_INUSE or not MIN_CHUNK < size < MAX_SIZE_BEFORE_TCACHE:
            return False
        at += (size & ~FLAGS) // 8
    return False


def _begins_chain(target: Target, region: Region, size: int) -> bool:
    """Tell whether chunks of any other glibc follow (2.42 has a larger first one)."""
    if not size & PREV_INUSE or not MIN_FIRST <= size <= MAX_FIRST:
        return False
    count = min(region.dumped, region.size, PROBED) // 8
    try:
        return chunks_fit(HeapWords(target, region.start, count), 0, size)
    except UnreadableMemory:
        return False


def free_chunks(words: HeapWords, at: int = 0) -> Iterator[int]:
    """Yield the places of chunks, from one on, that the chunk after them says to be free.

    They are in bins; small ones may be in fastbins or a tcache and look as if they were in use.
    """
    last = len(words) - 1
    size = words[at + 1] if at < last else 0
    for _ in range(MAX_CHUNKS):
        length = size & ~FLAGS
        following = at + length // 8
        if length < MIN_CHUNK or length & 8 or following >= last:
            return
        size = words[following + 1]
        if not size & PREV_INUSE:
            if words[following] != length:
                return
            yield at
        at = following


class OverwrittenLink(NamedTuple):
    """A link of a free chunk that leads to none: its place, what it holds; the chunk's block.

    `block` is 0 where that was given out since: malloc's list begins with what it held then.
    """

    place: int
    holds: int
    block: int
    size: int


def find_overwritten_links(
    target: Target, heap: HeapWords, free: Iterable[int]
) -> list[OverwrittenLink]:
    """Return the links of free chunks, in bins or in the first thread's tcache, that lead nowhere.

    Who writes to a block after it was given back writes over its links (malloc/malloc.c: those in
    bins have two, of chunks; those of a tcache one, hidden by its own place from 2.32 on). What a
    flipped bit, or a count of references, makes of a link is left out.
    """
    wrong: list[OverwrittenLink] = []
    for at in free:
        links = [heap[at + 2], heap[at + 3]]
        for number, link in enumerate(links):
            if not link or _leads_nowhere(target, link):  # the lists of bins are rings
                block, size = heap.start + 8 * (at + 2), (heap[at + 1] & ~FLAGS) - 8
                wrong.append(OverwrittenLink(block + 8 * number, link, block, size))
                break
        if len(wrong) == MAX_WRONG:
            return wrong
    if heap.count < TCACHE_WORDS or heap[1] != TCACHE_SIZES[1]:
        return wrong
    for number in range(TCACHE_LISTS):
        # struct tcache_perthread_struct of 2.30 to 2.41: 64 counts of 16 bits, then 64 lists.
        first = 2 + TCACHE_LISTS // 4 + number
        entry, size = heap[first], MIN_CHUNK + 16 * number
        if _leads_nowhere(target, entry):
            wrong.append(OverwrittenLink(heap.start + 8 * first, entry, 0, size - 8))
            continue
        for _ in range(MAX_CACHED):
            at = (entry - heap.start) // 8
            if entry % 16 or not 2 <= at < heap.count or heap[at - 1] & ~FLAGS != size:
                break  # the end, or no block of this list
            held = heap[at]
            hidden = held ^ entry >> 12
            if all(_leads_nowhere(target, word) for word in (hidden, held)):
                wrong.append(OverwrittenLink(entry, held, entry, size - 8))
                break
            entry = hidden
    return wrong[:MAX_WRONG]


def _leads_nowhere(target: Target, link: int) -> bool:
    """Whether neither a word nor any that differs in a bit leads to memory that can be written."""
    here = target.region_at(link)
    if not link or (here is not None and "w" in here.perms):
        return False
    near = (target.region_at(link ^ 1 << bit) for bit in range(12, 64))
    return not any(region is not None and "w" in region.perms for region in near)


def next_chunk(heap: HeapWords, at: int, size: int | None = None) -> int | None:
    """Return where the next chunk begins; None when this one does not fit.

    The end of the heap counts as a chunk: it is after the top.
    """
    size = heap[at + 1] if size is None else size
    length = size & ~FLAGS
    if length < MIN_CHUNK or size & heap.never:
        return None
    following = at + length // 8
    if following > heap.count:
        return None
    if following + 1 >= heap.count:
        return following if following == heap.count else None
    if not heap[following + 1] & PREV_INUSE and heap[following] != length:
        return None
    return following


def top_size_lacks_a_bit(heap: HeapWords, place: int) -> bool:
    """Whether one bit of the size of the top makes it end where the heap does.

    An overrun by one zero byte clears a flag: then it is none. Not of the main heap: somebody
    else's sbrk() makes it end elsewhere, and by a power of two as a rule.
    """
    wrong = heap[place + 1] ^ (8 * (heap.count - place) | PREV_INUSE)
    return heap.start + 8 * place == heap.top and wrong > FLAGS and wrong.bit_count() == 1


def chunks_fit(heap: HeapWords, place: int, size: int) -> bool:
    """Tell whether FOLLOWING chunks fit after a chunk of that size, or all up to the heap's end."""
    at = next_chunk(heap, place, size)
    for number in range(FOLLOWING):
        if at is None:
            return False
        if at >= heap.count:
            return number > 0
        at = next_chunk(heap, at)
    return at is not None
