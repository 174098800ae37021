# SPDX-License-Identifier: Apache-2.0
"""Lines of zeros that run across blocks: malloc's chunks, whose header is gone, and pymalloc's."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest
from support.fake_target import FakeTarget
from support.scenes import HEAP

from gdb_epi.corruption.checks import flipped_words
from gdb_epi.corruption.checks.flipped_words import crossed_blocks_clause
from gdb_epi.corruption.checks.malloc_heap import malloc_chunks
from gdb_epi.corruption.context import Context, ZeroedChunkHeader
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Region

TCACHE, SIZE, COUNT, NUMBER = 0x290, 0x30, 400, 100
FILL = 0x11
LINE = HEAP + 0x400
WORDS = [7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7]  # two before, the line, two behind


def heap(zeros: range) -> Context:
    """Chunks of one size, full of words; those in `zeros`, offsets in the heap, are 0."""
    data = bytearray(struct.pack("<Q", FILL)) * 0x1000
    at = 0
    for size in [TCACHE, *[SIZE] * COUNT]:
        struct.pack_into("<QQ", data, at, 0 if not at else FILL, size | 1)
        at += size
    struct.pack_into("<QQ", data, at, FILL, (len(data) - at) | 1)
    data[zeros.start : zeros.stop] = bytes(len(zeros))
    region = Region(HEAP, HEAP + len(data), "rw-", None, 0, len(data))
    return Context(ProcessState(FakeTarget(regions=[region], memory={HEAP: bytes(data)})))


def test_a_header_of_zeros_and_the_chunks_behind_it() -> None:
    start = TCACHE + SIZE * NUMBER & -64
    context = heap(range(start, start + 64))
    assert not list(malloc_chunks(context))
    (gone,) = context.zeroed_headers
    assert start <= gone.header + 8 - HEAP < start + 64
    assert gone.header - gone.before == SIZE
    assert context.counts["malloc chunks"] > COUNT - 5


@pytest.mark.parametrize("size", [8, 4096])
def test_other_zeros_hide_no_header(size: int) -> None:
    """One word is no line; behind a page of zeros it is not known where chunks begin."""
    header = TCACHE + SIZE * NUMBER + 8
    context = heap(range(header, header + size))
    list(malloc_chunks(context))
    assert not context.zeroed_headers


def told(
    words: list[int],
    *gone: ZeroedChunkHeader,
    blocks: tuple[int, int] | None = None,
    free: tuple[int, ...] = (),
    untracked: int = 0,
) -> bool:
    """Whether a line of zeros runs across blocks; `blocks` are those of its first and last word."""
    starts = dict(zip((LINE, LINE + 56), blocks or (), strict=False))
    index = SimpleNamespace(
        offset_in_pool_block=lambda at: at - starts[at] if starts else None,
        in_free_block=lambda at: at in free,
        object_type=lambda at: "tuple" if at == untracked else None,
    )
    target = SimpleNamespace(region_at=lambda word: "mapped" if word == LINE else None)
    context: Any = SimpleNamespace(zeroed_headers=list(gone), target=target)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flipped_words, "address_index", lambda _context: index)
        return bool(crossed_blocks_clause(context, LINE, words))


WITHIN = ZeroedChunkHeader(LINE - 32, LINE + 16)


def changed(**words: int) -> list[int]:
    made = list(WORDS)
    for name, word in words.items():
        made[int(name[1:])] = word
    return made


def test_a_chunk_whose_header_is_gone() -> None:
    assert told(WORDS, WITHIN)
    assert told(changed(w10=0), WITHIN), "zeros of the block's own behind"
    assert told(changed(w2=9), WITHIN), "a word that was written since"
    assert not told(WORDS)
    assert not told(WORDS, ZeroedChunkHeader(LINE - 16, LINE + 16)), (
        "they begin with the block: memset()"
    )
    assert not told(WORDS, ZeroedChunkHeader(LINE - 32, LINE + 64)), "the header is another's"
    assert not told(changed(w1=0, w10=0), WITHIN), "no side ends with the line"
    assert not told(changed(w4=9, w5=9), WITHIN)


def test_two_blocks_of_pymalloc() -> None:
    blocks = (LINE - 32, LINE + 32)
    assert told(WORDS, blocks=blocks)
    assert told(changed(w4=1, w1=0), blocks=blocks), "a count that was raised since"
    assert not told(WORDS, blocks=(LINE - 32, LINE - 32)), "of one block"
    assert not told(WORDS, blocks=(LINE, LINE + 32)), "they begin with the block"
    assert not told(WORDS, blocks=blocks, free=(LINE + 32,))
    assert not told(WORDS, blocks=blocks, free=(LINE,))
    assert not told(changed(w4=LINE, w1=0), blocks=blocks), "a type between cleared fields"


def test_the_links_of_an_object_that_is_not_tracked_are_zeros_of_its_own() -> None:
    """Fields that tp_clear() set to NULL ended there: it was "damaged memory, 96 %"."""
    links = LINE + 48
    assert told(WORDS, blocks=(LINE - 16, links))
    assert not told(WORDS, blocks=(LINE - 16, links), untracked=links + 16)
