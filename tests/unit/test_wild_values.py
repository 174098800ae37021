# SPDX-License-Identifier: Apache-2.0
"""Wild values: where they were read from, and what is said only where nothing else explains it."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from support.faults import INDIRECT_SITE, evidence, failed, fault_at
from support.scenes import HEAP, HEAP_SIZE, MMAP, MMAP_SIZE, PC, SP, STACK, TEXT, crash

from gdb_epi.corruption.checks.benign_causes import (
    access_beside_mapping,
    overwritten_neighbours,
    use_after_free,
    value_made_by_software,
)
from gdb_epi.corruption.checks.overwritten_places import (
    _is_zeroed_object,
    _stands_in_zeros,
    overwritten_place,
)
from gdb_epi.corruption.checks.registers import words_into_gone_memory
from gdb_epi.corruption.checks.wild_values import (
    far_index,
    index_past_end,
    non_pointer_in_pointer_place,
    origin_of_bad_word,
    overwritten_object,
    pointer_into_unmapped_block,
    replaced_return_address,
    word_from_ended_stack,
)
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.address_descriptions import begins_free_chunk
from gdb_epi.corruption.pointers.read_place import find_register_origin
from gdb_epi.corruption.pointers.small_changes import is_one_bit_from_start_of_thing
from gdb_epi.corruption.pointers.suspects import FaultWord, software_pattern
from gdb_epi.corruption.replay.register_origins import (
    RecomputedRegister,
    _was_code_entered_by_jump,
    recomputed_registers,
)
from gdb_epi.corruption.score import load_weights
from gdb_epi.corruption.symptom import classify_symptom
from gdb_epi.fault.variables_holding_address import _CandidateValue, _describe_sum_giving_address
from gdb_epi.target.api import Region, Truncation

LOAD, FIELD = "488b0f", "488b7810"  # mov (%rdi),%rcx; mov 0x10(%rax),%rdi
LOSES_BASE = "488b4010"  # mov 0x10(%rax),%rax
INDEXED = "488b0cc7"  # mov (%rdi,%rax,8),%rcx
GARBAGE = 0xD17A_93C4_5BE6_2F80
FIRST, SIZE = HEAP + 0x290 + 16, 0x30
LIBRARY = 0x7F20_0000_0000
GAP = MMAP + MMAP_SIZE + (1 << 20)  # behind the mapping, where nothing is


def in_blocks(code: str, died: object, holds: dict[int, int], **registers: int) -> Context:
    """A heap of malloc's blocks, all zeros but for `holds`."""
    data = bytearray(HEAP_SIZE)
    struct.pack_into("<QQ", data, 0, 0, 0x291)
    at = 0x290
    while at + 2 * SIZE < HEAP_SIZE:
        struct.pack_into("<QQ", data, at, 0, SIZE | 1)
        at += SIZE
    struct.pack_into("<QQ", data, at, 0, HEAP_SIZE - at | 1)
    before = str(registers.pop("before", FIELD))
    made = failed(code, died, before=before, **registers)  # type: ignore[arg-type]
    for place, word in holds.items():
        struct.pack_into("<Q", data, place - HEAP, word)
    made.target.write(HEAP, bytes(data))  # type: ignore[attr-defined]
    return made


def ids(outcomes: object) -> list[str]:
    return [sign.id for sign in evidence(outcomes)]


PROTECTED = crash(code=128, address=0)


def test_garbage_in_a_field_of_a_block() -> None:
    made = in_blocks(LOAD, PROTECTED, {FIRST + 16: GARBAGE}, rax=FIRST, rdi=GARBAGE)
    (sign,) = evidence(non_pointer_in_pointer_place(made))
    assert (sign.id, sign.where) == ("S:foreign-value", FIRST + 16)
    assert "16 bytes into a block of malloc's with 40 bytes" in sign.summary
    (wrong_sign,) = evidence(origin_of_bad_word(made))
    assert wrong_sign.summary.endswith("; no flipped bit of it alone explains this")


@pytest.mark.parametrize(
    ("value", "base"),
    [
        (GARBAGE, FIRST + 8),  # nothing begins there: the pointer is in doubt
        (FIRST | 0xC3 << 48, FIRST),  # one byte away is an address
        (FIRST ^ 1 << 62, FIRST),
    ],
)
def test_garbage_that_a_flip_or_a_wrong_pointer_explains(value: int, base: int) -> None:
    made = in_blocks(LOAD, PROTECTED, {base + 16: value}, rax=base, rdi=value)
    assert ids(non_pointer_in_pointer_place(made)) == []


