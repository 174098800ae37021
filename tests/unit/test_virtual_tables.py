# SPDX-License-Identifier: Apache-2.0
"""R29: an object of C++, or a FILE, whose table of functions is one bit beside the right one."""

from __future__ import annotations

import struct

import pytest
from support.faults import failed, fault_at
from support.scenes import HEAP, TEXT, crash, state

from gdb_epi.corruption.checks.native_structs import virtual_tables
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.target.api import Region

CONSTANTS = 0x7F0000000000
TABLE, TYPE, NAME, SIZE = CONSTANTS + 0x40, CONSTANTS + 0x400, CONSTANTS + 0x800, 0x1000
OBJECT, BIT = HEAP + 0x100, 3
CODE = CONSTANTS + 0x2000
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
            extra_regions=[
                Region(CONSTANTS, CONSTANTS + SIZE, "r--", FILE, 0, SIZE),
                Region(CODE, CODE + SIZE, "r-x", FILE, SIZE, 0),
            ],
            extra_memory={CONSTANTS: bytes(constants)},
        )
    )


def said(context: Context) -> list[Evidence]:
    return [item for item in virtual_tables(context) if isinstance(item, Evidence)]


@pytest.mark.parametrize("bit", [BIT, 13], ids=["inside of the table", "into code"])
def test_a_word_beside_a_table_is_named_with_the_beginning(bit: int) -> None:
    (damage,) = said(process(TABLE ^ 1 << bit))
    assert (damage.id, damage.where, damage.bits) == ("R29", OBJECT, (bit,))
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


# -- FILEs of the C library ----------------------------------------------------------------------

LIST, FILES, OPERATIONS = HEAP + 0x800, [HEAP + 0x200 * number for number in (1, 2, 3)], TABLE


def streams(held: int, *, flags: int = 0xFBAD2484, head: int = FILES[0]) -> Context:
    """Return a process with three open FILEs; the last one names `held` as its operations."""
    words = {LIST: head}
    for file, following in zip(FILES, [*FILES[1:], 0], strict=True):
        words[file], words[file + 0x68], words[file + 0xD8] = 0xFBAD2084, following, OPERATIONS
    words[FILES[-1]], words[FILES[-1] + 0xD8] = flags, held
    constants = bytearray(SIZE)
    functions = [TEXT + 16 * number for number in range(19)]
    struct.pack_into("<21Q", constants, OPERATIONS - CONSTANTS, 0, 0, *functions)
    constants[0x400:0x500] = constants[:0x100]  # another table of the library's, that nobody names
    return Context(
        state(
            crash(6, -6),
            words=words,
            symbols={"_IO_list_all": LIST},
            extra_regions=[Region(CONSTANTS, CONSTANTS + SIZE, "r--", FILE, 0, SIZE)],
            extra_memory={CONSTANTS: bytes(constants)},
        )
    )


@pytest.mark.parametrize("bit", [3, 21, 44])
def test_a_file_whose_operations_are_one_bit_away(bit: int) -> None:
    (damage,) = said(streams(OPERATIONS ^ 1 << bit))
    assert (damage.id, damage.where, damage.bits) == ("R29", FILES[-1] + 0xD8, (bit,))


def test_a_file_whose_operations_are_something_else_was_overwritten() -> None:
    (sign,) = said(streams(0x4141414141414141))
    assert (sign.id, sign.where) == ("S:overwritten-place", FILES[-1] + 0xD8)


@pytest.mark.parametrize(
    "context",
    [
        pytest.param(streams(OPERATIONS), id="sound"),
        pytest.param(streams(CONSTANTS + 0x440), id="another table"),
        pytest.param(streams(OPERATIONS ^ 8, flags=0x41), id="no FILE any more"),
        pytest.param(streams(OPERATIONS ^ 8, head=FILES[-1]), id="no other FILE"),
        pytest.param(streams(OPERATIONS ^ 8, head=0), id="closed: on no list"),
    ],
)
def test_nothing_is_said_of_files(context: Context) -> None:
    assert not said(context)


def struct_of_c(held: int, others: int = 3) -> Context:
    """Return a process that failed at what it read through a struct's pointer to functions."""
    alike = {HEAP + 0x400 + 32 * number: TABLE for number in range(others)}
    made = failed(
        "488b11", fault_at(0), before="488b07488b4810", rdi=OBJECT, rax=held, rcx=0,
        words={OBJECT: held, **alike},
        extra_regions=[Region(CONSTANTS, CONSTANTS + SIZE, "rw-", FILE, 0, SIZE)],
    )  # fmt: skip
    constants = bytearray(SIZE)
    struct.pack_into("<4Q", constants, TABLE - CONSTANTS, *(TEXT + 16 * n for n in range(4)))
    made.target.memory[CONSTANTS] = constants  # type: ignore[attr-defined]
    return made


def test_a_struct_that_names_no_functions_where_its_like_name_some() -> None:
    (damage,) = said(struct_of_c(TABLE ^ 1 << 9))
    assert (damage.id, damage.where, damage.bits) == ("R29", OBJECT, (9,))
    assert not said(struct_of_c(TABLE ^ 1 << 9, others=1)), "a table that hardly anybody names"
    assert not said(struct_of_c(TABLE ^ 3 << 9)), "two bits"
    assert not said(struct_of_c(TABLE)), "the right one"
    assert not said(struct_of_c(TABLE ^ 1 << 3)), "functions are there too"
