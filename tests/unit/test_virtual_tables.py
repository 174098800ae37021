# SPDX-License-Identifier: Apache-2.0
"""R29: an object of C++ that names the inside of a virtual table, one bit from its beginning."""

from __future__ import annotations

import struct

import pytest
from support.scenes import HEAP, TEXT, crash, state

from gdb_epi.corruption.checks.virtual_tables import virtual_tables
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.target.api import Region

CONSTANTS = 0x7F0000000000
TABLE, TYPE, NAME, SIZE = CONSTANTS + 0x40, CONSTANTS + 0x400, CONSTANTS + 0x800, 0x1000
OBJECT, BIT = HEAP + 0x100, 3
FILE = "/usr/lib/libshelf.so"


def process(held: int, *, described: int = TYPE, others: int = 3) -> Context:
    """Return a process that failed while a register named an object that holds a word."""
    words = {
        TABLE - 16: 0,
        TABLE - 8: described,
        **{TABLE + 8 * number: TEXT + 16 * number for number in range(5)},
        TYPE: CONSTANTS + 0x900,
        TYPE + 8: NAME,
        OBJECT: held,
        **{HEAP + 0x400 + 32 * number: TABLE for number in range(others)},
    }
    constants = bytearray(SIZE)
    for place, word in words.items():
        if CONSTANTS <= place < CONSTANTS + SIZE:
            struct.pack_into("<Q", constants, place - CONSTANTS, word)
    struct.pack_into("<6s", constants, NAME - CONSTANTS, b"4Item")
    return Context(
        state(
            crash(address=0x24),
            registers={"rdi": OBJECT},
            words={
                place: word
                for place, word in words.items()
                if place >= HEAP and place < HEAP + SIZE
            },
            extra_regions=[Region(CONSTANTS, CONSTANTS + SIZE, "r--", FILE, 0, SIZE)],
            extra_memory={CONSTANTS: bytes(constants)},
        )
    )


def said(context: Context) -> list[Evidence]:
    return [item for item in virtual_tables(context) if isinstance(item, Evidence)]


def test_a_word_inside_of_a_table_is_named_with_the_beginning() -> None:
    (damage,) = said(process(TABLE ^ 1 << BIT))
    assert (damage.id, damage.where, damage.bits) == ("R29", OBJECT, (BIT,))
    assert damage.corrected == TABLE


@pytest.mark.parametrize(
    "context",
    [
        pytest.param(process(TABLE), id="sound"),
        pytest.param(process(TABLE + 0x18), id="more than a bit from a beginning"),
        pytest.param(process(TABLE ^ 1 << BIT, others=1), id="nobody else names the table"),
        pytest.param(process(TABLE ^ 1 << BIT, described=0), id="a table without its type"),
        pytest.param(process(0x24), id="a number"),
    ],
)
def test_nothing_is_said_of(context: Context) -> None:
    assert not said(context)
