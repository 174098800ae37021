# SPDX-License-Identifier: Apache-2.0
"""R31: the number of items beside a pointer to a block of malloc's that is too small for them."""

from __future__ import annotations

import pytest
from support.scenes import HEAP, crash, state

from gdb_epi.corruption.checks.item_counts import counts_beside_pointers
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence

STRUCT, ITEMS, COUNT = HEAP + 0x10, HEAP + 0x40, 21
USED = 1  # the lowest bit of a chunk's size: the one before is in use


def process(number: int, most: int = 0) -> Context:
    """Return a process that failed with a struct {items, number, most} in a register.

    Chunks of 48 and 176 bytes, the latter with room for 168: 21 numbers of 8 bytes.
    """
    words = {
        STRUCT - 8: 0x30 | USED,
        STRUCT: ITEMS,
        STRUCT + 8: number,
        STRUCT + 16: most,
        ITEMS - 8: 0xB0 | USED,
        ITEMS - 8 + 0xB0: 0x1000 | USED,
        ITEMS - 8 + 0x10B0: 0x100 | USED,
    }
    # mov rax, [rcx]
    return Context(
        state(
            crash(address=0x7F00_0000_0000),
            registers={"rdi": STRUCT, "rcx": 0x7F00_0000_0000},
            code=b"\x48\x8b\x01",
            words=words,
        )
    )


def said(context: Context) -> list[Evidence]:
    return [item for item in counts_beside_pointers(context) if isinstance(item, Evidence)]


@pytest.mark.parametrize("bit", [20, 28, 33, 47])
def test_a_count_with_one_bit_too_many_is_named(bit: int) -> None:
    (damage,) = said(process(COUNT ^ 1 << bit))
    assert (damage.id, damage.where, damage.bits) == ("R31", STRUCT + 8, (bit,))
    assert damage.corrected == COUNT


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(COUNT, id="sound"),
        pytest.param(COUNT + 1, id="counted wrongly"),
        pytest.param(1 << 33, id="a number of one bit"),
        pytest.param(1 << 33 | 1 << 12 | COUNT, id="two bits too many"),
        pytest.param(1 << 33 | 1000, id="of items that have no room anyway"),
        pytest.param(1 << 63 | COUNT, id="with a mark"),
        pytest.param(1 << 16 | COUNT, id="of a low bit"),
    ],
)
def test_nothing_is_said_of_a_number(number: int) -> None:
    assert not said(process(number))


@pytest.mark.parametrize("bit", [20, 36, 46])
def test_an_end_outside_of_the_room_is_named(bit: int) -> None:
    end, most = ITEMS + 8 * 17, ITEMS + 8 * COUNT
    assert not said(process(end, most))
    (damage,) = said(process(end ^ 1 << bit, most))
    assert (damage.id, damage.where, damage.bits) == ("R31", STRUCT + 8, (bit,))
    assert damage.corrected == end


def test_an_end_without_a_room_is_no_end() -> None:
    end = ITEMS + 8 * 17 ^ 1 << 36
    for most in (0, ITEMS + 8 * 8, ITEMS + 0x1000):
        assert not said(process(end, most))
