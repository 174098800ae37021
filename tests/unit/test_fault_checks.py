# SPDX-License-Identifier: Apache-2.0
"""C1 to C7, R5, P and the imitators: a hit, a near miss, and absent data of each."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest
from support.faults import (
    CALL_SITE,
    INDIRECT_SITE,
    PROTECTION,
    KnownFunctions,
    evidence,
    failed,
    fault_at,
    knowing,
    skipped,
)
from support.scenes import HEAP, HEAP_SIZE, MMAP, MMAP_SIZE, PC, SP, STACK, TEXT, crash, state

from gdb_epi.corruption.checks.benign_causes import (
    HEAP_OF_THREAD,
    _gap_of_ended_stacks,
    access_beside_mapping,
    access_to_guard_page,
    overwritten_neighbours,
    pointer_to_unmapped_page,
    value_made_by_software,
    write_to_read_only_memory,
)
from gdb_epi.corruption.checks.control_flow import (
    fault_inside_instruction,
    instruction_that_cannot_fault,
    jump_into_function_body,
    one_bit_call_target,
    one_bit_return_address,
    return_from_slot_below,
    return_without_return_address,
)
from gdb_epi.corruption.checks.flipped_words import (
    _sentence_of_correction,
    one_bit_pointer,
    recurring_flips,
)
from gdb_epi.corruption.checks.overwritten_places import (
    _collector_list_clause,
    _distances_to_same_byte,
    _is_mostly_pointers,
)
from gdb_epi.corruption.checks.registers import register_values
from gdb_epi.corruption.checks.wild_values import call_of_data
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import MEMORY, REGISTER, NotChecked, word_evidence
from gdb_epi.corruption.pointers.one_bit_neighbours import rank_one_bit_neighbours
from gdb_epi.detectors.jumps_to_wrong_code import ran_past_end
from gdb_epi.detectors.pointer_one_bit_off import pointer_one_bit_off
from gdb_epi.errors import Absent
from gdb_epi.fault.mapping_checks import is_past_segment, untagged_address
from gdb_epi.target import elf
from gdb_epi.target.api import Region

LOAD = "488b07"  # mov (%rdi),%rax
WILD = 0x7ABC_1234_5678
GOOD = MMAP + 0x1240
BAD = GOOD ^ (1 << 41)
ODD_SP = STACK + 0x4008


def returned(value: int, sp: int = SP, **words: int) -> Context:
    held = {sp - 8: value, **{sp + int(name[1:]): word for name, word in words.items()}}
    return failed("", fault_at(value), at=value, words=held, rsp=sp)


# -- C: control flow ---------------------------------------------------------------------------


def test_c1_a_return_address_one_bit_off() -> None:
    signs = evidence(one_bit_return_address(returned(CALL_SITE ^ (1 << 40))))
    assert [(sign.id, sign.where, sign.corrected, sign.bits, sign.path) for sign in signs] == [
        ("C1", SP - 8, CALL_SITE, (40,), MEMORY)
    ]
    assert evidence(one_bit_return_address(returned(CALL_SITE ^ (1 << 40) ^ 1))) == []
    assert evidence(one_bit_return_address(failed(LOAD, fault_at(WILD), rdi=WILD))) == []


def test_c1_also_where_the_return_stopped() -> None:
    bad = CALL_SITE ^ (1 << 52)
    signs = evidence(one_bit_return_address(failed("c3", PROTECTION, words={SP: bad})))
    assert [(sign.where, sign.corrected) for sign in signs] == [(SP, CALL_SITE)]


def test_c2_rsp_off_by_8() -> None:
    made = returned(HEAP + 8, ODD_SP, a0=CALL_SITE)
    made.target.write(PC, b"\xc3")  # type: ignore[attr-defined]
    signs = evidence(return_from_slot_below(knowing(made, PC)))
    assert [(sign.id, sign.where, sign.path) for sign in signs] == [("C2", "rsp", REGISTER)]
    indirect = evidence(return_from_slot_below(returned(HEAP + 8, ODD_SP, a0=INDIRECT_SITE)))
    assert [sign.id for sign in indirect] == ["C2:indirect"]


@pytest.mark.parametrize(
    "made",
    [
        returned(HEAP + 8, SP, a0=CALL_SITE),  # the alignment says that nothing is off
        returned(HEAP + 8, ODD_SP, a0=CALL_SITE + 1),  # no call before it
        returned(int.from_bytes(b"secret\0\0", "little"), ODD_SP, a0=CALL_SITE),  # an overflow
    ],
)
def test_c2_near_misses(made: Context) -> None:
    assert evidence(return_from_slot_below(made)) == []


def test_c2_a_wild_indirect_call_looks_the_same_but_for_its_target() -> None:
    made = failed(
        "", fault_at(WILD), at=WILD, rax=WILD, rsp=ODD_SP,
        words={ODD_SP: INDIRECT_SITE, ODD_SP - 8: WILD},
    )  # fmt: skip
    assert evidence(return_from_slot_below(made)) == []


@pytest.mark.parametrize(("end", "past"), [(CALL_SITE, True), (CALL_SITE + 8, False)])
def test_c2_code_that_ran_past_the_end_of_a_function_leaves_its_frame(
    end: int, past: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = {ODD_SP - 16: CALL_SITE, ODD_SP - 8: HEAP + 8, ODD_SP: CALL_SITE}
    made = failed("", fault_at(HEAP + 8), at=HEAP + 8, words=words, rsp=ODD_SP)
    made.target.write(PC, b"\xc3")  # type: ignore[attr-defined]
    knowing(made, PC)
    functions = KnownFunctions((TEXT, end))
    monkeypatch.setattr(
        "gdb_epi.detectors.jumps_to_wrong_code.FunctionBounds", lambda _target: functions
    )
    made.findings = tuple(ran_past_end(made.state))
    assert [finding.facts.get("at_fault") for finding in made.findings] == ["library"] * past
    assert [sign.id for sign in evidence(return_from_slot_below(made))] == ["C2"] * (not past)


def test_c3_is_a_feature_of_no_weight() -> None:
    from gdb_epi.corruption.score import compute_score, load_weights

    signs = evidence(return_without_return_address(returned(HEAP + 64)))
    assert [sign.id for sign in signs] == ["C3"]
    assert load_weights().items["C3"].llr == 0
    assert compute_score(signs).llr == 0
    assert evidence(return_without_return_address(failed(LOAD, fault_at(WILD), rdi=WILD))) == []


def called(target: int, **more: object) -> Context:
    return failed("", fault_at(target), at=target, rax=target, words={SP: INDIRECT_SITE}, **more)  # type: ignore[arg-type]


def test_c4_a_function_starts_one_bit_away() -> None:
    start = TEXT + 0x200
    bad = start ^ (1 << 40)
    signs = evidence(one_bit_call_target(knowing(called(bad), start)))
    assert [(sign.id, sign.corrected, sign.bits) for sign in signs] == [("C4", start, (40,))]
    assert signs[0].path == REGISTER
    inside = evidence(one_bit_call_target(knowing(called(bad + 16), start)))
    assert inside == []  # one bit from the middle of it
    page = TEXT & -4096  # of which others are one bit away by chance: memory of a JIT compiler
    assert not evidence(one_bit_call_target(knowing(called(page ^ 1 << 40), page)))


def test_c4_a_copy_and_a_place_of_the_wrong_pointer() -> None:
    start = TEXT + 0x200
    bad = start ^ (1 << 40)
    words = {SP: INDIRECT_SITE, HEAP + 8: start, HEAP + 64: bad}
    made = failed("", fault_at(bad), at=bad, rax=bad, words=words)
    signs = evidence(one_bit_call_target(knowing(made, start)))
    assert [(sign.id, sign.where, sign.path) for sign in signs] == [("C4:copy", HEAP + 64, MEMORY)]


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "; 1 word of memory holds"), (3, "; 3 words of memory hold"), (11, "; at least 8 words")],
)
def test_a_count_that_ended_at_a_limit_is_told_as_the_least(count: int, text: str) -> None:
    start = TEXT + 0x200
    bad = start ^ (1 << 40)
    words = {SP: INDIRECT_SITE, **{HEAP + 0x40 * n: start for n in range(1, count + 1)}}
    made = failed("", fault_at(bad), at=bad, rax=bad, words=words)
    (sign,) = evidence(one_bit_call_target(knowing(made, start)))
    assert text in sign.summary


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "no other place that was looked at holds"), (1, "; 1 other place (memory, registers) h"),
     (3, "; 3 other places"), (11, "; at least 4 other places")],
)  # fmt: skip
def test_other_places_of_the_right_pointer_are_counted_or_at_least(count: int, text: str) -> None:
    words = {HEAP + 0x20: BAD, **{HEAP + 0x100 + 0x40 * n: GOOD for n in range(count)}}
    (sign,) = evidence(one_bit_pointer(pointed(BAD, words)))
    assert text in sign.summary
    (again,) = pointer_one_bit_off(pointed(BAD, words).state)
    assert text.replace("at least 4", "at least 8") in again.summary


def test_what_another_check_has_found_is_not_denied() -> None:
    """A word that was read through is not searched for; another check may have searched for it."""
    made = pointed(BAD, {HEAP + 0x20: BAD, HEAP + 0x100: GOOD})
    best = [neighbour._replace(copies=0) for neighbour in rank_one_bit_neighbours(made)]
    assert [neighbour.corrected for neighbour in best] == [GOOD]
    sentence = _sentence_of_correction(made, best[0])
    assert "; 1 other place (memory, registers) holds the right value" in sentence


def test_c4_without_unwind_tables_is_skipped() -> None:
    bad = (TEXT + 0x200) ^ (1 << 40)
    assert [skip.check for skip in skipped(one_bit_call_target(called(bad)))] == ["C4"]


def test_c5_rip_inside_of_an_instruction() -> None:
    code = "48b8887766554488078b"  # movabs $...,%rax: 48 8b 07 is no part, 8b... is
    made = failed(code, fault_at(WILD), rdi=WILD)
    made.target.write(PC, bytes.fromhex(code))  # type: ignore[attr-defined]
    inside = failed(code, fault_at(WILD), rdi=WILD)
    inside.fault.registers["rip"] = PC + 2  # type: ignore[union-attr,index]
    assert [sign.id for sign in evidence(fault_inside_instruction(knowing(inside, PC - 16)))] == [
        "C5"
    ]
    assert evidence(fault_inside_instruction(knowing(made, PC - 16))) == []


def test_c5_absent() -> None:
    made = failed(LOAD, fault_at(WILD), rdi=WILD)
    unknown = knowing(failed(LOAD, fault_at(WILD), rdi=WILD, before="06"), PC - 16)
    far = knowing(failed(LOAD, fault_at(WILD), rdi=WILD), PC - (1 << 16), 1 << 17)
    for context, why in (
        (made, "no unwind tables"),
        (unknown, "no known instruction"),
        (far, "into its function"),
    ):
        with pytest.raises(NotChecked, match=why):
            list(fault_inside_instruction(context))


def test_c6_a_fault_that_the_instruction_cannot_make() -> None:
    one_bit = evidence(instruction_that_cannot_fault(failed(LOAD, fault_at(BAD), rdi=GOOD)))
    assert [(sign.id, sign.corrected, sign.path) for sign in one_bit] == [("C6", GOOD, REGISTER)]
    other = evidence(instruction_that_cannot_fault(failed(LOAD, fault_at(WILD), rdi=GOOD)))
    assert [(sign.id, sign.corrected) for sign in other] == [("C6", None)]
    assert [
        sign.id
        for sign in evidence(instruction_that_cannot_fault(failed("4889c8", crash(8, 1, PC))))
    ] == ["C6"]
    assert [
        sign.id
        for sign in evidence(instruction_that_cannot_fault(failed("4889c8", crash(4, 2, PC))))
    ] == ["C6"]


def test_c6_a_signal_without_a_stack_for_its_handler_is_no_fault_of_the_cpu() -> None:
    """force_sigsegv() of the kernel looks like a protection fault."""
    died = crash(code=128, address=0)
    assert not evidence(instruction_that_cannot_fault(failed(LOAD, died, rdi=GOOD)))


@pytest.mark.parametrize(
    ("code", "died"),
    [
        (LOAD, fault_at(WILD)),
        ("0f2907", PROTECTION),  # misaligned
        ("f3a4", fault_at(WILD + 40)),  # a string runs on
        ("f4", PROTECTION),
        ("f7f1", crash(8, 1, PC)),
        ("0f0b", crash(4, 2, PC)),
        ("c5fe6f07", crash(4, 2, PC)),  # AVX: not every CPU has it
        ("c3", crash(6, -6, sender=1000)),
    ],
)
def test_c6_what_is_explained(code: str, died: object) -> None:
    made = failed(code, died, rdi=WILD if code in (LOAD, "f3a4") else HEAP + 8, rsi=HEAP)  # type: ignore[arg-type]
    assert evidence(instruction_that_cannot_fault(made)) == []


@pytest.mark.parametrize("code", [3, 8, 9, 10])  # SEGV_BNDERR, _MTEAERR, _MTESERR, _CPERR
def test_c6_says_nothing_of_faults_that_need_no_operand(code: int) -> None:
    """A shadow stack that disagrees with a return address was said to be damage, for no reason."""
    made = failed(LOAD, crash(code=code, address=WILD), rdi=HEAP)
    assert evidence(instruction_that_cannot_fault(made)) == []


def test_c6_without_text_is_skipped() -> None:
    made = failed(LOAD, fault_at(WILD), rdi=WILD)
    made.target.memory.pop(TEXT)  # type: ignore[attr-defined]
    assert [skip.check for skip in skipped(instruction_that_cannot_fault(made))] == ["C6"]


def entered(value: int, start: int, **more: object) -> Context:
    """Control came to `value`, and died a few instructions later; a function begins at `start`."""
    made = failed(LOAD, fault_at(WILD), rdi=WILD, **more)  # type: ignore[arg-type]
    return knowing(made, start, PC - start + 0x100)


@pytest.mark.parametrize("bit", [4, 6])
def test_c7_a_pointer_into_the_middle_of_the_function_that_failed(bit: int) -> None:
    value = PC - 5  # 0xfb: both bits are set
    start = value ^ 1 << bit
    signs = evidence(jump_into_function_body(entered(value, start, rax=value)))
    assert [(sign.id, sign.where, sign.found, sign.corrected, sign.path) for sign in signs] == [
        ("C7", "rax", value, start, REGISTER)
    ]
    held = evidence(jump_into_function_body(entered(value, start, words={HEAP + 64: value})))
    assert [(sign.where, sign.path) for sign in held] == [(HEAP + 64, MEMORY)]
    assert evidence(jump_into_function_body(entered(value, start))) == []
    assert evidence(jump_into_function_body(entered(value, start - 8, rax=value))) == []


def test_c7_rip_itself_on_the_stack_is_a_signal_frame() -> None:
    start = PC & ~(PC & -PC)
    made = entered(PC, start, words={SP + 64: PC})
    assert evidence(jump_into_function_body(made)) == []
    assert evidence(jump_into_function_body(entered(PC, start, words={HEAP + 64: PC})))


# -- R5 ------------------------------------------------------------------------------------------

FIELD = "488b7b10"  # mov 0x10(%rbx),%rdi


def loaded(held: int, kept: int, before: str = FIELD, **more: object) -> Context:
    words = {HEAP + 0x10: kept}
    died = fault_at(held) if held < 1 << 47 else PROTECTION
    return failed(LOAD, died, before=before, rdi=held, rbx=HEAP, words=words, **more)  # type: ignore[arg-type]


def test_r5_a_load_that_memory_contradicts() -> None:
    signs = evidence(register_values(loaded(BAD, GOOD)))
    assert [(sign.id, sign.where, sign.found, sign.corrected, sign.path) for sign in signs] == [
        ("R5", "rdi", BAD, GOOD, REGISTER)
    ]
    lane = evidence(register_values(loaded(GOOD & ~(0xFF << 40), GOOD)))
    assert [sign.id for sign in lane] == ["R5:lane"]


@pytest.mark.parametrize(
    "before",
    [
        "488d7b48",  # lea 0x48(%rbx),%rdi
        "4889df",  # mov %rbx,%rdi
    ],
)
def test_r5_what_was_computed_is_computed_again(before: str) -> None:
    right = HEAP + 0x48 if before.startswith("488d") else HEAP
    signs = evidence(register_values(loaded(right ^ (1 << 41), 0, before)))
    assert [(sign.id, sign.corrected) for sign in signs] == [("R5", right)]


def test_r5_through_two_instructions() -> None:
    """The first load's base is gone when the second is run again, but it can be made again."""
    words = {HEAP + 0x10: HEAP + 0x80, HEAP + 0x80: GOOD}
    before = "488b7b10" + "488b3f"  # mov 0x10(%rbx),%rdi; mov (%rdi),%rdi
    made = failed(LOAD, fault_at(BAD), before=before, rdi=BAD, rbx=HEAP, words=words)
    assert [sign.corrected for sign in evidence(register_values(made))] == [GOOD]