@pytest.mark.parametrize("value", [0x6472_6F77_7373_6170, 0x400A_0000_0000_0000, 0x11_0000_0017])
def test_a_value_says_less_where_nobody_knows_that_it_stood(value: int) -> None:
    """Memory is full of text and numbers; where a pointer belongs is none but by a bug."""
    where = FIRST + 16
    (plain,) = ids(
        value_made_by_software(in_blocks(LOAD, PROTECTED, {where: value}, rax=FIRST, rdi=value))
    )
    assert plain in ("S:ascii", "S:double", "S:int-pair")
    lost = in_blocks(LOAD, PROTECTED, {where: value}, rdi=value, before="")  # type: ignore[arg-type]
    assert ids(value_made_by_software(lost)) == [f"{plain}:untraced"]
    for away, id in ((8, "S:wild-value:one-bit"), (0x18, "S:wild-value")):
        beside = in_blocks(LOAD, PROTECTED, {where + away: value}, rax=FIRST + away, rdi=value)
        assert ids(value_made_by_software(beside)) == [id]
    other = in_blocks(LOAD, PROTECTED, {where: GARBAGE}, rax=FIRST, rdi=value)
    assert ids(value_made_by_software(other)) == ["S:not-as-read"]
    for id in (f"{plain}:untraced", "S:wild-value", "S:not-as-read"):
        assert load_weights().items[id].most < 0.8


@pytest.mark.parametrize(("byte", "suffix"), [(0x30, ":untraced"), (0xDD, "")])
def test_runs_of_one_letter_are_text_where_nobody_knows_that_they_stood(
    byte: int, suffix: str
) -> None:
    value, where = int.from_bytes(bytes([byte]) * 8, "little"), FIRST + 16
    placed = in_blocks(LOAD, PROTECTED, {where: value}, rax=FIRST, rdi=value)
    assert ids(value_made_by_software(placed)) == ["S:poison"]
    lost = in_blocks(LOAD, PROTECTED, {where: value}, rdi=value, before="")  # type: ignore[arg-type]
    assert ids(value_made_by_software(lost)) == [f"S:poison{suffix}"]


def test_a_call_through_a_pointer_that_lies_in_no_block() -> None:
    text = 0x6472_6F77_7373_6170
    signs = (
        (FIRST, "S:ascii"),
        (FIRST + 8, "S:wild-value:one-bit"),
        (FIRST + 0x18, "S:wild-value"),
    )
    for base, id in signs:
        made = in_blocks("ff5010", PROTECTED, {base + 16: text}, rax=base, before="")  # type: ignore[arg-type]
        assert ids(value_made_by_software(made)) == [id]  # call *0x10(%rax)


def test_the_only_block_that_a_lost_pointer_can_have_named() -> None:
    died, holds = PROTECTED, {FIRST + 16: GARBAGE}
    registers = {"rax": GARBAGE, "before": LOSES_BASE}
    code = "488b08"  # mov (%rax),%rcx
    assert ids(non_pointer_in_pointer_place(in_blocks(code, died, holds, **registers))) == [
        "S:foreign-value"
    ]  # type: ignore[arg-type]
    twice = {**holds, FIRST + SIZE + 16: GARBAGE}
    assert ids(non_pointer_in_pointer_place(in_blocks(code, died, twice, **registers))) == []  # type: ignore[arg-type]


def test_a_pointer_at_another_offset() -> None:
    right = FIRST + 10 * SIZE
    low, high = right & 0xFFFFFFFF, right >> 32
    holds = {FIRST + 16: low << 32 | 7, FIRST + 24: high}
    value = holds[FIRST + 16]
    made = in_blocks(LOAD, PROTECTED, holds, rax=FIRST, rdi=value)
    if ids(value_made_by_software(made)):
        pytest.fail("the value has a form of its own")
    (sign,) = evidence(non_pointer_in_pointer_place(made))
    assert sign.id == "S:misaligned"
    assert "4 bytes after that place" in sign.summary


def indexed(base: int, index: int) -> Context:
    address = (base + 8 * index) % (1 << 64)
    died = fault_at(address) if address < 1 << 47 else PROTECTED
    return failed(INDEXED, died, rdi=base, rax=index)


def test_an_index_that_leads_far_away() -> None:
    (sign,) = evidence(far_index(indexed(HEAP, 0xFFFFFFFF)))
    assert sign.id == "S:far-index"
    assert "4294967295 (-1 in 32 bits)" in sign.summary
    (wrong_sign,) = evidence(far_index(indexed(HEAP, 5 | 1 << 40)))  # one bit away it is 5
    assert wrong_sign.id == "origin" and wrong_sign.summary.endswith(
        "a changed byte or bit alone explains this"
    )
    assert ids(far_index(indexed(HEAP ^ 1 << 46, 5))) == []  # the base is not mapped
    assert ids(far_index(indexed(HEAP, MMAP))) == []  # two pointers were added: no index


