# SPDX-License-Identifier: Apache-2.0
"""R7, R12: sizes of the chunks of glibc's heaps, and links of those of the main one.

R7: a size that one bit makes fit the chunks after it. R12: a link of a free chunk that the chunk
it names does not answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from gdb_epi.corruption.checks.overwritten_places import ID as OVERWRITTEN_PLACE
from gdb_epi.corruption.context import Context, ZeroedChunkHeader
from gdb_epi.corruption.evidence import (
    OVERWRITTEN,
    Evidence,
    NotChecked,
    Skipped,
    plain_evidence,
    word_evidence,
)
from gdb_epi.corruption.heap.content_runs import content_runs
from gdb_epi.corruption.heap.malloc_chunks import DEFAULT_LIMIT, HeapChunks, heap_chunks
from gdb_epi.corruption.heap.readers import is_on_stack
from gdb_epi.corruption.registry import check
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.malloc_heap import (
    FLAGS,
    FOLLOWING,
    HEAD_BYTES,
    MAX_FREE,
    MIN_CHUNK,
    PREV_INUSE,
    HeapWords,
    OverwrittenLink,
    chunks_fit,
    find_overwritten_links,
    free_chunks,
    main_heap,
    next_chunk,
    thread_heaps,
    top_size_lacks_a_bit,
)
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.word_shapes import shape_note
from gdb_epi.sizes import ADDRESS_BITS, PAGE, WORD
from gdb_epi.util import counted

LARGE = 128 << 10  # bytes; from here on glibc maps blocks by themselves (M_MMAP_THRESHOLD)
MAX_INSIDE = 1 << 14  # words of a mended chunk that are looked at
BACK = 8  # chunks before the place where the walk fails
MAX_BREAKS = 8
LINE_WORDS = 8  # of a cache line
MAX_NAMING = 8  # places that name a chunk; one of them must be outside of stacks
BESIDE = 8  # words on each side of pages of zeros that are not all 0
MAX_GONE = 512  # words after a header of zeros within which chunks begin again
FORWARD, BACKWARD = 16, 24  # bytes: fd and bk of struct malloc_chunk (malloc/malloc.c)


@check("R7", costly=True)
def malloc_chunks(context: Context) -> Iterator[Evidence | Skipped]:
    """Walk the chunks of glibc's heaps; where they stop fitting, try each bit of the sizes.

    Innocent causes: overruns of a block (the words beside are damaged too, and several bits of the
    size), flag bits that are cleared (left out: an overrun by one zero byte does that; one set that
    no chunk of the heap has is no such thing). Heaps of threads are walked where their arena has
    one, and is not locked or malloc itself gave up in it; mmapped blocks are not.
    """
    region = main_heap(context.target)
    heaps = _thread_heaps(context)
    size = 0 if region is None else region.dumped_size
    if region is None:
        if not heaps:
            raise NotChecked("no heap that begins with glibc's tcache: another malloc, or no heap")
        yield Skipped("R7", "no main heap that begins with glibc's tcache")
    elif size > DEFAULT_LIMIT and not context.sweep:
        yield Skipped("R7", f"the heap has {size >> 20} MiB: only with --sweep")
    elif not context.budget.take_bytes(size):
        yield Skipped("R7", "the budget does not reach for the heap")
    else:
        is_whole = not context.target.truncation().truncated and region.dumped >= region.size
        heap = HeapWords(context.target, region.start, size // 8)
        try:
            yield from _check_and_count_chunks(context, heap, heap_chunks(context), is_whole)
        except UnreadableMemory as error:
            yield Skipped("R7", str(error))
    yield from _check_thread_heaps(context, heaps)


def _thread_heaps(context: Context) -> list[HeapWords]:
    """Return the heaps of threads of a process that died: of a live one they change."""
    account = context.state.fault_account
    if isinstance(account, Absent):
        return []
    message = account.message
    gave_up = isinstance(message, AbortMessage) and message.kind == "malloc"
    return thread_heaps(context.target, malloc_gave_up=gave_up)


def _check_thread_heaps(
    context: Context, heaps: Sequence[HeapWords]
) -> Iterator[Evidence | Skipped]:
    none = HeapChunks(0, memoryview(b"").cast("Q"), [], [])
    is_whole = not context.target.truncation().truncated
    left, skipped = DEFAULT_LIMIT, 0
    for heap in heaps:
        size = 8 * heap.count
        if (size > left and not context.sweep) or not context.budget.take_bytes(size):
            skipped += size
            continue
        left -= size
        with suppress(UnreadableMemory):
            yield from _check_and_count_chunks(context, heap, none, is_whole)
    if skipped:
        yield Skipped("R7", f"{skipped / 2**20:.0f} MiB of heaps of threads: only with --sweep")


def _is_named_from_outside(context: Context, chunk: int, end: int) -> bool:
    """Whether a word names a chunk, or its block, from outside of [chunk, end) and the stacks.

    A bin of malloc's, a pointer of the program: then a chunk begins there. Stacks may hold what
    malloc worked out from a wrong size.
    """
    return any(
        not chunk <= place < end and not is_on_stack(context, place)
        for address in (chunk, chunk + HEAD_BYTES)
        for place in context.places_of_word(address, MAX_NAMING)
    )


def _check_and_count_chunks(
    context: Context, heap: HeapWords, chunks: HeapChunks, is_whole: bool
) -> Iterator[Evidence | Skipped]:
    """Yield what is wrong with the chunks; note headers of zeros and the number of chunks.

    `chunks` are those that were walked before.
    """
    count, breaks = chunks.count_consistent_chunks(), 0
    before = context.counts.get("malloc chunks", 0)
    at = chunks.places[count] if count else 0
    recent = deque(chunks.places[:count][-BACK - 1 :], maxlen=BACK + 1)
    while at + 1 < heap.count:
        at, passed = heap.follow_chunks(at, recent)
        count += passed
        following = next_chunk(heap, at)
        if following is not None:
            recent.append(at)
            at = following
            count += 1
            continue
        breaks += 1
        repair = gone = None
        if breaks <= MAX_BREAKS:
            repair = _one_bit_repair_of_chunk_size(context, heap, [*recent, at])
            gone = _next_chunks_behind_zeros(heap, at) if repair is None else None
        recent_chunk = recent[-1] if recent else None
        recent.clear()
        if repair is not None:
            place, size = repair
            yield _evidence_of_chunk_size(heap, place, size)
            at = place + (size & ~FLAGS) // 8
        elif gone is not None:  # for the check M:line
            header = ZeroedChunkHeader(heap.start + 8 * at, heap.start + 8 * gone[0])
            context.zeroed_headers.append(header)
            at = gone[1]
        else:
            if at + 1 < heap.count and not _ends_in_zeros(heap, at) and not _is_top_split(heap, at):
                yield _evidence_of_wrong_header(context, heap, recent_chunk, at, is_whole=is_whole)
            break
    context.counts["malloc chunks"] = before + count


def _evidence_of_wrong_header(
    context: Context, heap: HeapWords, before: int | None, at: int, *, is_whole: bool
) -> Evidence | Skipped:
    """Tell how a header that fits nothing was overwritten, where one content goes over it.

    The header may be whole and lead to one that is not.
    """
    length = heap[at + 1] & ~FLAGS
    places = [at]
    if length >= MIN_CHUNK and not heap[at + 1] & heap.never and at + length // 8 + 2 < heap.count:
        places.append(at + length // 8)
        before = at
    for place in reversed(places) if is_whole else ():
        header = heap.start + 8 * place
        emptied = _zero_pages_around_header(heap, place)
        if emptied is not None:
            first, end = emptied
            plain = (
                f"{counted((end - first) // PAGE, 'whole page')} of malloc's memory in use became "
                "zeros, as when memory is given back: madvise(MADV_DONTNEED)"
            )
            summary = f"{plain}; from {first:#x} on, over the header of malloc's at {header:#x}"
            return plain_evidence(OVERWRITTEN_PLACE, header + WORD, summary, plain=plain)
        for run in content_runs(context.target, header + WORD):
            if run.start <= header and run.end >= header + 2 * WORD:
                block = ""
                if place != at or before is not None:
                    start = at if place != at else before or 0
                    if run.start <= heap.start + 8 * start:
                        continue  # what goes over a header that is whole is in its blocks
                    size = (heap[start + 1] & ~FLAGS) - 8
                    block = f" behind the block of {size} bytes at {heap.start + 8 * start + 16:#x}"
                summary = (
                    f"the header of malloc's at {header:#x}{block} was overwritten: "
                    f"{run.end - run.start} bytes from {run.start:#x} on are {run.what}"
                )
                length = run.end - run.start
                plain = f"{length} bytes were written over malloc's own data: {run.kind_in_words}"
                return plain_evidence(OVERWRITTEN_PLACE, header + WORD, summary, plain=plain)
    summary = f"malloc's chunks fit no more at {heap.start + 8 * at:#x}; no single flip mends them"
    # Of a heap that is not whole, what is missing may be why.
    return plain_evidence(OVERWRITTEN, "", summary) if is_whole else Skipped("R7", summary)


def _zero_pages_around_header(heap: HeapWords, place: int) -> tuple[int, int] | None:
    """Return the range of whole pages of zeros that a header lies in; None where there is none.

    malloc writes no header of size 0, and what is stored by mistake seldom ends where pages do on
    both sides.
    """
    first = (heap.start + 8 * place & -PAGE) - heap.start >> 3
    if first < BESIDE:  # heaps of threads, and brk's without a random start, begin inside of a page
        return None
    end, step = first, PAGE // 8
    while end + step <= heap.count and not any(heap.words_from(end, step)):
        end += step
    while first >= step and not any(heap.words_from(first - step, step)):
        first -= step
    if not BESIDE <= first <= place < end:
        return None
    if not any(heap.words_from(first - BESIDE, BESIDE)) or not any(heap.words_from(end, BESIDE)):
        return None
    return heap.start + 8 * first, heap.start + 8 * end


def _next_chunks_behind_zeros(heap: HeapWords, at: int) -> tuple[int, int] | None:
    """Return (the place of the next chunk, that of one after it), where a line of zeros is.

    A word of the line may have been written since. None where the next header is not 0, or no
    chunks fit after the line.
    """
    size = heap[at + 1]
    if not MIN_CHUNK <= size <= 8 * heap.count or size & heap.never:
        return None
    place = at + (size >> 3 & ~1)
    line = (heap.start // 8 + place + 1) // LINE_WORDS * LINE_WORDS - heap.start // 8
    end = line + LINE_WORDS
    if end + MIN_CHUNK > heap.count or line < 0 or heap[place + 1]:
        return None
    if sum(word != 0 for word in heap.words_from(line, LINE_WORDS)) > 1:
        return None
    if _zero_pages_around_header(heap, place) is not None:
        return None
    for behind in range(end, min(end + MAX_GONE, heap.count - 1), 2):
        if chunks_fit(heap, behind, heap[behind + 1]):
            return place, behind
    return None


def _ends_in_zeros(heap: HeapWords, at: int) -> bool:
    """Whether the heap ends in zeros: what trimming or a foreign sbrk() leaves."""
    return not any(heap.words_from(at, 512))


def _is_top_split(heap: HeapWords, at: int) -> bool:
    """Whether nothing is behind a chunk, not even the top: another thread was splitting that.

    It writes the header of the chunk that it takes before that of the rest (malloc/malloc.c,
    _int_malloc: use_top).
    """
    size = heap[at + 1]
    place = at + (size & ~FLAGS) // 8
    if size & heap.never or size & ~FLAGS < MIN_CHUNK or place >= heap.count:
        return False
    return not any(heap.words_from(place, heap.count - place))


def _one_bit_repair_of_chunk_size(
    context: Context, heap: HeapWords, places: list[int]
) -> tuple[int, int] | None:
    """Return (place, size) of a one-bit change after which all fits; None without one.

    The last place that can be mended, and the smallest size: others would jump over chunks that
    are whole. And the next header must not be one that something else names, nor lead on to
    others: then a header among those is damaged, as by an overrun, and the size before is right.
    """
    for behind, place in enumerate(reversed(places)):
        if not behind and top_size_lacks_a_bit(heap, place):
            return place, 8 * (heap.count - place) | PREV_INUSE
        # Of the flags only those that no chunk of the heap has may be set too many.
        sizes = [
            heap[place + 1] ^ 1 << bit
            for bit in range(1, 64)
            if bit >= 4 or heap[place + 1] & heap.never & 1 << bit
        ]
        fitting = [size for size in sizes if chunks_fit(heap, place, size)]
        if fitting:
            size = min(fitting)
            length, mended = heap[place + 1] & ~FLAGS, size & ~FLAGS
            at = heap.start + 8 * place
            larger = MIN_CHUNK <= length < mended
            swallowed = larger and (
                behind > 1 or _is_named_from_outside(context, at + length, at + mended)
            )
            whole = swallowed or _does_repaired_chunk_cover_chunks(heap, place, size)
            return None if whole else (place, size)
    return None


def _does_repaired_chunk_cover_chunks(heap: HeapWords, place: int, size: int) -> bool:
    """Whether chunks inside of a mended one lead to its end: then a header among them is damaged.

    A block that was joined of freed ones holds their old headers too; it is given up. In a large
    one a chain of them is enough: random words over a size hit some far header by chance.
    """
    end = place + (size & ~FLAGS) // 8
    for start in range(place + 4, min(end, place + MAX_INSIDE), 2):
        at: int | None = start
        for _ in range(FOLLOWING):
            at = next_chunk(heap, at) if at is not None and at + 1 < end else None
            if at == end:
                return True
        if at is not None and at < end and size > LARGE:
            return True
    return False


def _evidence_of_chunk_size(heap: HeapWords, place: int, size: int) -> Evidence:
    where = heap.start + 8 * (place + 1)
    held = heap[place + 1]
    is_top = where - 8 == heap.top
    fits = "it ends where the heap does" if is_top else f"the {FOLLOWING} chunks behind it fit"
    summary = f"the size of the malloc chunk at {where - 8:#x} is {held:#x}; with {size:#x} {fits}"
    return word_evidence("R7", where, held, size, summary)


@check("R12", costly=True)
def malloc_links(context: Context) -> Iterator[Evidence]:
    """Compare the links of the chunks in bins: the next one's link back must name this one.

    The word one bit away must be a chunk that does so.

    Innocent causes: a write to a freed block changes its links in many bits; malloc clears and sets
    both links of a pair together. Small blocks in the caches of threads have single links, and are
    left out. R7 says what was skipped.
    """
    region = main_heap(context.target)
    size = 0 if region is None else region.dumped_size
    if region is None or (size > DEFAULT_LIMIT and not context.sweep):
        return
    words = HeapWords(context.target, region.start, size // 8)
    free: list[int] = []
    flips = 0
    with suppress(UnreadableMemory):
        for at in islice(_free_chunks(words, heap_chunks(context)), MAX_FREE):
            free.append(at)
            chunk = region.start + 8 * at
            for offset, answer in ((FORWARD, BACKWARD), (BACKWARD, FORWARD)):
                link = words[at + offset // 8]
                if read_word(context.target, link + answer) != chunk:
                    for evidence in _evidence_of_bin_link(context, chunk, offset, answer, link):
                        flips += 1
                        yield evidence
        wrong = [] if flips else find_overwritten_links(context.target, words, free)
        if wrong:
            yield _evidence_of_write_after_free(context, wrong)


def _free_chunks(words: HeapWords, chunks: HeapChunks) -> Iterator[int]:
    """Yield the places of chunks that the chunk after them says to be free.

    `chunks` are those that were walked before: only behind the last of them each is looked at.
    """
    fitting = chunks.count_consistent_chunks()
    for number, head in enumerate(chunks.heads[1 : fitting + 1]):
        if not head & PREV_INUSE:
            yield chunks.places[number]
    yield from free_chunks(words, chunks.places[fitting] if fitting else 0)


def _evidence_of_write_after_free(context: Context, wrong: Sequence[OverwrittenLink]) -> Evidence:
    first = wrong[0]
    more = f"; so were those of {len(wrong) - 1} other free blocks" if len(wrong) > 1 else ""
    run = next(content_runs(context.target, first.place), None)
    what = f"; {run.end - run.start} bytes from {run.start:#x} on are {run.what}" if run else ""
    if not first.block:
        plain = "a list of malloc's was overwritten, or a block in it after it was freed"
        summary = (
            f"malloc's list of free blocks of {first.size} bytes begins with {first.holds:#x}, "
            "which leads nowhere: a store went to the list, or to the link of a block that was in "
            f"it and was given out since{more}"
        )
        return plain_evidence(OVERWRITTEN_PLACE, first.place, summary, plain=plain)
    summary = (
        f"the link in the freed block of {first.size} bytes at {first.block:#x} was overwritten: "
        f"it holds {first.holds:#x}{shape_note(first.holds)}{what}{more}. Code wrote there after "
        "the block was given back, or went on behind the end of the block before"
    )
    plain = "a piece of memory was written to after it was freed"
    return plain_evidence(OVERWRITTEN_PLACE, first.place, summary, plain=plain)


def _evidence_of_bin_link(
    context: Context, chunk: int, offset: int, answer: int, link: int
) -> Iterator[Evidence]:
    near = [flip for bit in range(64) if not (flip := link ^ 1 << bit) >> ADDRESS_BITS]
    chunks = [flip for flip in near if read_word(context.target, flip + answer) == chunk]
    if len(chunks) == 1:
        summary = (
            f"a link of the free malloc chunk at {chunk:#x} is {link:#018x}; the chunk one bit "
            f"away, {chunks[0]:#018x}, links back to it"
        )
        yield word_evidence("R12", chunk + offset, link, chunks[0], summary)
