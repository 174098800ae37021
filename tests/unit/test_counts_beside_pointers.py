# SPDX-License-Identifier: Apache-2.0
"""R31: the number of items beside a pointer to a block of malloc's that is too small for them."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest
from support.scenes import HEAP, HEAP_SIZE, crash, state

from gdb_epi.corruption.checks import item_counts
from gdb_epi.corruption.checks.item_counts import (
    _does_string_fill_block,
    check_counts_in_structs_at_hand,
)
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import MARKS, Evidence
from gdb_epi.corruption.heap.one_bit_numbers import wrong_lengths
from gdb_epi.errors import Absent

STRUCT, ITEMS, COUNT = HEAP + 0x10, HEAP + 0x40, 21
USED = 1  # the lowest bit of a chunk's size: the one before is in use


def process(number: int, most: int = 0, address: int = HEAP + HEAP_SIZE) -> Context:
    """Return a process that failed with a struct {items, number, most} in a register.

    By an access right after the memory of the items, unless another address is given.

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
            crash(address=address),
            registers={"rdi": STRUCT, "rcx": address},
            code=b"\x48\x8b\x01",
            words=words,
        )
    )


def said(context: Context) -> list[Evidence]:
    return [item for item in check_counts_in_structs_at_hand(context) if isinstance(item, Evidence)]


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


@pytest.mark.parametrize("bit", [20, 28, 33, 47])
def test_two_numbers_in_a_word_are_no_count_that_nothing_followed(bit: int) -> None:
    """A length and a flag, or a count of references, are a length and a bit too many."""
    number = COUNT ^ 1 << bit
    assert not said(process(number, address=0x7F00_0000_0000))
    assert said(process(number, address=ITEMS + 8 * number))
    far = process(number, address=0x7F00_0000_0000)
    assert not isinstance(far.site, Absent)
    far.site.fault.registers["r14"] = number  # type: ignore[index]
    assert said(far)


def test_a_bit_that_code_of_a_library_may_set_leaves_a_doubt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(item_counts, "library_that_may_change_word", lambda *_: "ext.so")
    for bit, marks in ((20, None), (33, "ext.so")):
        (damage,) = said(process(COUNT ^ 1 << bit))
        assert damage.facts.get(MARKS) == marks
    wrong = [*OFFSETS[:8], OFFSETS[8] ^ 1 << 36, *OFFSETS[9:]]
    (damage,) = said(row(wrong))
    assert damage.facts.get(MARKS) == "ext.so"


@pytest.mark.parametrize("bit", [20, 36, 46])
def test_an_end_outside_of_the_room_is_named(bit: int) -> None:
    end, most = ITEMS + 8 * 17, ITEMS + 8 * COUNT
    assert not said(process(end, most))
    (damage,) = said(process(end ^ 1 << bit, most))
    assert (damage.id, damage.where, damage.bits) == ("R31", STRUCT + 8, (bit,))
    assert damage.corrected == end


OFFSETS = [40 * number for number in range(20)]  # into the 168 bytes of ITEMS


def row(numbers: list[int], address: int = HEAP + HEAP_SIZE) -> Context:
    """Return a process with these numbers in ITEMS that failed behind the end of the heap."""
    made = process(0, address=address)
    made.target.write(ITEMS, struct.pack(f"<{len(numbers)}Q", *numbers))  # type: ignore[attr-defined]
    return made


