# SPDX-License-Identifier: Apache-2.0
"""Pools of pymalloc out of memory: emptied ones, and which words of a pool can be wrong."""

from __future__ import annotations

import struct

import pytest

from gdb_epi.corruption.heap.pymalloc_pools import (
    HEADER,
    free_list_repair,
    is_emptied_pool,
    parse_pool,
)

POOL, BLOCK = 0x7F01_B000_0000, 80
MOST = 16384 - BLOCK


def pool(count: int = 0, first: int = POOL + 48, szidx: int = BLOCK // 16 - 1) -> bytes:
    carved = 48 + 10 * BLOCK
    head = HEADER.pack(count, first, 0, 0xA847B0, 2, szidx, carved, MOST)
    return head.ljust(16384, b"\0")


def test_a_pool_that_was_emptied_is_known_by_the_header_that_is_left() -> None:
    assert is_emptied_pool(POOL, pool()) and parse_pool(POOL, pool()) is None
    assert is_emptied_pool(POOL, pool(first=POOL + 48 + 9 * BLOCK))


@pytest.mark.parametrize(
    "data",
    [
        pool(count=3),
        pool(first=0),
        pool(first=POOL + 49),
        pool(first=POOL + 48 + 10 * BLOCK),  # behind what was ever handed out
        pool(szidx=5),
        pool()[:4096],
        bytes(16384),
        struct.pack("<Q", 0)[:4],
        b"",
    ],
)
def test_what_is_none(data: bytes) -> None:
    assert not is_emptied_pool(POOL, data)


def linked(order: list[int], count: int, *, block: int = 64, carved: int = 8) -> bytearray:
    """Return a pool whose free list goes through the blocks of these numbers."""
    places = [48 + block * number for number in order]
    links = [POOL + place for place in places]
    head = HEADER.pack(
        count, links[0], 0, 0xA847B0, 2, block // 16 - 1, 48 + carved * block, 16384 - block
    )
    data = bytearray(head.ljust(16384, b"\0"))
    for place, link in zip(places, [*links[1:], 0], strict=True):
        data[place : place + 8] = link.to_bytes(8, "little")
    return data


def damage(data: bytearray) -> tuple[int, int] | None:
    """Return place (from the pool's start) and right value of the wrong word of a pool."""
    pool = parse_pool(POOL, bytes(data))
    assert pool is not None and pool.free is None
    wrong = free_list_repair(pool, bytes(data))
    return None if wrong is None else (wrong.where - POOL, wrong.corrected)


def test_a_count_that_was_raised_makes_no_link_wrong() -> None:
    """As by a pointer whose low bytes became 0: Py_INCREF() then counts in the pool's header.

    Each of the links leads 64 bytes further, so that one bit makes some of them leave out a block.
    """
    assert damage(linked([7, 6, 5, 4, 3, 2, 1, 0], count=1)) is None


def test_a_link_that_leads_past_a_free_block_is_wrong() -> None:
    data = linked([1, 2, 3, 4, 5], count=3)
    at, right = 48 + 64 * 1, POOL + 48 + 64 * 2
    data[at : at + 8] = (right ^ 1 << 7).to_bytes(8, "little")  # 0xb0 becomes 0x130: block 4
    assert damage(data) == (at, right)
