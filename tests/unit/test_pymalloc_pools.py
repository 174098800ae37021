# SPDX-License-Identifier: Apache-2.0
"""Pools of pymalloc out of memory: of which every block was freed."""

from __future__ import annotations

import struct

import pytest

from gdb_epi.corruption.heap.pymalloc_pools import HEADER, pool_at, was_emptied

POOL, BLOCK = 0x7F01_B000_0000, 80
MOST = 16384 - BLOCK


def pool(count: int = 0, first: int = POOL + 48, szidx: int = BLOCK // 16 - 1) -> bytes:
    carved = 48 + 10 * BLOCK
    head = HEADER.pack(count, first, 0, 0xA847B0, 2, szidx, carved, MOST)
    return head.ljust(16384, b"\0")


def test_a_pool_that_was_emptied_is_known_by_the_header_that_is_left() -> None:
    assert was_emptied(POOL, pool()) and pool_at(POOL, pool()) is None
    assert was_emptied(POOL, pool(first=POOL + 48 + 9 * BLOCK))


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
    assert not was_emptied(POOL, data)