@pytest.mark.parametrize(
    "made",
    [
        loaded(BAD, BAD),  # memory holds the same: its path, not the CPU's
        loaded(BAD, GOOD ^ 0x101),  # several bytes differ
        loaded(BAD, BAD ^ (1 << 30)),  # what memory holds is no better
        loaded(BAD, GOOD, FIELD + "48897b10"),  # mov %rdi,0x10(%rbx) since
        loaded(BAD, GOOD, FIELD + "4801c7"),  # add %rax,%rdi since
        loaded(BAD, GOOD, FIELD + "e800000000"),  # a call since
    ],
)
def test_r5_near_misses(made: Context) -> None:
    assert evidence(register_values(made)) == []


def test_r5_stops_where_a_branch_leads_in() -> None:
    """A loop: what lies above its head made another value of the register."""
    made = loaded(BAD, GOOD)
    made.target.write(PC + 3, b"\xeb\xfb")  # type: ignore[attr-defined]  # jmp to the fault
    assert evidence(register_values(made)) == []
    below = loaded(BAD, GOOD)
    below.target.write(PC + 16, b"\x0f\x84" + (-22).to_bytes(4, "little", signed=True))  # type: ignore[attr-defined]
    assert evidence(register_values(below)) == []


def test_r5_absent() -> None:
    made = loaded(BAD, GOOD)
    made.target.memory.pop(TEXT)  # type: ignore[attr-defined]
    jump = failed("", fault_at(WILD), at=WILD, words={SP: 1, SP - 8: 2})
    for context in (made, jump):
        with pytest.raises(NotChecked):
            list(register_values(context))


