# SPDX-License-Identifier: Apache-2.0
"""Where glibc's heap is damaged, after malloc gave up or code met a wrong value, and by whom.

Which block lies before the damage, and which library has a pointer to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice, pairwise

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word, plain_finding
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.account import ABORTED, ACCESS, TRANSFER, FaultAccount
from gdb_epi.fault.address_place import LOW, NULL
from gdb_epi.fault.fault_site import ARITHMETIC
from gdb_epi.fault.malloc_heap import (
    FLAGS,
    MAX_FREE,
    MIN_CHUNK,
    PREV_INUSE,
    HeapWords,
    chunks_fit,
    find_overwritten_links,
    free_chunks,
    main_heap,
    next_chunk,
    thread_heaps,
    top_size_lacks_a_bit,
)
from gdb_epi.fault.own_native_code import CALLERS, VICTIM, is_own_library, possible_writers
from gdb_epi.fault.word_shapes import shape_of
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Target, module_at
from gdb_epi.target.memory_search import find_word
from gdb_epi.typing_lite import NamedTuple

MAX_HEAP = 256 << 20  # bytes that are walked
MAX_QUIET_HEAP = 64 << 20  # where malloc found nothing
MAX_DAMAGE = 64 << 10  # bytes behind a header that was written over, in which blocks begin again
MAX_PLACES = 16  # of one address
_FENCEPOST, _LINE = 0x10, 64  # a size; bytes of a cache line
_HEADER = 16  # bytes of a chunk before what the program has
_SHAPES = {"ascii": "text", "double": "a floating-point number", "poison": "a filling pattern"}


class MisfittingChunk(NamedTuple):
    """Where the chunks end to fit: the damaged header, the chunk before it, how many were whole.

    `sizes` counts the chunks of each size before it.
    """

    header: int
    before: int | None
    size: int  # of the chunk before
    word: int  # that stands where the size should be
    whole: int
    sizes: dict[int, int]
    one_bit: bool  # one bit of the size makes the next chunks fit


@detector(
    "damaged_heap",
    needs="crash",
    supports=SupportedLabel(
        "software", "out-of-bounds", counted_by="kind", overwritten_fact="size_at", root=True
    ),
)
def damaged_heap(state: ProcessState) -> Iterator[Finding]:
    """Walk glibc's heaps after malloc's message: what is damaged, and what lies before it.

    An overrun writes over the size of the next block, so the block before a damaged one is the
    likely culprit's. Innocent causes: a stray write from elsewhere does the same, and so does
    hardware in one bit (then it speaks for nothing). Mapped blocks are not walked, nor heaps of
    threads whose arena has several. Where all blocks fit it speaks for nothing either.

    Where malloc said nothing, but an assertion failed, a division had no result, or a pointer was
    NULL, the heap is walked too: whoever overran a block has changed the values behind it. There
    only a break counts that no line of zeros explains, behind which the blocks go on: what others
    took by sbrk() ends in two blocks of 16 bytes (malloc/malloc.c, sysmalloc: fenceposts).
    Reference: glibc 2.36 malloc/malloc.c (struct malloc_chunk, prev_inuse).
    """
    account = state.fault_account
    if isinstance(account, Absent):
        return
    message = account.message
    gave_up = isinstance(message, AbortMessage) and message.kind == "malloc"
    if not gave_up and not _failed_on_wrong_value(account):
        return
    region = main_heap(state.target)
    size = 0 if region is None else region.dumped_size
    main = HeapWords(state.target, 0 if region is None else region.start, size // 8)
    at: MisfittingChunk | int | None = None
    left = MAX_HEAP if gave_up else MAX_QUIET_HEAP
    for heap in [main, *thread_heaps(state.target, malloc_gave_up=gave_up)]:
        if isinstance(at, MisfittingChunk) or not 0 < 8 * heap.count <= left:
            continue
        left -= 8 * heap.count
        with suppress(UnreadableMemory):
            end = _first_misfitting_chunk(heap)
            if not gave_up and (isinstance(end, int) or not _is_header_overwritten(heap, end)):
                continue
            if heap is main or isinstance(end, MisfittingChunk):
                at = end
    if at is None:
        return
    frames = state.target.native_frames(account.fault.tid)
    named, who = possible_writers(state.target, () if isinstance(frames, Absent) else frames)
    modules = (module.path or "" for module in state.target.modules())
    if who and any(path.rpartition("/")[2].startswith(CALLERS) for path in modules):
        who = who.replace(" or ", ", ") + " or Python code by ctypes"
    subject = f"thread {account.fault.tid}"
    if isinstance(at, int):
        summary = (
            f"all {at} blocks of the main heap fit together: no block there was overrun into the "
            "next one; "
        )
        free = islice(free_chunks(main), MAX_FREE)
        links = find_overwritten_links(state.target, main, free)
        if links:
            freed, holds = links[0].block, f"{links[0].holds:#x}, which leads nowhere"
            summary += (
                f"but the link in a freed block at {freed:#x} is {holds}: it was written to after "
                "it was given back"
                if freed
                else f"but a list of free blocks begins with {holds}: the list was written over, "
                "or a block in it after it was given back"
            )
        else:
            summary += "what malloc complains of is the pointer that it was given, or another heap"
        facts = {"kind": "info", "whole": at, "candidates": named[:8]}
        yield Finding("damaged_heap", subject, facts, summary)
    else:
        holders = (
            [] if at.before is None else _libraries_that_hold(state.target, at.before + _HEADER)
        )
        yield _finding(at, subject, named, who, holders)


def _failed_on_wrong_value(account: FaultAccount) -> bool:
    """Whether code of the program failed over a value that somebody else may have written."""
    if account.how == ABORTED:
        return not isinstance(account.message, AbortMessage) or account.message.kind == "assert"
    is_null = account.how in (ACCESS, TRANSFER) and account.place.kind in (NULL, LOW)
    return account.how == ARITHMETIC or is_null


def _is_header_overwritten(heap: HeapWords, at: MisfittingChunk) -> bool:
    """Whether a header was written over, by no hardware and no other user of sbrk().

    Blocks fit before it and again behind it. One whole cache line of zeros is what hardware makes;
    zeros beside it may have been there before, but not a second line.
    """
    place = (at.header - heap.start) // 8
    if at.one_bit or at.before is None or at.word & ~FLAGS == _FENCEPOST:
        return False
    line = (at.header + 8 & -_LINE) - heap.start
    line_before, its_line, line_after = (
        any(heap[n] for n in range(max(0, start // 8), min(heap.count, (start + _LINE) // 8)))
        for start in (line - _LINE, line, line + _LINE)
    )
    if line_before and line_after and not its_line:
        return False
    behind = range(place + 2, min(place + 2 + MAX_DAMAGE // 8, heap.count - 1), 2)
    return any(
        heap[number + 1] == 8 * (heap.count - number) | PREV_INUSE  # the top
        or chunks_fit(heap, number, heap[number + 1])
        for number in behind
    )


def _libraries_that_hold(target: Target, block: int) -> list[str]:
    """Return the libraries that hold a block's address in variables of their own."""
    names: dict[str, None] = {}
    for place in find_word(target, block, limit=MAX_PLACES).addresses:
        module = module_at(target, place)
        if module is not None and is_own_library(module.path or ""):
            names.setdefault((module.path or "").rpartition("/")[2])
    return list(names)


