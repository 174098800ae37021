# SPDX-License-Identifier: Apache-2.0
"""malloc's blocks with mappings of their own are found with few reads: the process stands still."""

from __future__ import annotations

import struct

from support.fake_target import FakeTarget

from gdb_epi.corruption.heap.pool_census import MAX_PIECES, sample_memory_pieces
from gdb_epi.cpython.heap.memory_use import MAX_PIECE, mmapped_malloc_blocks
from gdb_epi.render.causes.memory_use import distinct_types_with_notes
from gdb_epi.sizes import PAGE
from gdb_epi.target.api import Region

START = 0x7F0000000000
MEGABYTE = 1 << 20


class CountingTarget(FakeTarget):
    """A target that counts how often it is read, and how many bytes."""

    reads = bytes_read = 0

    def read(self, address: int, size: int) -> bytes:
        """Count, and read."""
        self.reads += 1
        self.bytes_read += size
        return super().read(address, size)


def region(pages: int) -> Region:
    """Return an anonymous mapping that can be written."""
    return Region(START, START + pages * PAGE, "rw-p", None, 0, pages * PAGE)


def with_heads(pages: int, *heads: tuple[int, int]) -> bytearray:
    """Return zeroes with heads of mapped chunks: page, size in pages."""
    content = bytearray(pages * PAGE)
    for page, size in heads:
        struct.pack_into("<QQ", content, page * PAGE, 0, size * PAGE | 2)
    return content


def test_memory_without_blocks_is_read_in_large_pieces() -> None:
    pages = 16 * MAX_PIECE // PAGE
    target = CountingTarget(
        regions=[region(pages)], memory={START: bytes(with_heads(pages, (pages - 40, 40)))}
    )
    assert mmapped_malloc_blocks(target) == {START + (pages - 40) * PAGE + 16: 40 * PAGE}
    assert target.reads < 30


def test_a_block_is_not_read_but_for_its_head() -> None:
    pages = 64 * MAX_PIECE // PAGE
    half = pages // 2
    content = bytes(with_heads(pages, (0, half), (half, half)))
    target = CountingTarget(regions=[region(pages)], memory={START: content})
    assert mmapped_malloc_blocks(target) == {
        START + 16: half * PAGE,
        START + half * PAGE + 16: half * PAGE,
    }
    assert target.bytes_read <= 4 * PAGE


def test_what_lies_behind_pages_that_cannot_be_read_is_found() -> None:
    content = bytes(with_heads(100, (3, 5), (8, 33), (60, 33), (99, 1)))
    parts = {START: content[: 10 * PAGE], START + 50 * PAGE: content[50 * PAGE : -PAGE + 16]}
    target = FakeTarget(regions=[region(100)], memory=parts)
    pages = {
        (at - START) // PAGE: size // PAGE for at, size in mmapped_malloc_blocks(target).items()
    }
    assert pages == {3: 5, 8: 33, 60: 33, 99: 1}


def test_small_blocks_beside_one_large_mapping_are_in_the_sample() -> None:
    """300 MB of large buffers, and "small blocks: about 0 bytes": no piece of an arena was read."""
    large = [(0, MEGABYTE * n, MEGABYTE * (n + 1)) for n in range(300)]
    arenas = [(at, at, at + MEGABYTE) for at in range(10**12, 10**12 + 5 * MEGABYTE, MEGABYTE)]
    chosen = sample_memory_pieces([*large, *arenas])
    assert {low for low, _, _ in chosen} >= {low for _, low, _ in arenas}
    assert len(chosen) <= MAX_PIECES and round(sum(times for *_, times in chosen)) == 305
    assert sample_memory_pieces([]) == []


def test_each_type_is_listed_once_with_the_more_bytes() -> None:
    """A reader added up what was found from variables and in small blocks: the same objects."""
    texts = {"type": "str", "number": 100, "bytes": 900}
    use = {
        "python": {"types": [texts, {"type": "dict", "number": 9, "bytes": 500}]},
        "small_blocks": {"types": [{**texts, "number": 120, "bytes": 950},
                                   {"type": "dict", "number": 9, "bytes": 90}]},
    }  # fmt: skip
    types = distinct_types_with_notes(use)
    assert [(kind["type"], kind["bytes"], count) for kind, count in types] == [
        ("str", 950, "in small blocks"), ("dict", 500, "from variables"),
    ]  # fmt: skip