# -- P and the imitators -----------------------------------------------------------------------


def pointed(value: int, words: dict[int, int] | None = None, **more: object) -> Context:
    died = fault_at(value) if value < 1 << 47 else PROTECTION
    return failed(LOAD, died, rdi=value, words=words, **more)  # type: ignore[arg-type]


def test_p_a_copy_of_the_right_pointer() -> None:
    signs = evidence(one_bit_pointer(pointed(BAD, {HEAP + 0x20: BAD, HEAP + 0x100: GOOD})))
    assert [(sign.id.partition(":")[0], sign.where, sign.corrected) for sign in signs] == [
        ("P2", HEAP + 0x20, GOOD)
    ]
    assert (signs[0].path, signs[0].ambiguous) == (MEMORY, None)


def test_p_copies_of_a_round_number_are_no_copies_of_a_pointer() -> None:
    """Masks and sizes stand anywhere: 0x8000000 is what 64 MiB of a heap begin at."""
    for right, id in ((HEAP + 0x1000, "P2"), (HEAP, "P4")):
        wrong = right ^ 1 << 27
        signs = evidence(one_bit_pointer(pointed(wrong, {HEAP + 0x20: wrong, HEAP + 0x100: right})))
        assert [sign.id.partition(":")[0] for sign in signs if sign.corrected == right] == [id]