@pytest.mark.parametrize(
    ("before", "said"),
    [("f2480f2cc0", False), ("f2480f2cc8", True)],  # cvttsd2si %xmm0, into rax and rcx
)
def test_an_index_that_was_a_floating_point_number(before: str, said: bool) -> None:
    """One bit of its exponent makes 24.36 2^32 times as large."""
    index = int(24.36 * (1 << 32))
    made = failed(INDEXED, fault_at(HEAP + 8 * index), before=before, rdi=HEAP, rax=index)
    assert ids(far_index(made)) == ["S:far-index" if said else "origin"]


def test_an_index_that_nan_became() -> None:
    """The index of items of 8 bytes was read as two 32-bit integers, -4 and 0."""
    (sign,) = evidence(far_index(indexed(HEAP, -(1 << 31) % (1 << 64))))
    assert sign.id == "S:far-index"
    assert "(-2147483648 x 8, which NaN or too large" in sign.summary


def test_an_index_that_nan_became_is_added_before_the_access() -> None:
    """lea (%rbx,%rdx,4),%rdi; the access adds the width of a row to it."""
    index = -(1 << 31) + 19200
    start = HEAP + 0x10
    died = fault_at(start + 4 * index + 8 * 25)
    made = failed("488b0ccf", died, before="488d3c93", rdi=start + 4 * index, rbx=start,
                  rdx=index % (1 << 64), rcx=25)  # fmt: skip
    (sign,) = evidence(far_index(made))
    assert sign.id == "S:far-index"
    assert f"it leads {-4 * index} bytes before the start, {start:#x}" in sign.summary


def test_a_sum_of_a_start_and_an_index() -> None:
    """A loop's address is worked out before it, from a start and an index in other registers."""
    index, died = 0x10_0303, fault_at(FIRST + 0x10_0303)
    start = {"rdi": FIRST + index, "rbp": FIRST, "r9": index}
    (sign,) = evidence(far_index(in_blocks(LOAD, died, {}, **start)))
    assert (sign.id, sign.where) == ("S:far-index", "r9")
    died = fault_at(FIRST + 8 + index)
    inside = {"rdi": FIRST + 8 + index, "rbp": FIRST + 8, "r9": index}  # nothing begins there
    assert ids(far_index(in_blocks(LOAD, died, {}, **inside))) == []
    one_bit = {"rdi": FIRST + 0x10_0000, "rbp": FIRST, "r9": 0x10_0000}
    died = fault_at(FIRST + 0x10_0000)
    assert ids(far_index(in_blocks(LOAD, died, {}, **one_bit))) == ["origin"]
    # Code without unwind tables, as numba makes it, had multiplied the index: 1,000,000,000.
    died, far = fault_at(FIRST + 8_000_000_000), {"rbp": FIRST, "r9": 10**9, "rax": 0}
    jitted = in_blocks(INDEXED, died, {}, rdi=FIRST + 8_000_000_000, **far)
    (sign,) = evidence(far_index(jitted))
    assert (sign.id, sign.where) == ("S:far-index", "r9")


@pytest.mark.parametrize(
    ("index", "id"), [(24, "S:far-index"), (24 | 1 << 8, "S:far-index"), (2 | 1 << 8, ":one-bit")]
)
def test_an_item_behind_the_end_of_its_block(index: int, id: str) -> None:
    """The block has 40 bytes, the instruction adds 8 to its start and 8 times the index."""
    holds = {FIRST + 8 + 8 * index: GARBAGE}
    made = in_blocks(LOAD, PROTECTED, holds, before="488b7cc808",  # mov 8(%rax,%rcx,8),%rdi
                     rax=FIRST, rcx=index, rdi=GARBAGE)  # type: ignore[arg-type]  # fmt: skip
    (sign,) = evidence(index_past_end(made))
    assert sign.id.endswith(id)
    behind = 8 + 8 * index - 40
    assert f"{behind} bytes behind the end of a block of malloc's with 40 bytes" in sign.summary
    (wrong_sign,) = evidence(origin_of_bad_word(made))
    assert f"behind the end of a block of malloc's with 40 bytes: the index in rcx is {index}" in (
        wrong_sign.summary
    )


def test_an_item_in_its_block() -> None:
    made = in_blocks(LOAD, PROTECTED, {FIRST + 24: GARBAGE}, before="488b7cc808",
                     rax=FIRST, rcx=2, rdi=GARBAGE)  # type: ignore[arg-type]  # fmt: skip
    assert ids(index_past_end(made)) == []


def test_an_int_over_the_low_half_of_a_pointer() -> None:
    value = HEAP >> 32 << 32 | 404
    (sign,) = evidence(value_made_by_software(failed(LOAD, fault_at(value), rdi=value)))
    assert sign.id == "S:int-pair:untraced" and "its low half is the number 404" in sign.summary
    one_bit = HEAP ^ 1 << 25  # what a flipped pointer to the heap's first page is
    assert ids(value_made_by_software(failed(LOAD, fault_at(one_bit), rdi=one_bit))) == []