def _finding(
    at: MisfittingChunk, subject: str, named: list[str], who: str, holders: Sequence[str] = ()
) -> Finding:
    shape = shape_of(at.word)
    holds = _SHAPES.get(shape.name) if shape is not None else None
    facts = {
        "kind": "info" if at.one_bit else "overrun", "header": hex_word(at.header),
        "size_at": hex_word(at.header + 8),
        "whole": at.whole, "candidates": named[:8], "size_looks_like": holds, VICTIM: True,
    }  # fmt: skip
    if at.one_bit:
        plain = (
            "the size of a heap block is wrong; with one bit of it changed, it fits what is "
            "behind; who changed it is not in the core"
        )
        details = f"the block is at {at.header + _HEADER:#x}, its size is {at.word:#x}"
        return plain_finding("damaged_heap", subject, facts, plain, details)
    damaged = "is damaged" + (f": it holds {holds}" if holds else "")
    who = f"something, perhaps {who}," if who else "something, what is not known,"
    if holders:
        facts["holders"] = list(holders[:8])
        who = f"something, perhaps {holders[0]}, which has a pointer to it,"
    if at.before is None:
        block, plain = at.header, f"{who} overwrote the header of a heap block, which {damaged}"
    else:
        usable, alike = at.size - 8, at.sizes.get(at.size, 0)
        facts |= {"before": hex_word(at.before + _HEADER), "before_size": usable, "alike": alike}
        block = at.before
        plain = (
            f"{who} probably wrote past the end of a heap block of {usable} bytes; the header "
            f"behind it {damaged}"
        )
    details = f"the block is at {block + _HEADER:#x}"
    return plain_finding("damaged_heap", subject, facts, plain, details)


def _first_misfitting_chunk(heap: HeapWords) -> MisfittingChunk | int:
    """Return where chunks stop fitting; the number of chunks when all do."""
    at, places = 0, list[int]()
    while at + 1 < heap.count:
        at, _ = heap.follow_chunks(at, places)
        following = next_chunk(heap, at)
        if following is None:
            break
        places.append(at)
        at = following
    else:
        return len(places)
    count, before = len(places), places[-1] if places else None
    sizes = Counter(8 * (end - start) for start, end in pairwise([*places, at]))
    size = heap[at + 1]
    length = size & ~FLAGS
    plausible = length >= MIN_CHUNK and not size & heap.never and at + length // 8 + 1 < heap.count
    if plausible and not chunks_fit(heap, at + length // 8, heap[at + length // 8 + 1]):
        # This size is whole, and the one after it is not: it is the block that was overrun.
        before, at = at, at + length // 8
        sizes[length] += 1
    place = heap.start + 8 * at
    word = heap[at + 1]
    near = [
        word ^ 1 << bit
        for bit in range(1, 64)
        if bit >= 4 or word & heap.never & 1 << bit  # a flag too many, that no chunk there has
    ]
    if before is not None and heap[at] != 8 * (at - before):  # then the one before is in use
        near = [size for size in near if size & PREV_INUSE]
    one_bit = top_size_lacks_a_bit(heap, at) or any(chunks_fit(heap, at, size) for size in near)
    if before is None:
        return MisfittingChunk(place, None, 0, word, count, sizes, one_bit)
    size = heap[before + 1] & ~FLAGS
    return MisfittingChunk(place, heap.start + 8 * before, size, word, count, sizes, one_bit)
