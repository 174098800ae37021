# SPDX-License-Identifier: Apache-2.0
"""Where glibc's heaps end: in a forked child the main one goes on in the mapping behind."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from support.fake_target import FakeTarget
from support.faults import evidence
from support.scenes import HEAP

from gdb_epi.corruption.checks.malloc_heap import malloc_chunks, malloc_links
from gdb_epi.corruption.checks.overwritten_places import ID as OVERWRITTEN_PLACE
from gdb_epi.corruption.context import Context
from gdb_epi.detectors.runtimes.damaged_heap import (
    MisfittingChunk,
    _finding,
    _first_misfitting_chunk,
    _is_header_overwritten,
)
from gdb_epi.fault.malloc_heap import HeapWords, main_heap, thread_heaps, top_size_lacks_a_bit
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import PAGE
from gdb_epi.target.api import Region, Truncation

FIRST, SECOND = 0x2000, 0x3000  # bytes of the two mappings
TCACHE, SIZE = 0x290, 0x50


def chunks(end: int) -> bytes:
    """Return FIRST + SECOND bytes: chunks of SIZE whose top ends at `end`, zeros behind."""
    data = bytearray(FIRST + SECOND)
    at, size = 0, TCACHE
    while at + size + SIZE < end:
        struct.pack_into("<QQ", data, at, 0, size | 1)
        at, size = at + size, SIZE
    struct.pack_into("<QQ", data, at, 0, (end - at) | 1)
    return bytes(data)


def target(data: bytes, path: str | None = None, **more: Any) -> FakeTarget:
    middle, end = HEAP + FIRST, HEAP + FIRST + SECOND
    regions = [
        Region(HEAP, middle, "rw-", None, 0, FIRST),
        Region(middle, end, "rw-", path, 0, SECOND),
    ]
    return FakeTarget(regions=regions, memory={HEAP: data}, **more)


def test_a_chunk_that_crosses_the_end_of_its_mapping_is_whole() -> None:
    process = target(chunks(FIRST + SECOND))
    heap = main_heap(process)
    assert heap is not None
    assert (heap.start, heap.end) == (HEAP, HEAP + FIRST + SECOND)
    assert heap.dumped == FIRST + SECOND
    context = Context(ProcessState(process))
    assert not list(malloc_chunks(context))
    assert context.counts["malloc chunks"] > (FIRST + SECOND) // SIZE - TCACHE // SIZE - 5


def test_chunks_that_begin_with_the_second_mapping_belong_to_the_heap() -> None:
    data = bytearray(chunks(FIRST))
    struct.pack_into("<QQ", data, FIRST, 0, SIZE | 1)
    for at in range(FIRST + SIZE, FIRST + SECOND - 2 * SIZE, SIZE):
        struct.pack_into("<QQ", data, at, 0, SIZE | 1)
    heap = main_heap(target(bytes(data)))
    assert heap is not None
    assert heap.end == HEAP + FIRST + SECOND


@pytest.mark.parametrize("path", [None, "/a/file"])
def test_a_heap_whose_top_ends_with_its_mapping_ends_there(path: str | None) -> None:
    heap = main_heap(target(chunks(FIRST), path))
    assert heap is not None
    assert heap.end == HEAP + FIRST


def damage(**changed: int) -> str:
    """Return what is said of the break in a heap of which a header holds other words."""
    data = bytearray(chunks(FIRST))
    at = TCACHE + 40 * SIZE
    for offset, word in ((0, changed.get("before", 0)), (8, changed["size"])):
        struct.pack_into("<Q", data, at + offset, word)
    heap = HeapWords(target(bytes(data)), HEAP, FIRST // 8)
    damaged = _first_misfitting_chunk(heap)
    assert isinstance(damaged, MisfittingChunk)
    assert damaged.header == HEAP + at
    return _finding(damaged, "thread 1", [], "").summary


def test_one_flipped_bit_of_a_size_is_no_overrun() -> None:
    summary = damage(size=SIZE | 1 | 1 << 33)
    assert "with one bit of it changed, it fits what is behind" in summary
    assert "overrun" not in summary


def test_a_header_of_text_was_probably_overrun() -> None:
    word = int.from_bytes(b"password", "little")
    summary = damage(before=word, size=word)
    assert "probably wrote past the end of a heap block of" in summary
    assert "the header behind it is damaged: it holds text" in summary


def test_a_heap_that_text_ran_over_looks_overwritten() -> None:
    data = bytearray(chunks(FIRST))
    data[TCACHE + 40 * SIZE : TCACHE + 44 * SIZE] = b"password" * (4 * SIZE // 8)
    (sign,) = evidence(malloc_chunks(Context(ProcessState(target(bytes(data))))))
    assert (sign.id, sign.where) == (OVERWRITTEN_PLACE, HEAP + TCACHE + 40 * SIZE + 8)
    assert f"behind the block of {SIZE - 8} bytes" in sign.summary
    assert (
        f"{4 * SIZE} bytes from {HEAP + TCACHE + 40 * SIZE:#x} on are the text b'password'"
        in sign.summary
    )
    cut = target(bytes(data), truncation=Truncation(True, 4096, "cut"))
    assert evidence(malloc_chunks(Context(ProcessState(cut)))) == []


@pytest.mark.parametrize(
    ("lines", "word_beside", "overwritten"), [(1, 0, False), (1, 7, False), (3, 7, True)]
)
def test_one_cache_line_of_zeros_is_no_overrun(
    lines: int, word_beside: int, overwritten: bool
) -> None:
    """A word of 0 beside it may have been 0 before: it was "software 84 %" of a lost line."""
    data = bytearray(chunks(FIRST + SECOND))
    for at in range(TCACHE + 16, len(data) - SIZE, SIZE):
        data[at : at + SIZE - 16] = b"\x40" * (SIZE - 16)
    header = next(h for h in range(TCACHE + 40 * SIZE, len(data), SIZE) if h % 64 in (16, 32))
    start = header & -64
    data[start : start + 64 * lines] = bytes(64 * lines)
    struct.pack_into("<Q", data, start - 8, word_beside)
    heap = HeapWords(target(bytes(data)), HEAP, len(data) // 8)
    heap_break = _first_misfitting_chunk(heap)
    assert isinstance(heap_break, MisfittingChunk)
    assert _is_header_overwritten(heap, heap_break) == overwritten


def test_a_top_that_another_thread_was_splitting_is_no_damage() -> None:
    """Blocks of counted numbers were "32768 bytes written over malloc's own data"."""
    data = bytearray(chunks(FIRST + SECOND))
    starts = range(TCACHE, FIRST + SECOND - 2 * SIZE, SIZE)
    for number, start in enumerate(starts):
        struct.pack_into("<Q", data, start + 16, 6962 + number)
    end = starts[-1] + SIZE
    data[end:] = bytes(len(data) - end)
    assert evidence(malloc_chunks(Context(ProcessState(target(bytes(data)))))) == []


@pytest.mark.parametrize(
    ("head", "number"),
    [(20251 ^ HEAP >> 12, 1), (0, 0), (HEAP + 0x300 | 1 << 40, 0), (HEAP + TCACHE + 16, 0)],
)
def test_a_list_of_free_blocks_that_leads_nowhere(head: int, number: int) -> None:
    """Its first block was written to, and given out since; one bit from memory it may be a flip."""
    data = bytearray(chunks(FIRST + SECOND))
    struct.pack_into("<Q", data, 16 + 128 + 8 * 3, head)  # blocks of SIZE - 8 bytes
    signs = evidence(malloc_links(Context(ProcessState(target(bytes(data))))))
    assert [sign.where for sign in signs] == [HEAP + 16 + 128 + 8 * 3] * number
    assert all(f"free blocks of {SIZE - 8} bytes" in sign.summary for sign in signs)
    # The block itself is in use again: what was written over, it or the list, is not known.
    assert all(
        sign.facts["plain"].startswith("a list of malloc's was overwritten, or") for sign in signs
    )


@pytest.mark.parametrize(("size", "number"), [(PAGE, 1), (PAGE - 0x100, 0)])
def test_whole_pages_that_became_zeros_were_given_back(size: int, number: int) -> None:
    data = bytearray(chunks(FIRST + SECOND))
    for at in range(TCACHE + 16, len(data) - SIZE, SIZE):
        data[at : at + SIZE - 16] = b"\x40" * (SIZE - 16)  # no word of a block is 0
    data[2 * PAGE : 2 * PAGE + size] = bytes(size)
    context = Context(ProcessState(target(bytes(data))))
    signs = evidence(malloc_chunks(context))
    assert [sign.summary[:12] for sign in signs] == ["1 whole page"] * number
    assert len(context.zeroed_headers) == 1 - number  # a lost line of a cache looks like those


def test_no_file_and_no_hole_continue_a_heap() -> None:
    assert main_heap(target(chunks(FIRST + SECOND), "/a/file")).end == HEAP + FIRST  # type: ignore[union-attr]
    process = target(chunks(FIRST + SECOND))
    first, second = process.regions()
    process = FakeTarget(
        regions=[first._replace(dumped=0x1000), second], memory={HEAP: chunks(FIRST + SECOND)}
    )
    assert main_heap(process).end == HEAP + FIRST  # type: ignore[union-attr]


ARENA = 0x7F0000000000  # the first heap of an arena of threads: heap_info, malloc_state, chunks
FIRST_CHUNK = ARENA + 0x30 + 0x8A0
TOP = FIRST_CHUNK + TCACHE + 19 * SIZE
TOP_SIZE = ARENA + FIRST - TOP | 1


def arena(*, locked: bool, held: int = TOP_SIZE) -> FakeTarget:
    """Return a process with an arena of threads; `held` is the size of its top."""
    data, at, size = bytearray(FIRST), FIRST_CHUNK - ARENA, TCACHE
    struct.pack_into("<QQQQ", data, 0, ARENA + 0x30, 0, FIRST, FIRST)
    for _ in range(20):
        struct.pack_into("<QQ", data, at, 0, size | 5)
        at, size = at + size, SIZE
    struct.pack_into("<QQ", data, at, 0, held)
    struct.pack_into("<Q", data, 0x30, int(locked))
    struct.pack_into("<Q", data, 0x30 + 0x60, ARENA + at)
    region = Region(ARENA, ARENA + FIRST, "rw-", None, 0, FIRST)
    return FakeTarget(regions=[region], memory={ARENA: bytes(data)})


def test_the_chunks_of_a_threads_heap_lead_to_its_end() -> None:
    (heap,) = thread_heaps(arena(locked=False), malloc_gave_up=False)
    assert (heap.start, heap.start + 8 * heap.count) == (FIRST_CHUNK, ARENA + FIRST)
    assert _first_misfitting_chunk(heap) == 21


def test_a_locked_arena_is_read_where_malloc_gave_up_in_it() -> None:
    assert thread_heaps(arena(locked=True), malloc_gave_up=False) == []
    assert len(thread_heaps(arena(locked=True), malloc_gave_up=True)) == 1


@pytest.mark.parametrize(
    ("held", "one_bit"), [(0x20BF1E971BD01878, False), (TOP_SIZE ^ 1 << 40, True)]
)
def test_the_top_of_a_threads_heap_that_does_not_end_with_it(held: int, one_bit: bool) -> None:
    (heap,) = thread_heaps(arena(locked=False, held=held), malloc_gave_up=False)
    damaged = _first_misfitting_chunk(heap)
    assert isinstance(damaged, MisfittingChunk)
    assert (damaged.header, damaged.one_bit) == (TOP, one_bit)


def test_text_over_the_first_page_of_a_threads_heap_is_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That heap begins inside of a page, behind its arena."""
    process = arena(locked=False)
    process.write(FIRST_CHUNK + TCACHE + 5 * SIZE, b"@" * SIZE)
    name = "gdb_epi.corruption.checks.malloc_heap._thread_heaps"
    monkeypatch.setattr(name, lambda _: thread_heaps(process, malloc_gave_up=False))
    (sign,) = evidence(malloc_chunks(Context(ProcessState(process))))
    assert f"{SIZE} bytes from" in sign.summary and "was overwritten" in sign.summary


@pytest.mark.parametrize("bit", [16, 40])
def test_one_bit_of_a_top_is_damage_in_a_heap_of_threads_alone(bit: int) -> None:
    process = arena(locked=False, held=TOP_SIZE ^ 1 << bit)
    (heap,) = thread_heaps(process, malloc_gave_up=False)
    assert top_size_lacks_a_bit(heap, (TOP - heap.start) // 8)
    # Who else called sbrk() makes a main heap end elsewhere, by a power of two.
    main = HeapWords(process, heap.start, heap.count, heap.never)
    assert not top_size_lacks_a_bit(main, (TOP - heap.start) // 8)


def test_a_flag_that_an_overrun_by_a_zero_byte_clears_is_no_flipped_bit_of_a_top() -> None:
    (heap,) = thread_heaps(arena(locked=False, held=TOP_SIZE & ~1), malloc_gave_up=False)
    assert not top_size_lacks_a_bit(heap, (TOP - heap.start) // 8)