def test_an_int_over_the_high_half_of_a_pointer() -> None:
    """Something has to begin at the address that is left."""

    def said(address: int, number: int) -> list[str]:
        value = number << 32 | address & 0xFFFF_FFFF
        signs = evidence(value_made_by_software(in_blocks(LOAD, fault_at(value), {}, rdi=value)))
        return [sign.summary for sign in signs]

    (summary,) = said(FIRST, 4000)
    assert f"its high half is the number 4000, over that of the address {FIRST:#x}" in summary
    assert not said(FIRST + 8, 4000)  # the middle of a block
    assert not said(FIRST, HEAP >> 32 ^ 1 << 9)  # a flipped bit


def test_what_a_function_popped_below_the_stack_pointer_is_no_origin() -> None:
    """Its place was written since, or the function left by another way."""
    made = failed(LOAD, fault_at(77001), rdi=77001, words={SP - 8: GARBAGE})
    for slot, is_left in ((SP - 8, True), (SP + 8, False)):
        popped = RecomputedRegister("rdi", 77001, GARBAGE, PC - 1, "load", slot, 8)
        made.cached_answers_of(recomputed_registers.__wrapped__)[()] = (popped,)  # type: ignore[attr-defined]
        assert (find_register_origin(made, "rdi") is None) is is_left


def test_no_index_is_as_large_as_all_memory() -> None:
    """A size of a chunk that was overwritten by text is added to the chunk's address."""
    text = int.from_bytes(b"password", "little") & -16
    assert ids(far_index(indexed(HEAP, text))) == []
    assert ids(far_index(indexed(HEAP, -0x1_2345_6789 % (1 << 64)))) == ["S:far-index"]


def test_a_run_of_numbers_that_ended_within_a_pointer() -> None:
    """Two pixels and a half: the upper half of the word is one, and so is what stands behind it."""
    pixel, where = 0xFF33_6699, FIRST + 16
    value = pixel << 32 | FIRST & 0xFFFF_FFFF

    def said(value: int, **holds: int) -> list[str]:
        words = {where: value, **{where + 8 * int(at[1:]): word for at, word in holds.items()}}
        made = in_blocks(LOAD, PROTECTED, words, rax=FIRST, rdi=value)
        return [sign.summary for sign in evidence(value_made_by_software(made))]

    (summary,) = said(value, b1=pixel)
    assert "a half of it is the number 0xff336699, which stands behind it" in summary
    assert not said(value, b1=pixel + 1)
    (twice,) = said(pixel << 32 | pixel)
    assert "it is the 32-bit number 0xff336699 twice" in twice


def test_six_letters_are_no_text_beside_memory() -> None:
    """T'nUSU is 2^33 bytes from the heap, U'nUUU: an index of 32 bits leads there."""
    heap = Region(0x5555_556E_0000, 0x5555_556F_0000, "rw-", "[heap]", 0, 0)
    for value, expected in (
        (0x5553_556E_2754, []), (0x6C61_6E72_756F, ["S:ascii:untraced"]),
    ):  # fmt: skip
        made = failed(LOAD, fault_at(value), rdi=value, extra_regions=[heap])
        assert ids(value_made_by_software(made)) == expected


def test_memory_that_was_given_back() -> None:
    block = (GAP & -4096) + 16
    assert ids(pointer_into_unmapped_block(failed(LOAD, fault_at(block), rdi=block))) == [
        "S:unmapped"
    ]
    large_tuple = block + 16  # behind the collector's head
    made = failed(LOAD, fault_at(large_tuple), rdi=large_tuple)
    assert ids(pointer_into_unmapped_block(made)) == ["S:unmapped"]
    inside = block + 5003
    assert ids(pointer_into_unmapped_block(failed(LOAD, fault_at(inside), rdi=inside))) == []
    kept = failed(LOAD, fault_at(inside), rdi=inside, words={SP - 64: block})
    assert ids(pointer_into_unmapped_block(kept)) == ["S:gone"]
    for half in (0, 0x30):  # of an address, over which an int was written
        words = {SP - 64: block >> 32 << 32 | half << 12}
        assert (
            ids(
                pointer_into_unmapped_block(failed(LOAD, fault_at(inside), rdi=inside, words=words))
            )
            == []
        )
    other = failed(LOAD, fault_at(inside), rdi=inside, words={SP - 64: MMAP})
    assert ids(pointer_into_unmapped_block(other)) == []  # that mapping is there