def test_p_in_a_register_only_an_index_may_have_made_it() -> None:
    signs = evidence(one_bit_pointer(pointed(GOOD + (1 << 35), {HEAP + 0x100: GOOD})))
    assert [(sign.path, bool(sign.ambiguous)) for sign in signs] == [(REGISTER, True)]


def test_p_a_single_top_bit_is_ambiguous() -> None:
    signs = evidence(
        one_bit_pointer(pointed(GOOD | 1 << 60, {HEAP + 8: GOOD | 1 << 60, HEAP: GOOD}))
    )
    assert signs
    assert all("tag" in (sign.ambiguous or "") for sign in signs)


def test_p_near_misses_and_absent() -> None:
    assert evidence(one_bit_pointer(pointed(8))) == []
    assert evidence(one_bit_pointer(pointed(GOOD | 0xFFF8 << 48))) == []
    assert evidence(one_bit_pointer(failed("c3", crash(6, -6, sender=1000)))) == []
    made = pointed(BAD)
    made.target.memory.pop(TEXT)  # type: ignore[attr-defined]
    assert [skip.check for skip in skipped(one_bit_pointer(made))] == ["P"]


def test_p_on_a_low_image() -> None:
    """A program that is not position-independent: every small number is one bit from it."""
    image = Region(0x400000, 0x600000, "rw-", "/usr/bin/python3.11", 0, 0)
    for value in (1 << 12, 0x10008, 0x1000):
        made = pointed(value, extra_regions=[image])
        assert [
            sign for sign in evidence(one_bit_pointer(made)) if sign.id not in ("P1", "P4", "P5")
        ] == []


