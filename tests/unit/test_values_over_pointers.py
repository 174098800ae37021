# SPDX-License-Identifier: Apache-2.0
"""The end of a text or of a number over the lower bytes of a pointer."""

from __future__ import annotations

import struct

import pytest
from support.fake_target import FakeTarget
from support.faults import evidence, failed, fault_at
from support.scenes import HEAP

from gdb_epi.corruption.checks.overwritten_places import overwritten_place
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.pointers.values_over_pointers import (
    find_value_over_pointer,
    pointer_place_clause,
    text_over_record_clause,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Region

SIZE, TCACHE, SIZE_OF_HEAP = 0x30, 0x290, 0x2000
CODE = 0x7FFFF7DE2000  # where the functions are that the pointers lead to
NUMBER, NAME, POINTER = 0, 8, 32  # fields of a struct in each block
BLOCKS = 40


def process(names: dict[int, bytes]) -> FakeTarget:
    """Return a heap of blocks {number, name[24], pointer}; long `names` go over the pointer."""
    data = bytearray(SIZE_OF_HEAP)
    struct.pack_into("<QQ", data, 0, 0, TCACHE | 1)
    for number in range(BLOCKS):
        at = TCACHE + number * SIZE
        name = names.get(number, b"Mill Lane %d" % number) + b"\0"
        struct.pack_into("<QQ24xQ", data, at + 8, SIZE | 1, number, CODE + 0x110)
        data[at + 16 + NAME : at + 16 + NAME + len(name)] = name
    end = TCACHE + BLOCKS * SIZE
    struct.pack_into("<Q", data, end + 8, (SIZE_OF_HEAP - end) | 1)
    regions = [
        Region(HEAP, HEAP + SIZE_OF_HEAP, "rw-", None, 0, SIZE_OF_HEAP),
        Region(CODE, CODE + 0x1000, "r-x", "/a/labels.so", 0, 0x1000),
    ]
    return FakeTarget(regions=regions, memory={HEAP: bytes(data)})


def slot_of(number: int) -> int:
    return HEAP + TCACHE + number * SIZE + 16 + POINTER


def word_at(target: FakeTarget, at: int) -> int:
    return int.from_bytes(target.read(at, 8), "little")


LONG = b"SW13/Upper Richmond Road West"[-28:]


def test_a_text_that_ends_in_a_pointer_of_a_block_among_others_like_it() -> None:
    target = process({7: LONG})
    cut = find_value_over_pointer(target, slot_of(7), word_at(target, slot_of(7)))
    assert cut is not None
    assert (cut.over, cut.start, cut.is_text) == (5, slot_of(7) - 24, True)
    why = pointer_place_clause(Context(ProcessState(target)), slot_of(7), cut)
    assert why.startswith(f"{BLOCKS - 1} other blocks of its size have a shorter text there")


def test_a_text_in_a_block_that_no_other_is_like_may_be_a_new_user_of_it() -> None:
    others = dict.fromkeys(range(BLOCKS), b"\x01\x02\x03")
    target = process(others | {7: LONG})
    cut = find_value_over_pointer(target, slot_of(7), word_at(target, slot_of(7)))
    assert cut is not None
    assert pointer_place_clause(Context(ProcessState(target)), slot_of(7), cut) == ""


def test_a_sound_pointer_behind_a_text_is_not_cut() -> None:
    target = process({})
    assert find_value_over_pointer(target, slot_of(7), word_at(target, slot_of(7))) is None


def test_free_blocks_show_nothing_of_what_stands_behind_a_text() -> None:
    target = process({7: LONG})
    for number in range(0, BLOCKS, 2):
        if number != 6:  # the block behind says that this one is free
            head = HEAP + TCACHE + (number + 1) * SIZE
            target.write(head, struct.pack("<QQ", SIZE, SIZE))
    cut = find_value_over_pointer(target, slot_of(7), word_at(target, slot_of(7)))
    assert cut is not None
    why = pointer_place_clause(Context(ProcessState(target)), slot_of(7), cut)
    assert why.startswith("20 other blocks")


@pytest.mark.parametrize(("number", "found"), [(9.45, True), (2.0, False), (9.123456789012, False)])
def test_a_double_written_four_bytes_before_a_pointer(number: float, found: bool) -> None:
    target = process({})
    at = slot_of(7) - 4
    target.write(at, struct.pack("<d", number))
    cut = find_value_over_pointer(target, slot_of(7), word_at(target, slot_of(7)))
    assert (cut is not None) is found
    if cut is not None:
        assert (cut.what, cut.start, cut.over) == ("the floating-point number 9.45", at, 4)


def test_a_text_that_goes_on_over_a_whole_pointer_among_records() -> None:
    """It was "a pointer had a wrong value: its bytes are text" (68 %), and no damage."""
    name = b"Upper Richmond Road West / East."
    target = process({7: name})
    clause = text_over_record_clause(target, slot_of(7))
    assert name.decode() in clause and "48 bytes apart" in clause
    assert not text_over_record_clause(target, slot_of(8))
    assert not text_over_record_clause(process({7: name[:-2]}), slot_of(7))  # a short string
    heap = FakeTarget(
        regions=list(target.regions())[:1], memory={HEAP: target.read(HEAP, SIZE_OF_HEAP)}
    )
    assert not text_over_record_clause(heap, slot_of(7))  # no addresses in the records beside


@pytest.mark.parametrize(("low", "said"), [(0x6553_F109, True), (0x6553_F108, False)])
def test_a_number_over_the_lower_half_of_a_pointer(
    low: int, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another byte 3 led to memory, as it does in a large heap: that was taken for a flip.

    Where an object can begin one may have begun, whose memory was given back.
    """
    wrong = HEAP >> 32 << 32 | low
    beside = Region(
        wrong ^ 0x0100_0000 & -4096, (wrong ^ 0x0100_0000 & -4096) + 8192, "rw-", None, 0, 0
    )
    died = failed("488b4708", fault_at(wrong + 8), rdi=wrong, words={HEAP + 0x40: wrong},
                  extra_regions=[beside])  # fmt: skip
    home = "gdb_epi.corruption.checks.overwritten_places._why_overwritten"
    monkeypatch.setattr(home, lambda *_: "that is a field of an object in use")
    ids = [each.id for each in evidence(overwritten_place(died))]
    assert ids == (["S:overwritten-place"] if said else [])