@pytest.mark.parametrize(("now", "sign"), [(0, "S:unmapped"), (MMAP, "S:not-as-read")])
def test_a_place_that_was_cleared_when_its_block_was_given_back(now: int, sign: str) -> None:
    """Another thread freed the block and set the pointer to NULL; the register has it still."""
    block = (GAP & -4096) + 16
    made = in_blocks(LOAD, fault_at(block), {FIRST + 16: now}, rax=FIRST, rdi=block)
    assert ids(pointer_into_unmapped_block(made)) == [sign]


def test_a_struct_that_has_the_start_of_memory_that_was_given_back() -> None:
    """{start, other, cursor} in a block of malloc's: what the cursor was set from is beside it."""
    inside, begins = (GAP & -4096) + 5003, (GAP & -4096) + 16

    def signs(start: int) -> list[str]:
        holds = {FIRST: start, FIRST + 16: inside}
        made = in_blocks(LOAD, fault_at(inside), holds, rax=FIRST, rdi=inside)
        return ids(pointer_into_unmapped_block(made))

    assert signs(begins) == ["S:gone"]
    assert signs(begins + 32) == []  # no block of malloc's begins there
    assert signs(MMAP) == []


def test_two_places_of_memory_that_is_gone() -> None:
    """A loop's place and its end; a pointer to the memory that is still kept may be damaged."""
    behind = Region(MMAP + MMAP_SIZE + (64 << 20), GAP + (65 << 20), "rw-", "", 0, 0)

    def signs(place: int, end: int, **holds: int) -> list[str]:
        words = {SP + 64: end, **{int(at[1:], 16): word for at, word in holds.items()}}
        made = failed(LOAD, fault_at(place), rdi=place, words=words, extra_regions=[behind])
        return ids(words_into_gone_memory(made))

    place, start = GAP + 5003, MMAP + MMAP_SIZE
    assert signs(place, place + 77_000) == ["S:gone"]
    assert not signs(place, place + 100), "computed from the wrong word"
    assert not signs(place, MMAP + 16), "that mapping is there"
    assert not signs(start + 8, place), "a loop ran over the end"
    assert not signs(place, place + 77_000, **{f"h{HEAP:x}": GAP}), "the pointer is there still"
    assert signs(place, place + 77_000, **{f"h{HEAP:x}": place + 80_000}) == ["S:gone"]


def test_a_block_that_was_asked_for_by_its_alignment() -> None:
    """aligned_alloc(64, ..) of a large size; only of a variable of a library is that said."""
    block = (GAP & -4096) + 64

    def kept(value: int, place: int) -> Context:
        data = Region(LIBRARY, LIBRARY + 4096, "rw-", "/usr/lib/survey.so", 0x3000, 4096)
        made = failed(LOAD, fault_at(value), rdi=value, extra_regions=[data])
        made.target.memory[LIBRARY] = bytearray(4096)  # type: ignore[attr-defined]
        made.target.write(place, struct.pack("<Q", value))  # type: ignore[attr-defined]
        return made

    assert ids(pointer_into_unmapped_block(kept(block, LIBRARY + 0x128))) == ["S:unmapped"]
    assert ids(pointer_into_unmapped_block(kept(block, MMAP + 0x128))) == []
    assert ids(pointer_into_unmapped_block(kept(block + 32, LIBRARY))) == []
    assert ids(pointer_into_unmapped_block(kept((MMAP ^ 1 << 40) + 64, LIBRARY))) == []


STEP, COLOUR = 52, 0xE1