def test_patterns() -> None:
    text = int.from_bytes(b"password", "little")
    assert [sign.id for sign in evidence(value_made_by_software(pointed(text)))] == [
        "S:ascii:untraced"
    ]
    assert [sign.id for sign in evidence(value_made_by_software(pointed(GOOD & 0xFFFFFFFF)))] == [
        "S:truncated"
    ]
    assert evidence(value_made_by_software(pointed(BAD))) == []
    assert evidence(value_made_by_software(failed("c3", crash(6, -6, sender=1000)))) == []


def test_overruns() -> None:
    end = HEAP + HEAP_SIZE
    assert [sign.id for sign in evidence(access_beside_mapping(pointed(end + 8)))] == ["S:past-end"]
    assert [sign.id for sign in evidence(access_beside_mapping(pointed(end + 0x8008)))] == [
        "S:near-end"
    ]
    assert evidence(access_beside_mapping(pointed(end + 0x20000))) == []
    assert evidence(access_beside_mapping(failed("c3", crash(6, -6, sender=1000)))) == []


def test_guards() -> None:
    end = MMAP + MMAP_SIZE
    page = Region(end, end + 4096, "---", None, 0, 0)
    made = pointed(end + 16, extra_regions=[page])
    assert [sign.id for sign in evidence(access_to_guard_page(made))] == ["S:guard-page"]
    large = Region(end, end + (2 << 20), "---", None, 0, 0)
    assert evidence(access_to_guard_page(pointed(end + 16, extra_regions=[large]))) == []
    assert evidence(access_to_guard_page(failed("c3", crash(6, -6, sender=1000)))) == []


def test_reads_behind_the_end_of_a_file_are_no_writes() -> None:
    """BUS_ADRERR is the number of SEGV_ACCERR."""
    file = Region(0x7F55_0000_0000, 0x7F55_0000_2000, "r--", "/tmp/table", 0, 0x1000)
    behind = file.start + 0x1000
    made = failed(LOAD, crash(7, 2, behind), rdi=behind, extra_regions=[file])
    assert not isinstance(made.site, Absent)
    assert made.site.access == "r"
    assert evidence(write_to_read_only_memory(made)) == []


def test_writes_to_read_only_memory() -> None:
    readable = Region(0x6000_0000_0000, 0x6000_0000_1000, "r--", None, 0, 0)
    start, inside = readable.start, readable.start + 0x340
    for place, id in ((inside, "S:read-only:untraced"), (start, "S:read-only")):
        made = failed("488907", fault_at(place, 2), rdi=place, extra_regions=[readable])
        assert [sign.id for sign in evidence(write_to_read_only_memory(made))] == [id]
    code = "48bf" + inside.to_bytes(8, "little").hex()  # movabs $...,%rdi
    died = fault_at(inside, 2)
    made = failed("488907", died, before=code, rdi=inside, extra_regions=[readable])
    assert [sign.id for sign in evidence(write_to_read_only_memory(made))] == ["S:read-only"]
    closed = readable._replace(perms="---")
    made = failed("488907", died, rdi=readable.start, extra_regions=[closed])
    assert evidence(write_to_read_only_memory(made)) == []
    before = Region(start - 0x1000, start, "rw-", None, 0, 0)  # a loop ran on from there
    made = failed("488907", fault_at(start, 2), rdi=start, extra_regions=[before, readable])
    assert [sign.id for sign in evidence(write_to_read_only_memory(made))] == ["S:past-end"]