@pytest.mark.parametrize("bit", [16, 34, 45])
@pytest.mark.parametrize("number", [1, 8, 17])
def test_a_number_that_is_a_bit_off_its_place_in_a_row_is_named(bit: int, number: int) -> None:
    wrong = [*OFFSETS[:number], OFFSETS[number] ^ 1 << bit, *OFFSETS[number + 1 :]]
    (damage,) = said(row(wrong))
    assert (damage.id, damage.where) == ("R31", ITEMS + 8 * number)
    assert (damage.bits, damage.corrected) == ((bit,), OFFSETS[number])
    assert said(row([*wrong[:19], 0]))  # room that is not used yet
    assert not said(row(wrong, address=0x7F00_0000_0000))  # nothing leads there
    assert said(row(wrong, address=HEAP + 0x100 + (1 << bit)))


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({}, id="sound"),
        pytest.param({8: 1 << 34}, id="a number of one bit, which is none of the row"),
        pytest.param({8: OFFSETS[8] ^ 3 << 34}, id="two bits"),
        pytest.param({8: OFFSETS[8] ^ 1 << 63}, id="a mark"),
        pytest.param({8: OFFSETS[8] ^ 1 << 10}, id="not far enough from its place"),
        pytest.param({8: OFFSETS[8] ^ 1 << 34, 12: OFFSETS[12] ^ 1 << 34}, id="several"),
        pytest.param({19: OFFSETS[19] ^ 1 << 34}, id="the last, of which nothing tells"),
        pytest.param(dict.fromkeys(range(12), 7) | {8: 7 | 1 << 34}, id="a row that hardly rises"),
    ],
)
def test_nothing_is_said_of_a_row(changed: dict[int, int]) -> None:
    assert not said(row([changed.get(n, offset) for n, offset in enumerate(OFFSETS)]))


def test_offsets_of_32_bits() -> None:
    halves = [40 * number for number in range(40)]
    halves[11] ^= 1 << 24
    made = row([low | high << 32 for low, high in zip(halves[::2], halves[1::2])])
    (damage,) = said(made)
    assert (damage.where, damage.bits) == (ITEMS + 8 * 5, (56,))


def test_an_end_without_a_room_is_no_end() -> None:
    end = ITEMS + 8 * 17 ^ 1 << 36
    for most in (0, ITEMS + 8 * 8, ITEMS + 0x1000):
        assert not said(process(end, most))


TEXT, LENGTH, WRONG = 0x5555_556B_B470, 0x1388, 0x20_0000_1388


@pytest.mark.parametrize(
    ("words", "registers", "named"),
    [
        pytest.param([7, TEXT, WRONG], {TEXT + WRONG}, [(2, LENGTH)], id="an end in a register"),
        pytest.param([TEXT, WRONG], {WRONG}, [(1, LENGTH)], id="the length in a register"),
        pytest.param([TEXT, WRONG], {LENGTH}, [], id="two ints side by side"),
        pytest.param([TEXT, WRONG + 1], {WRONG + 1}, [], id="of another length"),
        pytest.param([TEXT + 8, WRONG], {WRONG}, [], id="of no object"),
        pytest.param([TEXT, LENGTH], {LENGTH}, [], id="sound"),
        pytest.param([TEXT, LENGTH | 1 << 63], {LENGTH | 1 << 63}, [], id="a mark"),
    ],
)
def test_a_length_beside_the_text_of_an_object(
    words: list[int], registers: set[int], named: list[tuple[int, int]]
) -> None:
    assert list(wrong_lengths(words, registers, {TEXT: LENGTH}.get)) == named


@pytest.mark.parametrize(
    ("width", "text", "fills"),
    [
        pytest.param(1, b"harbour north side" + b"\0", True, id="text"),
        pytest.param(1, b"harbour\0north side" + b"\0", False, id="zeros among it"),
        pytest.param(1, b"harbour north side" + b"s", False, id="no NUL behind"),
        pytest.param(4, "\U0001f41f a fish".encode("utf-32-le") + bytes(4), True, id="wide text"),
        pytest.param(4, struct.pack("<4QII", *[0x7FFF_F721_4CF0] * 4, 1, 0), False, id="pointers"),
    ],
)
def test_characters_that_fill_a_block(width: int, text: bytes, fills: bool) -> None:
    """An array of attributes, one of which was the class str, was a str with a wrong flag."""
    head = 48
    walk: Any = SimpleNamespace(reader=SimpleNamespace(read=lambda _start, size: text[:size]))
    length, block = len(text) // width - 1, head + len(text)
    assert _does_string_fill_block(walk, (head, width), HEAP, length, block) is fills
