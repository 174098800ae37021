# SPDX-License-Identifier: Apache-2.0
"""A free block of pymalloc's whose link was counted up: somebody referred to the freed object."""

from __future__ import annotations

import struct

import pytest
from support.faults import evidence, failed, fault_at
from support.scenes import MMAP, SP

from gdb_epi.corruption.checks.benign_causes import use_after_free
from gdb_epi.corruption.heap import pymalloc_pools as pools

BLOCK, CARVED, FREE = 64, 100, (3, 6, 9, 12)  # numbers of free blocks, the last one first
GONE = 0x7F13_0000_0010  # what the object had named, unmapped


def said(more: int, slot_in: int = 9) -> list[str]:
    """The link of block 9 is `more` than the address of the next free one."""
    data = bytearray(16384)
    starts = [MMAP + pools.HEADER_SIZE + BLOCK * number for number in FREE]
    for at, link in zip(starts, [0, *starts], strict=False):
        struct.pack_into("<Q", data, at - MMAP, link)
    pools.HEADER.pack_into(
        data, 0, CARVED - len(FREE), starts[-1], 0, 0, 0, BLOCK // 16 - 1,
        pools.HEADER_SIZE + CARVED * BLOCK, 16384 - BLOCK,
    )  # fmt: skip
    counted = MMAP + pools.HEADER_SIZE + BLOCK * 9
    struct.pack_into("<Q", data, counted - MMAP, starts[1] + more)
    slot = MMAP + pools.HEADER_SIZE + BLOCK * slot_in + 16
    struct.pack_into("<Q", data, slot - MMAP, GONE)
    made = failed("488b0f", fault_at(GONE), rdi=GONE, words={SP + 0x40: GONE})
    made.target.write(MMAP, bytes(data))  # type: ignore[attr-defined]
    return [sign.summary for sign in evidence(use_after_free(made))]


def test_a_word_of_a_freed_object_that_is_referred_to() -> None:
    (summary,) = said(1)
    assert "its link to the next free block was counted up, as a reference is" in summary


@pytest.mark.parametrize(("more", "slot_in"), [(8, 9), (16, 9), (1, 10)])
def test_other_words_of_a_broken_pool(more: int, slot_in: int) -> None:
    """No count raises a link by a pointer's width; the word of another block says nothing."""
    assert said(more, slot_in) == []