def test_data_that_was_called() -> None:
    """Not where a function is one bit away; a byte that leads into the middle of code says none."""
    function = (MMAP ^ 1 << 40) + 0x1240
    code = Region(function & -0x1000, (function & -0x1000) + 0x1000, "r-x", "/l.so", 0, 0)
    for start, ids in ((function - 0x40, ["S:data-called"]), (function, [])):
        made = failed("", fault_at(GOOD, 2), at=GOOD, extra_regions=[code])
        made = knowing(made, start)
        assert [sign.id for sign in evidence(call_of_data(made))] == ids
    assert evidence(write_to_read_only_memory(failed("c3", crash(6, -6, sender=1000)))) == []


def test_how_far_a_page_that_was_unmapped_lies_from_others_is_chance() -> None:
    """The gap is the whole of what was unmapped."""
    end = HEAP + HEAP_SIZE
    assert [sign.id for sign in evidence(pointer_to_unmapped_page(pointed(end + 0x8000)))] == [
        "S:unmapped"
    ]
    assert evidence(access_beside_mapping(pointed(end + 0x8000))) == []
    assert [sign.id for sign in evidence(access_beside_mapping(pointed(end)))] == ["S:past-end"]


def test_pages_that_were_unmapped() -> None:
    below = MMAP - 0x10000
    assert [sign.id for sign in evidence(pointer_to_unmapped_page(pointed(below)))] == [
        "S:unmapped"
    ]
    assert evidence(pointer_to_unmapped_page(pointed(WILD))) == []
    far = 0x7ABC_1234_5000  # from all that is mapped: nothing ever was there
    assert evidence(pointer_to_unmapped_page(pointed(far))) == []


@pytest.mark.parametrize(("library", "signs"), [("/lib/libc.so.6", ["S:abort-malloc"]), ("", [])])
def test_a_page_that_the_code_worked_out_was_named_by_nobody(
    library: str, signs: list[str]
) -> None:
    """and %rsi,%rax: glibc looks for the heap of a thread that a chunk says to be in."""
    heap = MMAP - 1 & -HEAP_OF_THREAD
    made = failed(LOAD, fault_at(heap), before="4821f7", rdi=heap, rsi=heap + 0x3880)
    module = made.target.modules()[0]
    made.target._modules = [module._replace(path=library or module.path)]  # type: ignore[attr-defined]
    assert [sign.id for sign in evidence(pointer_to_unmapped_page(made))] == signs
    assert evidence(pointer_to_unmapped_page(failed("c3", crash(6, -6, sender=1000)))) == []


def test_who_runs_to_the_end_of_memory_uses_none_that_was_given_back() -> None:
    """A loop's pointer is in a register; whoever keeps the start of a mapping has it in memory."""
    end = HEAP + HEAP_SIZE
    assert evidence(pointer_to_unmapped_page(pointed(end))) == []
    kept = pointed(end, {HEAP + 0x20: end})
    assert [sign.id for sign in evidence(pointer_to_unmapped_page(kept))] == ["S:unmapped"]


def test_runs_of_junk() -> None:
    text = int.from_bytes(b"password", "little")
    words = {HEAP + 0x20: BAD, HEAP + 0x28: text, HEAP + 0x30: text}
    assert [sign.id for sign in evidence(overwritten_neighbours(pointed(BAD, words)))] == [
        "S:overwrite-run"
    ]
    assert (
        evidence(overwritten_neighbours(pointed(BAD, {HEAP + 0x20: BAD, HEAP + 0x28: GOOD}))) == []
    )
    assert evidence(overwritten_neighbours(pointed(BAD))) == []


def test_a_pointer_with_a_wrong_bit_among_numbers_is_no_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = 21 << 32 | 8
    words = {HEAP + 0x20: BAD, HEAP + 0x28: numbers, HEAP + 0x30: numbers}
    assert evidence(overwritten_neighbours(pointed(BAD, words)))
    home = "gdb_epi.corruption.checks.benign_causes"
    monkeypatch.setattr(f"{home}.is_one_bit_from_start_of_thing", lambda *_: True)
    assert not evidence(overwritten_neighbours(pointed(BAD, words)))


@pytest.mark.parametrize(("low", "ids"), [(0x94_EA20, []), (0x94_EA21, ["S:int-pair"])])
def test_an_address_of_a_low_program_with_a_bit_too_many(low: int, ids: list[str]) -> None:
    """It is two integers in form, as sound as any; an odd one is no pointer's."""
    program = Region(0x40_0000, 0xA0_0000, "rw-", "/usr/bin/python3.11", 0, 0)
    value = 1 << 41 | low
    made = failed(LOAD, fault_at(value), rdi=value, extra_regions=[program])
    named_ids = [
        sign.id.partition(":untraced")[0] for sign in evidence(value_made_by_software(made))
    ]
    assert named_ids == ids