def stamped(count: int, changes: bool = True) -> Context:
    """Pointers all over a mapping; one byte of each 52 there, `count` times, is the same.

    The word that failed has that byte in the middle. Else it is one byte off all by itself.
    """
    pointers = [HEAP + 0x10 * (number % 7) for number in range(MMAP_SIZE // 8)]
    memory = bytearray(struct.pack(f"<{len(pointers)}Q", *pointers))
    middle = 0x2004
    for number in range(-count // 2, count // 2) if changes else ():
        memory[middle + STEP * number] = COLOUR
    memory[middle] = COLOUR
    slot, word = MMAP + 0x2000, int.from_bytes(memory[0x2000:0x2008], "little")
    made = failed(LOAD, fault_at(word), before="488b38", rax=slot, rdi=word)
    made.target.write(MMAP, bytes(memory))  # type: ignore[attr-defined]
    return made


def test_one_byte_at_one_distance_through_memory() -> None:
    (sign,) = evidence(overwritten_place(stamped(100)))
    assert (sign.id, sign.where) == ("S:overwritten-place", MMAP + 0x2000)
    assert "the byte 0xe1 stands 100 times, each 52 bytes from the last" in sign.summary


@pytest.mark.parametrize(
    ("start", "end", "in_zeros"),
    [
        (0x1000, 0x1200, True),
        (0x1000, 0x1080, False),
        (0, MMAP_SIZE, False),
        (0x1010, 0x1200, False),
    ],
)
def test_what_was_cleared_is_no_pointers_fault(start: int, end: int, in_zeros: bool) -> None:
    """A run of zeros over an object was written there; all of a mapping was never used."""
    memory = bytearray(b"\x11" * MMAP_SIZE)
    memory[start:end] = bytes(end - start)
    made = failed(LOAD, fault_at(8), before="488b38", rax=MMAP, rdi=8)
    made.target.write(MMAP, bytes(memory))  # type: ignore[attr-defined]
    place = MMAP + 0x1008
    assert _stands_in_zeros(made, place) == in_zeros
    assert _is_zeroed_object(made, place) == (start <= 0x1008)


def test_a_few_bytes_or_one_word_alone_are_no_loop() -> None:
    assert ids(overwritten_place(stamped(12))) == []
    assert ids(overwritten_place(stamped(100, changes=False))) == []


def returned(value: int, slot: int) -> Context:
    died = fault_at(value) if value < 1 << 47 else PROTECTED
    return failed("", died, at=value, words={slot: value}, rsp=slot + 8)


def test_a_return_address_that_was_replaced() -> None:
    slot = STACK + 0x4008
    assert ids(replaced_return_address(returned(0x11EE_22DD_33C0, slot))) == ["S:return-address"]
    assert (
        ids(replaced_return_address(returned(0x11EE_22DD_33C0, slot + 8))) == []
    )  # wrong place for one
    assert ids(replaced_return_address(returned(TEXT ^ 1 << 40, slot))) == []  # one bit from code
    assert ids(replaced_return_address(failed(LOAD, fault_at(GAP), rdi=GAP))) == []


def test_a_number_below_all_memory() -> None:
    made = failed(LOAD, fault_at(77001), rdi=77001)
    (sign,) = evidence(value_made_by_software(made))
    assert (sign.id, "77001" in sign.summary) == ("S:number", True)
    assert classify_symptom(made).name == "wild-read"


@pytest.mark.parametrize(
    ("before", "rsi", "id"),
    [
        ("4801f7", 1 << 20, "S:number"),  # add %rsi,%rdi: NULL and all of it
        ("4801f7", 1 << 19, "S:number:one-bit"),
        ("4803fe", 1 << 20, "S:number"),  # the same in its other form
        ("90", 1 << 20, "S:number:one-bit"),
    ],
)
def test_a_distance_from_null_is_no_flipped_null(before: str, rsi: int, id: str) -> None:
    number = 1 << 20
    made = failed(LOAD, fault_at(number), before="90" * 24 + before, rdi=number, rsi=rsi,
                  words={HEAP + 0x40: number})  # fmt: skip
    assert ids(value_made_by_software(made)) == [id]


def test_what_one_bit_explains_says_less() -> None:
    odd, off = HEAP + 0x8003, FIRST ^ 0x8000  # both less than 64 KiB behind the heap
    assert ids(access_beside_mapping(in_blocks(LOAD, fault_at(odd), {}, rdi=odd))) == ["S:near-end"]
    assert ids(access_beside_mapping(in_blocks(LOAD, fault_at(off), {}, rdi=off))) == [
        "S:near-end:one-bit"
    ]
    table = load_weights().items
    for id, item in table.items():
        if id.endswith((":one-bit", ":untraced")):
            assert item.most < 0.8


def test_a_block_is_free_by_two_witnesses() -> None:
    size, behind = SIZE, FIRST + SIZE - 16  # the header behind the block
    free = in_blocks(LOAD, PROTECTED, {behind: size, behind + 8: SIZE}, rax=FIRST, rdi=GARBAGE)
    assert begins_free_chunk(free, FIRST)
    zeroed = in_blocks(LOAD, PROTECTED, {behind: 0, behind + 8: 0}, rax=FIRST, rdi=GARBAGE)
    assert not begins_free_chunk(zeroed, FIRST)
    used = in_blocks(LOAD, PROTECTED, {}, rax=FIRST, rdi=GARBAGE)
    assert not begins_free_chunk(used, FIRST)


@pytest.mark.parametrize(
    ("before", "offset", "signs"),
    [(FIELD, 16, ["S:use-after-free"]), ("488b78e8", -24, [])],  # mov -0x18(%rax),%rdi
)
def test_only_what_is_read_through_a_pointer_is_used_after_free(
    before: str, offset: int, signs: list[str]
) -> None:
    """The top of a full stack points behind it, where a free block may begin."""
    block = FIRST + 2 * SIZE
    behind = block + SIZE - 16
    holds = {behind: SIZE, behind + 8: SIZE, block + offset: GARBAGE}
    made = in_blocks(LOAD, PROTECTED, holds, rax=block, rdi=GARBAGE, before=before)  # type: ignore[arg-type]
    assert begins_free_chunk(made, block)
    assert ids(use_after_free(made)) == signs


@pytest.mark.parametrize("mark", [1 << 62, 0x8001 << 48])
def test_a_mark_that_others_have_too_is_no_overwrite(mark: int) -> None:
    """Bit 62 makes a double near 2.0 of any pointer."""
    holds = {FIRST + 8 * number: mark | MMAP + 64 * number for number in range(5)}
    bad = holds[FIRST + 16]
    (sign,) = evidence(
        overwritten_neighbours(in_blocks(LOAD, PROTECTED, holds, rax=FIRST, rdi=bad))
    )
    assert (sign.id, sign.where) == ("S:tagged", FIRST + 16)
    assert f"is {MMAP + 128:#x}, which is mapped" in sign.summary
    alone = {FIRST + 16: bad, FIRST + 24: holds[FIRST + 24]}
    assert ids(overwritten_neighbours(in_blocks(LOAD, PROTECTED, alone, rax=FIRST, rdi=bad))) == []


TEXT_WORD = int.from_bytes(b"password", "little")


@pytest.mark.parametrize(("junk", "signs"), [(FIRST, ["S:overwrite-run"]), (FIRST + 20 * SIZE, [])])
def test_only_words_around_the_place_that_was_read_count(junk: int, signs: list[str]) -> None:
    holds = {FIRST + 16: GARBAGE, FIRST + 20 * SIZE + 16: GARBAGE}
    holds |= {junk: TEXT_WORD, junk + 8: TEXT_WORD, junk + 24: TEXT_WORD}
    assert (
        ids(overwritten_neighbours(in_blocks(LOAD, PROTECTED, holds, rax=FIRST, rdi=GARBAGE)))
        == signs
    )
    assert (
        ids(overwritten_neighbours(in_blocks(LOAD, PROTECTED, holds, before="90", rdi=GARBAGE)))
        == []
    )
    only = {place: word for place, word in holds.items() if place != FIRST + 16}
    ids_of_signs = ids(
        overwritten_neighbours(in_blocks(LOAD, PROTECTED, only, before="90", rdi=GARBAGE))
    )
    assert ids_of_signs == ([] if signs else ["S:overwrite-run"])


def test_one_of_many_equal_words_is_no_origin() -> None:
    made = in_blocks(LOAD, PROTECTED, {FIRST + 16: GARBAGE}, before="90", rdi=GARBAGE)
    (sign,) = evidence(origin_of_bad_word(made))
    assert f"which stands at {FIRST + 16:#x} too" in sign.summary
    several = {FIRST + SIZE * number: GARBAGE for number in range(3)}
    assert (
        ids(origin_of_bad_word(in_blocks(LOAD, PROTECTED, several, before="90", rdi=GARBAGE))) == []
    )


MINUS_ONE = (1 << 64) - 1


def test_a_number_from_a_field_was_not_returned() -> None:
    died = fault_at(MINUS_ONE)
    held = in_blocks(LOAD, died, {FIRST + 16: MINUS_ONE}, rax=FIRST, rdi=MINUS_ONE)
    (sign,) = evidence(value_made_by_software(held))
    assert sign.summary.endswith("it is the number -1")
    (sign,) = evidence(
        value_made_by_software(in_blocks(LOAD, died, {}, before="90", rdi=MINUS_ONE))
    )
    assert sign.summary.endswith("it is the number -1, as functions return when they fail")


@pytest.mark.parametrize(("place", "how"), [(FIRST + 16, "from"), (FIRST, "through")])
def test_a_word_from_the_stack_of_a_thread_that_has_ended(
    place: int, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pointer is no place that a word was read from: it was read through that."""
    made = in_blocks(LOAD, PROTECTED, {FIRST + 16: GARBAGE}, rax=FIRST, rdi=GARBAGE)
    name = "gdb_epi.corruption.heap.address_descriptions.is_in_ended_stack"
    monkeypatch.setattr(name, lambda _context, address: address == place)
    (sign,) = evidence(word_from_ended_stack(made))
    assert sign.where == place
    assert f"that was read {how} {place:#x}, in the stack of a thread" in sign.summary


OTHER_ID = MMAP + 0x3000  # of a thread whose stack that mapping is


@pytest.mark.parametrize(
    ("below", "id", "number"),
    [(0x400, OTHER_ID, 1), (0x40, OTHER_ID, 0), (-0x400, OTHER_ID, 0), (0x400, HEAP, 0)],
)
def test_a_word_from_what_another_thread_has_left(below: int, id: int, number: int) -> None:
    """Below its stack pointer and red zone; not what its functions use, nor a coroutine's stack."""
    slot = MMAP + 0x1000
    words = {slot + 16: GARBAGE}
    made = failed(LOAD, PROTECTED, before=FIELD, rax=slot, rdi=GARBAGE, words=words)
    target: Any = made.target
    registers = {"rsp": slot + below, "rip": PC, "fs_base": id}
    other = target._threads[0]._replace(tid=4711, registers=registers)
    target._threads += (other,)
    signs = evidence(word_from_ended_stack(made))
    assert [sign.id for sign in signs] == ["S:ended-stack:one-bit"] * number


def candidates(*named: tuple[str, int, str]) -> list[_CandidateValue]:
    return [_CandidateValue(name, value, kind != "int", kind) for name, value, kind in named]


def test_sums_of_variables() -> None:
    some = candidates(("data", MMAP, "LP_c_int"), ("n", 1 << 29, "int"), ("step", 90001, "int"))
    assert _describe_sum_giving_address(some, MMAP + 4 * (1 << 29)) == "data + 4 * n"
    assert _describe_sum_giving_address(some, MMAP + 90001 * (1 << 29)) == "data + n * step"
    assert _describe_sum_giving_address(some, MMAP + 5 * (1 << 29)) == ""
    assert _describe_sum_giving_address(some, MMAP + 8) == ""  # near: said otherwise


def test_nothing_failed() -> None:
    made = failed("c3", crash(6, -6, sender=1000))
    for check in (
        origin_of_bad_word,
        non_pointer_in_pointer_place,
        far_index,
        pointer_into_unmapped_block,
        replaced_return_address,
        overwritten_object,
    ):
        assert ids(check(made)) == []


def test_a_call_through_a_table() -> None:
    words = {SP: INDIRECT_SITE}
    made = failed("", PROTECTED, at=GARBAGE, rax=GARBAGE, words=words)
    assert ids(non_pointer_in_pointer_place(made)) == []  # where rax was read is not known


def test_a_function_that_was_jumped_to_has_arguments_of_its_own() -> None:
    """The collector calls tp_traverse, which jumps to visit_decref(): the caller set other ones."""

    def made(*pairs: tuple[int, int]) -> list[RecomputedRegister]:
        return [RecomputedRegister("rdi", a, b, PC, "copy", None, 8) for a, b in pairs]

    other, alike = (HEAP, 0x7FFF_F71F_BC10), (HEAP, HEAP)
    assert _was_code_entered_by_jump(made(other, (GARBAGE, TEXT), alike))
    assert not _was_code_entered_by_jump(made(other, alike)), "one damaged word"
    assert not _was_code_entered_by_jump(
        made((HEAP, HEAP ^ 1 << 30), (TEXT, TEXT ^ 1 << 30), alike)
    )


def test_what_was_read_through_a_pointer_from_a_wrong_place_may_be_anything() -> None:
    """Two loads: of a pointer at rdi, and through it; rdi leads to a block, or into its middle."""
    value, second = 0x6472_6F77_7373_6170, FIRST + SIZE
    for at, sign in ((FIRST, "S:ascii"), (FIRST + 24, "S:wild-value")):
        made = in_blocks(
            "488b08", PROTECTED, {at + 8: second, second + 16: value},
            before="488b5708488b4210", rdi=at, rdx=second, rax=value,  # type: ignore[arg-type]
        )  # fmt: skip
        (id_of_sign,) = ids(value_made_by_software(made))
        assert id_of_sign.removesuffix(":one-bit") == sign


def test_a_stack_pointer_is_no_data() -> None:
    made = in_blocks(LOAD, PROTECTED, {}, rdi=GARBAGE)
    shapes = [
        software_pattern(made, FaultWord(name, 0x6472_6F77_7373_6170, 0)) for name in ("rsp", "rdi")
    ]
    assert shapes[0] is None and shapes[1] is not None


def test_the_mark_of_freed_blocks_says_something_where_it_was_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a core without code it was any register that free() had left it in: 97 %, of a flip."""
    home = "gdb_epi.corruption.checks.benign_causes"
    monkeypatch.setattr(f"{home}.is_tcache_key", lambda _context, value: value == GARBAGE)
    assert ids(use_after_free(failed(LOAD, PROTECTED, rdi=GARBAGE))) == ["S:use-after-free"]
    assert not ids(use_after_free(failed("", PROTECTED, rdi=GARBAGE, rip=GAP)))


def test_what_lies_where_a_core_was_cut_off_may_be_meant() -> None:
    wrong = 0x6F00_0000_1230
    lost = Region(wrong ^ 1 << 40 & -4096, (wrong ^ 1 << 40 & -4096) + 8192, "rw-", None, 0, 0)
    made = failed(LOAD, fault_at(wrong), rdi=wrong, extra_regions=[lost])
    assert not is_one_bit_from_start_of_thing(made, wrong)
    cut = failed(LOAD, fault_at(wrong), rdi=wrong, extra_regions=[lost])
    cut.target._truncation = Truncation(True, 8192, "")  # type: ignore[attr-defined]
    assert is_one_bit_from_start_of_thing(cut, wrong)
