# SPDX-License-Identifier: Apache-2.0
"""R33: three pointers in a row that lead into one block, but for one bit of one of them."""

from __future__ import annotations

import struct

import pytest
from support.faults import evidence, fault_at
from support.scenes import MMAP
from unit.test_wild_values import FIRST, LOAD, SIZE, in_blocks

from gdb_epi.corruption.checks.owned_buffers import cxx_vectors

VECTOR = MMAP + 0x100
ROOM = FIRST + SIZE - 8
BOUNDS = (FIRST, FIRST + 16, ROOM)


def said(bounds: tuple[int, int, int], at_hand: int) -> list[tuple[str, object, int | None]]:
    made = in_blocks(LOAD, fault_at(at_hand), {}, rdi=at_hand)
    made.target.write(VECTOR, struct.pack("<3Q", *bounds))  # type: ignore[attr-defined]
    return [(sign.id, sign.where, sign.corrected) for sign in evidence(cxx_vectors(made))]


@pytest.mark.parametrize("number", range(3))
def test_one_of_three_pointers_leads_elsewhere(number: int) -> None:
    wrong = BOUNDS[number] ^ 1 << 35
    bounds = (*BOUNDS[:number], wrong, *BOUNDS[number + 1 :])
    assert said(bounds, wrong) == [("R33", VECTOR + 8 * number, BOUNDS[number])]


@pytest.mark.parametrize(
    "bounds",
    [
        (FIRST ^ 1 << 35, ROOM, FIRST + 16),  # not in order
        (FIRST ^ 1 << 35, FIRST + 16, ROOM + 8 * SIZE),  # behind the block
        (FIRST + 8 ^ 1 << 35, FIRST + 16, ROOM),  # the middle of the block is one bit away
        (FIRST ^ 1 << 35, 0, 0),
    ],
)
def test_other_words_are_no_vector(bounds: tuple[int, int, int]) -> None:
    assert said(bounds, bounds[0]) == []


def test_a_cursor_and_another_block_are_not_wrong() -> None:
    """What leads into the block moves through it; the items may be on their way to another one."""
    assert said((FIRST + 16, FIRST + 24, ROOM), FIRST + 16) == []
    assert said((FIRST + SIZE, FIRST + 16, ROOM), FIRST + SIZE) == []


def test_the_address_of_a_header_is_at_hand() -> None:
    """malloc has the start of the chunk in a register, 16 bytes before what it was given."""
    wrong = FIRST ^ 1 << 35
    bounds = (wrong, *BOUNDS[1:])
    assert said(bounds, wrong - 16) == [("R33", VECTOR, FIRST)]
    assert said(bounds, FIRST) == []  # the wrong word is not at hand