@pytest.mark.parametrize(
    ("value", "ids"),
    [(0x8_0000_7F1A, ["S:int-pair"]), (int.from_bytes(b"west-26\0", "little"), ["S:ascii"])],
)
def test_a_return_from_between_two_words_takes_no_numbers(value: int, ids: list[str]) -> None:
    for sp, named in ((SP, ids), (SP + 4, [id for id in ids if id == "S:ascii"])):
        signs = evidence(value_made_by_software(returned(value, sp)))
        assert [sign.id.partition(":untraced")[0] for sign in signs] == named


def test_a_table_of_addresses_is_no_loop_over_rows() -> None:
    addresses = [0x7FFF_F6AE_0000 + 1024 * number for number in range(64)]
    table = b"".join(address.to_bytes(8, "little") for address in addresses)
    assert _distances_to_same_byte(table, 8 * 20 + 2) == [8]
    assert _is_mostly_pointers(table, range(2, len(table), 8))
    others = [address ^ number * number << 5 for number, address in enumerate(addresses)]
    mixed = b"".join(address.to_bytes(8, "little") for address in others)
    assert not _is_mostly_pointers(mixed, range(2, len(mixed), 8))


@pytest.mark.parametrize(("count", "begins"), [(2, False), (HEAP + 0x300, False), (2, True)])
def test_what_the_collectors_list_leads_to(count: int, begins: bool, monkeypatch) -> None:
    """No list: a row of pointers, and links that are the beginning of another object."""
    links, before = HEAP + 0x100, HEAP + 0x40
    objects = {before + 16: "dict", **({links: "Data"} if begins else {})}
    index = SimpleNamespace(object_type=objects.get, in_free_block=lambda _: False)
    home = "gdb_epi.corruption.checks.overwritten_places"
    monkeypatch.setattr(f"{home}.address_index", lambda _: index)
    made = pointed(WILD, {before: links, before + 16: count, links + 16: 1, links + 24: WILD})
    assert bool(_collector_list_clause(made, links + 24, [links + 16])) == (
        count == 2 and not begins
    )


def test_what_follows_a_segment_in_its_page_is_the_files() -> None:
    """The .comment of a compiler behind the last variable of .bss."""
    target = failed(LOAD).target
    assert not is_past_segment(target, TEXT + 0x830)  # no header is there
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    head = elf.EHDR.pack(ident, elf.ET_DYN, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    head += elf.PHDR.pack(elf.PT_LOAD, 6, 0, 0, 0, 0x800, 0x830, 4096)
    target.write(TEXT, head)  # type: ignore[attr-defined]
    assert is_past_segment(target, TEXT + 0x830)
    assert not is_past_segment(target, TEXT + 0x828)
    assert not is_past_segment(target, HEAP)


def test_text_beside_text_was_not_overwritten() -> None:
    """A place that holds the same text as the register is where it was read only by chance."""
    text = int.from_bytes(b"password", "little")
    words = {HEAP + 0x20: text, HEAP + 0x28: text ^ 1, HEAP + 0x30: text ^ 2}
    assert evidence(overwritten_neighbours(pointed(text, words))) == []
    read = failed(LOAD, PROTECTION, before="488b7c2420", rdi=text,
                  words={SP + 0x20: text, SP + 0x28: text ^ 1, SP + 0x30: text ^ 2})  # fmt: skip
    assert [sign.id for sign in evidence(overwritten_neighbours(read))] == ["S:overwrite-run"]


@pytest.mark.parametrize("value", [0xC3, 0x1234])
def test_the_upper_bytes_of_an_address_whose_place_was_overwritten(value: int) -> None:
    """A pointer with bit 0 or 1 flipped was read through; what follows may be anything."""
    count = 1 if value < 1 << 8 else 2
    wrong = value << 64 - 8 * count | (MMAP + 0x300) >> 8 * count
    (sign,) = evidence(value_made_by_software(pointed(wrong, {})))
    assert (sign.id, "upper" in sign.summary) == ("S:misaligned:one-bit", True)
    nowhere = value << 64 - 8 * count | 0x123456780000 >> 8 * count
    assert [sign.id for sign in evidence(value_made_by_software(pointed(nowhere, {})))] != [
        "S:misaligned:one-bit"
    ]


@pytest.mark.parametrize("beside", range(1, 8))
def test_an_odd_place_that_one_bit_leads_to(beside: int) -> None:
    around = struct.pack("<QQ", MMAP + 0xF0, MMAP + 0xA0)
    value = int.from_bytes(around[beside : beside + 8], "little")
    first, second = struct.unpack("<QQ", around)
    made = pointed(value, {HEAP + 0x20: first, HEAP + 0x28: second})
    id = "S:misaligned:one-bit" if beside in (1, 2, 4) else "S:misaligned"
    assert [sign.id for sign in evidence(value_made_by_software(made))] == [id]


@pytest.mark.parametrize("first", [1, 2, 4])  # bytes before the pointer of a packed struct
def test_a_pointer_of_a_packed_struct_that_is_read_where_it_would_be_aligned(first: int) -> None:
    """ctypes without _pack_: "nothing speaks for one cause more than for another" was said."""
    packed = bytes(first) + struct.pack("<QQQ", MMAP + 0x300, 0x1234_5678_9ABC_DEF0, 0)
    words = dict(zip((HEAP + 0x20, HEAP + 0x28), struct.unpack("<QQ", packed[:16]), strict=True))
    value = words[HEAP + 0x28]
    read = failed(LOAD, PROTECTION, before="488b7f28", rdi=value, words={**words, HEAP + 0x80: 0})
    (sign,) = evidence(value_made_by_software(pointed(value, words)))
    assert sign.id == "S:misaligned"
    assert "a packed struct" in sign.summary
    assert [sign.id for sign in evidence(value_made_by_software(read))] == ["S:misaligned"]


# -- the same bit again ------------------------------------------------------------------------


def damaged(*words: tuple[int, int, int]) -> Context:
    """Return a context in which other checks found (address, right word, bit)."""
    made = failed(LOAD, fault_at(WILD), rdi=WILD)
    for where, right, bit in words:
        sign = word_evidence("R1", where, right ^ (1 << bit), right, "differs")
        made.evidence.append(sign)
    return made


def test_the_same_bit_again() -> None:
    two = damaged((HEAP + 8, 0x100, 5), (HEAP + 0x110, 0x200, 5))
    assert [sign.id for sign in evidence(recurring_flips(two))] == ["M2", "M2"]
    offset = damaged((HEAP + 8, 0x100, 5), (HEAP + 0x2008, 0x200, 5))
    assert [sign.id for sign in evidence(recurring_flips(offset))] == ["M3", "M3"]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ((HEAP, 0x100, 5),),
        ((HEAP, 0x100, 5), (HEAP + 64, 0x100, 5)),  # the same wrong word: copies of one
        ((HEAP, 0x100, 5), (HEAP + 64, 0x200, 6)),
        ((HEAP, 0x100, 5), (HEAP + 64, 0x220, 5)),  # the other direction
    ],
)
def test_no_bit_again(words: tuple[tuple[int, int, int], ...]) -> None:
    assert evidence(recurring_flips(damaged(*words))) == []


def test_searches_for_words_have_a_bound() -> None:
    made = pointed(BAD, {HEAP + 0x20: BAD, HEAP + 0x100: GOOD})
    assert made.places_of_word(GOOD, 4) == (HEAP + 0x100,)
    assert made.places_of_word(GOOD, 2) == (HEAP + 0x100,)
    made._search_left = 0
    assert made.places_of_word(GOOD, 4) == (HEAP + 0x100,)  # known already
    assert made.places_of_word(BAD, 4) == ()
    assert (made.was_searched(GOOD), made.was_searched(BAD)) == (True, False)
    assert "too much memory" in skipped(one_bit_pointer(made))[0].why


@pytest.mark.parametrize(
    ("perms", "path", "low", "expected"),
    [
        ("rw-p", "[heap]", 0xBA_8320, 0xBA_8320),
        ("rw-p", "[heap]", 0xBA_8321, None),  # a number beside another
        ("r--p", "/usr/bin/python3.13", 0x40_0120, None),
        ("rw-p", "/usr/bin/python3.13", 0xB0_0120, None),
        ("r--p", "/usr/lib/libc.so.6", 0x7FFF_F79B_0001, 0x7FFF_F79B_0001),
    ],
)
def test_a_mark_on_an_address_of_an_executable_at_a_fixed_address(
    perms: str, path: str, low: int, expected: int | None
) -> None:
    """Debian 13's python3.13 has its heap where small numbers are: there only blocks count."""
    page = low & ~0xFFF
    region = Region(page, page + 4096, perms, path, 0, 4096)
    target = state(crash(), extra_regions=[region]).target
    assert untagged_address(target, 1 << 62 | low) == expected
    assert untagged_address(target, low) is None


def test_where_whole_stacks_are_missing_threads_have_ended(monkeypatch) -> None:
    size, guard = 8 << 20, 0x1000
    whole, base = size + guard, 0x7F00_0000_0000
    regions = []
    for number in (0, 2, 3):  # the second one is gone
        low = base + number * whole
        regions += [Region(low, low + guard, "---p", None, 0, 0)]
        regions += [Region(low + guard, low + whole, "rw-p", None, 0, 0)]
    context: Any = SimpleNamespace(target=SimpleNamespace(regions=lambda: regions))
    home = "gdb_epi.corruption.checks.benign_causes"
    monkeypatch.setattr(f"{home}.is_on_stack", lambda _, at: at % whole == (base + guard) % whole)
    assert _gap_of_ended_stacks(context, base + 2 * whole - 0x115C) == whole
    assert _gap_of_ended_stacks(context, base + 3 * whole - 0x115C) is None  # in use
    regions[2:3] = [Region(base + 2 * whole - 0x2000, base + 2 * whole, "---p", None, 0, 0)]
    assert _gap_of_ended_stacks(context, base + 2 * whole - 0x4000) is None  # no whole stack
