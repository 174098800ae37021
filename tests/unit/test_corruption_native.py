# SPDX-License-Identifier: Apache-2.0
"""Trails, marks, R12, R19, C7:copy, C7:called, M:line: a hit, a near miss, absent data of each."""

from __future__ import annotations

import struct

import pytest
from support.fake_target import FakeTarget
from support.faults import CALL_SITE, PROTECTION, evidence, failed, fault_at, knowing
from support.scenes import FS_BASE, HEAP, MMAP, PC, SP, STACK, TEXT, crash

from gdb_epi.corruption.checks.control_flow import (
    jump_into_function_body,
    return_address_beside_rip,
)
from gdb_epi.corruption.checks.flipped_words import one_bit_pointer, zeroed_cache_line
from gdb_epi.corruption.checks.malloc_heap import malloc_links
from gdb_epi.corruption.checks.registers import register_values
from gdb_epi.corruption.checks.saved_on_stack import frame_pointer
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import MEMORY, REGISTER, Evidence, plain_evidence
from gdb_epi.corruption.heap.address_index import BLOCK, ThingAtAddress, address_index
from gdb_epi.corruption.score import compute_score
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import CrashInfo, Region, Thread
from gdb_epi.target.cfi import Unwinder, UnwoundFrame
from gdb_epi.target.function_bounds import Function

LOAD = "488b07"  # mov (%rdi),%rax
WILD = 0x7ABC_1234_5678
GOOD = MMAP + 0x1240
BAD = GOOD ^ (1 << 41)
FIELD = "488b7b10"  # mov 0x10(%rbx),%rdi


# -- trails: R5 through callers, callees and the stack -----------------------------------------


def called_with(before_call: str, entry: str, **more: int) -> Context:
    """The function at the fault was called from CALL_SITE, behind `before_call`; `entry` ran."""
    start = PC - len(bytes.fromhex(entry))
    made = failed(
        LOAD, fault_at(BAD), before=entry, rdi=BAD, rbx=HEAP,
        words={HEAP + 0x10: GOOD, SP + 8: CALL_SITE}, **more,
    )  # fmt: skip
    code = bytes.fromhex(before_call) + b"\xe8" + struct.pack("<i", start - CALL_SITE)
    made.target.write(CALL_SITE - len(code), code)  # type: ignore[attr-defined]
    return knowing(made, start, 0x100, (CALL_SITE - 0x80, CALL_SITE + 0x80))


def test_r5_finds_the_load_in_the_caller() -> None:
    signs = evidence(register_values(called_with(FIELD, "55")))  # push %rbp
    assert [(sign.id, sign.where, sign.corrected) for sign in signs] == [("R5", "rdi", GOOD)]
    lane = called_with(FIELD, "55")
    lane.target.write(HEAP + 0x10, struct.pack("<Q", BAD | 0xFF << 40))  # type: ignore[attr-defined]
    assert evidence(register_values(lane)) == []  # BAD is no better than that


@pytest.mark.parametrize(
    ("before_call", "entry"),
    [
        (FIELD + "4801c7", "55"),  # add %rax,%rdi: another value was passed
        (FIELD, "4801c755"),  # the called function changed it
        (FIELD, "5555"),  # the word above two pushes is no return address
    ],
)
def test_r5_in_the_caller_near_misses(before_call: str, entry: str) -> None:
    assert evidence(register_values(called_with(before_call, entry))) == []


def returning(tail: str, then: str = "4889c7") -> Context:
    """A function that ends with `tail` was called, then came `then` (mov %rax,%rdi)."""
    start = TEXT + 0x800
    code = bytes.fromhex(tail + "c3")
    before = "e8" + struct.pack("<i", start - (PC - len(bytes.fromhex(then)))).hex() + then
    made = failed(
        LOAD, fault_at(BAD), before=before, rdi=BAD, rax=BAD, rbx=HEAP, words={HEAP + 0x10: GOOD}
    )
    made.target.write(start, code)  # type: ignore[attr-defined]
    return knowing(made, PC - 0x40, 0x80, (start, start + len(code)))


def test_r5_finds_what_a_function_returned() -> None:
    signs = evidence(register_values(returning("488b4310")))  # mov 0x10(%rbx),%rax
    assert {(sign.id, sign.where, sign.corrected) for sign in signs} == {
        ("R5", "rax", GOOD), ("R5", "rdi", GOOD),
    }  # fmt: skip
    assert evidence(register_values(returning("488b4310" + "4801c8"))) == []  # add %rcx,%rax
    two = returning("488b4310" + "c3" + "488b4318")  # another return gives what rax holds
    two.target.write(HEAP + 0x18, struct.pack("<Q", BAD))  # type: ignore[attr-defined]
    assert evidence(register_values(two)) == []
    leaving = returning("0f84" + struct.pack("<i", 0x800).hex() + "488b4310")
    assert evidence(register_values(leaving)) == []  # je to a part that was split off


def test_r5_through_a_spilled_register() -> None:
    """What the trail itself stored is what its load gave, though memory holds the wrong word."""
    before = "488b4310" + "4889442408" + "488b7c2408"  # mov 0x10(%rbx),%rax; spill; reload
    held = {HEAP + 0x10: GOOD, SP + 8: BAD}
    made = failed(LOAD, fault_at(BAD), before=before, rdi=BAD, rbx=HEAP, rax=0, words=held)
    assert {sign.corrected for sign in evidence(register_values(made)) if sign.where == "rdi"} == {
        GOOD
    }
    lost = before[:8] + "4889442408" + "890c24" + "894c2408" + "488b7c2408"  # half of it again
    made = failed(LOAD, fault_at(BAD), before=lost, rdi=BAD, rbx=HEAP, rax=0, words=held)
    assert not [sign for sign in evidence(register_values(made)) if sign.where == "rdi"]


def kept(held: int, memory: int) -> Context:
    """A register that calls keep was loaded before one: mov 0x10(%rbp),%rbx; call; mov (%rbx)."""
    made = failed("488b03", fault_at(held), before="488b5d10" + "e800000000", rbx=held, rbp=HEAP,
                  words={HEAP + 0x10: memory})  # fmt: skip
    return knowing(made, PC - 9, 32)


def test_r5_before_a_call_only_what_names_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in memory now may be what realloc() gave since."""
    made = kept(BAD, GOOD)
    assert evidence(register_values(made)) == []
    made = kept(BAD, GOOD)
    monkeypatch.setattr(
        address_index(made),
        "pointee_at",
        lambda at: ThingAtAddress(BLOCK, "malloc") if at == GOOD else None,
    )
    assert [(sign.where, sign.corrected) for sign in evidence(register_values(made))] == [
        ("rbx", GOOD)
    ]


# -- marks -------------------------------------------------------------------------------------


def marked(words: dict[int, int], code: str = "") -> Context:
    """rdi, and it alone, holds a pointer with a single top bit; memory holds the right one."""
    held = {HEAP + 0x100: GOOD, **words}
    return failed(LOAD + code, PROTECTION, rdi=GOOD | 1 << 60, words=held)


def ambiguous(context: Context) -> bool:
    signs = evidence(one_bit_pointer(context))
    assert signs
    return all("tag" in (sign.ambiguous or "") for sign in signs)


def test_a_top_bit_in_a_register_of_a_program_without_marks() -> None:
    assert not ambiguous(marked({}))
    assert ambiguous(marked({HEAP + 0x40: HEAP | 1 << 60}))  # it marks other pointers so
    assert not ambiguous(marked({HEAP + 0x40: HEAP | 1 << 59}))
    assert ambiguous(marked({HEAP + 0x40: GOOD | 1 << 60}))  # the word itself stands in memory


@pytest.mark.parametrize(
    "code",
    [
        "48b80000000000000010",  # movabs $1<<60,%rax
        "480fbae83c",  # bts $60,%rax
        "48c1e03c",  # shl $60,%rax
    ],
)
def test_a_top_bit_that_the_code_can_set_is_ambiguous(code: str) -> None:
    assert ambiguous(marked({}, code))


def test_a_top_bit_is_ambiguous_where_the_code_cannot_be_read() -> None:
    made = marked({})
    made.target.memory.pop(TEXT)  # type: ignore[attr-defined]
    assert all(sign.ambiguous for sign in evidence(one_bit_pointer(made)))


# -- C7 ----------------------------------------------------------------------------------------


def entered(words: dict[int, int], **more: int) -> Context:
    made = failed(LOAD, fault_at(WILD), rdi=WILD, words=words, **more)
    return knowing(made, START, PC - START + 0x100, (CALL_SITE - 0x80, CALL_SITE + 0x80))


INSIDE = PC - 5  # 0xfb
START = INSIDE ^ 1 << 6


def test_c7_copy_asks_for_two_that_hold_the_right_pointer() -> None:
    held = {HEAP + 64: INSIDE, HEAP + 128: START, HEAP + 192: START}
    assert [sign.id for sign in evidence(jump_into_function_body(entered(held)))] == ["C7:copy"]
    del held[HEAP + 192]
    assert [sign.id for sign in evidence(jump_into_function_body(entered(held)))] == ["C7"]
    held |= {HEAP + 192: START, HEAP + 256: INSIDE}
    assert [sign.id for sign in evidence(jump_into_function_body(entered(held)))] == ["C7"]


@pytest.mark.parametrize(("callee", "ids"), [(START, []), (START + 16, ["C7"])])
def test_c7_asks_for_no_pointer_where_a_direct_call_led_to_the_start(
    callee: int, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = entered({HEAP + 64: INSIDE, HEAP + 128: START})
    code = b"\xe8" + struct.pack("<i", callee - CALL_SITE)
    made.target.write(CALL_SITE - len(code), code)  # type: ignore[attr-defined]
    frames = [UnwoundFrame(pc, {}, SP + 16, {}) for pc in (PC, CALL_SITE)]
    monkeypatch.setattr(Unwinder, "walk", lambda self, registers: iter(frames))
    assert [sign.id for sign in evidence(jump_into_function_body(made))] == ids


RIGHT, RAN = TEXT + 0x628, TEXT + 0x900
WRONG = RIGHT ^ 1 << 3


def popped(*below: int, wrong: int = WRONG, ran: int = 12) -> Context:
    """A return went to `wrong` instead of RIGHT; `below` lies under the slot that was popped."""
    words = {SP - 8: wrong, **{SP - 16 - 8 * n: word for n, word in enumerate(below)}}
    made = failed(LOAD, fault_at(WILD), at=wrong + ran, rdi=WILD, words=words)
    made.target.write(RIGHT - 5, b"\xe8" + struct.pack("<i", RAN - RIGHT))  # type: ignore[attr-defined]
    made.target.write(RAN + 8, b"\xe8\0\0\0\0")  # type: ignore[attr-defined]
    return knowing(made, WRONG - 0x40, 0x100, (RAN, RAN + 0x40))


def test_c7_called_asks_for_the_function_that_returned() -> None:
    assert [sign.id for sign in evidence(jump_into_function_body(popped(RAN + 13)))] == [
        "C7:called"
    ]
    assert [sign.id for sign in evidence(jump_into_function_body(popped(RAN + 14)))] == ["C7"]
    assert [sign.id for sign in evidence(jump_into_function_body(popped()))] == ["C7"]


def test_c7_popped_asks_for_the_word_that_was_popped_last() -> None:
    for bit in (3, 11):  # the latter is in no function that is known
        (sign,) = evidence(return_address_beside_rip(popped(wrong=RIGHT ^ 1 << bit, ran=0)))
        assert (sign.id, sign.where, sign.corrected) == ("C7:popped", SP - 8, RIGHT)
    assert evidence(return_address_beside_rip(popped(wrong=RIGHT ^ 1 << 11))) == [], "it ran on"
    assert evidence(return_address_beside_rip(popped(wrong=RIGHT ^ 3 << 9, ran=0))) == [], (
        "two bits"
    )
    assert evidence(return_address_beside_rip(popped(wrong=RIGHT & ~0xFF, ran=0))) == [], (
        "a byte of zeros"
    )


# -- R19 ---------------------------------------------------------------------------------------

PROLOGUE = "55" + "4889e5" + "53" + "4883ec28"  # push %rbp; mov %rsp,%rbp; push %rbx; sub $40,%rsp
DEPTH = 8 + 0x28


def framed(rbp: int, prologue: str = PROLOGUE) -> Context:
    size = len(bytes.fromhex(prologue))
    made = failed(LOAD, fault_at(WILD), before=prologue, rdi=WILD, rbp=rbp)
    return knowing(made, PC - size, size + 3)


@pytest.mark.parametrize("bit", [0, 2, 14, 40])
def test_r19_the_frame_pointer_is_one_bit_off(bit: int) -> None:
    signs = evidence(frame_pointer(framed(SP + DEPTH ^ 1 << bit)))
    assert [(sign.id, sign.where, sign.corrected, sign.bits, sign.path) for sign in signs] == [
        ("R19", "rbp", SP + DEPTH, (bit,), REGISTER)
    ]


@pytest.mark.parametrize(
    "made",
    [
        framed(SP + DEPTH),
        framed(SP + DEPTH ^ 3 << 40),
        framed(SP + DEPTH ^ 1 << 4),  # one push that was not counted
        framed(
            SP + DEPTH ^ 1 << 40, PROLOGUE + "50"
        ),  # the push is the last step: still on the way
        framed(SP + DEPTH ^ 1 << 40, "55" + "4883ec28"),  # no frame pointer
        framed(SP + DEPTH ^ 1 << 40, PROLOGUE + "7400" + "50" + "90"),  # a push behind a branch
        framed(SP + DEPTH ^ 1 << 40, PROLOGUE + "4829c4" + "90"),  # sub %rax,%rsp
        framed(SP + DEPTH ^ 1 << 40, PROLOGUE + "c9"),  # leave
    ],
)
def test_r19_near_misses(made: Context) -> None:
    assert evidence(frame_pointer(made)) == []


def smashed(rbp: int, canary: int, symptom: str = "S:abort-fortify") -> Context:
    """A function with a frame pointer called __stack_chk_fail; `rbp` was saved below its frame."""
    code = bytes.fromhex(PROLOGUE) + b"\xe8" + struct.pack("<i", FAILING - MISSED)
    frame = SP + 0x100
    words = {frame - 8: MISSED, SP + 0x20: rbp, frame + 24: canary, FS_BASE + 0x28: CANARY}
    made = failed("", crash(6, -6), words=words, rbp=1, fs_base=FS_BASE)
    made.target.write(MISSED - len(code), code)  # type: ignore[attr-defined]
    made.target._symbols["__stack_chk_fail"] = FAILING  # type: ignore[attr-defined]
    made.evidence.append(Evidence(symptom, "", None, None, (), "unknown", "", {}))
    return knowing(made, MISSED - len(code), len(code))


MISSED, FAILING, CANARY = TEXT + 0x700, TEXT + 0xA00, 0x9F3C1D5E7B2A4400


def test_r19_where_a_canary_was_missed_that_is_whole() -> None:
    right = SP + 0x100 + DEPTH
    (sign,) = evidence(frame_pointer(smashed(right ^ 1 << 4, CANARY)))
    assert (sign.id, sign.where, sign.corrected, sign.path) == ("R19", SP + 0xF0, right, MEMORY)
    for near_miss in (
        smashed(right, CANARY),
        smashed(right ^ 1 << 4, CANARY ^ 1 << 8),  # it was overwritten indeed
        smashed(right ^ 1 << 4, CANARY, "S:abort-malloc"),  # the stack has a pointer to a function
    ):
        assert evidence(frame_pointer(near_miss)) == []


def test_r19_absent() -> None:
    made = framed(SP + DEPTH ^ 1 << 40)
    made.target.memory.pop(TEXT)  # type: ignore[attr-defined]
    assert evidence(frame_pointer(made)) == []


# -- R12 ---------------------------------------------------------------------------------------

BIN = 0x7F10_0000_0000
CHUNKS = [0x290, 0x90, 0x40, 0x90, 0x40, 0x90, 0x40]  # the 0x90s are free, in one bin
FREED = (0x290, 0x360, 0x430)


def bins(**changed: int) -> Context:
    """A heap with three chunks in a bin; `w0x2a0=...` changes the word at that offset."""
    data = bytearray(0x1000)
    at = 0
    for number, size in enumerate(CHUNKS):
        in_use = number == 0 or CHUNKS[number - 1] != 0x90
        struct.pack_into("<Q", data, at + 8, size | in_use)
        at += size
        if size == 0x90:
            struct.pack_into("<Q", data, at, size)
    struct.pack_into("<Q", data, at + 8, len(data) - at | 1)
    ring = [BIN, *(HEAP + offset for offset in FREED), BIN]
    for before, chunk, behind in zip(ring, ring[1:-1], ring[2:], strict=False):
        struct.pack_into("<QQ", data, chunk - HEAP + 16, behind, before)
    for name, word in changed.items():
        struct.pack_into("<Q", data, int(name[1:], 16), word)
    head = bytearray(0x1000)
    struct.pack_into("<QQ", head, 16, ring[1], ring[-2])
    target = FakeTarget(
        regions=[
            Region(HEAP, HEAP + len(data), "rw-", None, 0, len(data)),
            Region(BIN, BIN + len(head), "rw-", None, 0, len(head)),
        ],
        memory={HEAP: bytes(data), BIN: bytes(head)},
        threads=[Thread(7, {"rsp": STACK}, None)],
        crash=CrashInfo(6, -6, 0, None, 7, 0, 7),
    )
    return Context(ProcessState(target))


def test_r12_links_that_answer_each_other_are_no_evidence() -> None:
    assert list(malloc_links(bins())) == []


@pytest.mark.parametrize("bit", [0, 4, 30, 46, 60])
def test_r12_a_link_one_bit_off(bit: int) -> None:
    right = HEAP + FREED[1]
    (sign,) = malloc_links(bins(w0x2a0=right ^ 1 << bit))
    assert (sign.id, sign.where, sign.corrected, sign.bits, sign.path) == (
        "R12", HEAP + 0x2A0, right, (bit,), MEMORY,
    )  # fmt: skip


@pytest.mark.parametrize("word", [HEAP + FREED[1] ^ 0x30, HEAP + FREED[2]])
def test_r12_other_words_are_none(word: int) -> None:
    assert list(malloc_links(bins(w0x2a0=word))) == []


@pytest.mark.parametrize("word", [0, 0x4141414141414141])
def test_a_link_that_leads_nowhere_was_written_over(word: int) -> None:
    (sign,) = malloc_links(bins(w0x2a0=word))
    assert (sign.id, sign.where, sign.bits) == ("S:overwritten-place", HEAP + 0x2A0, ())
    assert "the link in the freed block of" in sign.summary
    assert f"it holds {word:#x}" in sign.summary


# -- M:line ------------------------------------------------------------------------------------

AT = HEAP + 0x200  # a cache line
NULL_TYPE = "488b4708" + "488b4058"  # mov 0x8(%rdi),%rax; mov 0x58(%rax),%rax


def zeroed(count: int = 2, **changed: int) -> Context:
    """An object begins on a line of zeros; its type, NULL, was used."""
    words = {AT - 16: MMAP, AT - 8: MMAP + 64, AT + 64: 9, AT + 72: 17, AT: count}
    words |= {AT + int(name[1:], 16): word for name, word in changed.items()}
    return failed(NULL_TYPE[8:], fault_at(0x58), before=NULL_TYPE[:8], rdi=AT, rax=0, words=words)


def test_a_line_of_zeros_but_for_the_count_that_was_taken_since() -> None:
    assert [(sign.id, sign.where) for sign in evidence(zeroed_cache_line(zeroed()))] == [
        ("M:line", AT)
    ]
    # Of a struct that nobody set eight fields may lie so.
    assert [sign.id for sign in evidence(zeroed_cache_line(zeroed(0)))] == ["M:line:block"]


@pytest.mark.parametrize(
    "made",
    [
        zeroed(1 << 20),  # no count
        zeroed(w10=1),  # another word that is not zero
        zeroed(**{"w-8": 0}),  # more than the line is zero
        zeroed(w40=0, w48=0),
    ],
)
def test_other_zeros_are_no_line(made: Context) -> None:
    assert evidence(zeroed_cache_line(made)) == []


def test_a_line_that_begins_with_a_block_takes_the_sign_of_software_and_claims_nothing() -> None:
    """memset() of an object makes it as well, and mostly ends elsewhere."""
    (weak,) = evidence(zeroed_cache_line(zeroed(**{"w-8": 0x21})))
    assert weak.id == "M:line:block"
    sign = plain_evidence("S:null-read", "", "a NULL")
    score = compute_score([sign, weak])
    assert (score.word, score.answered >= {"S:null-read"}) == ("none", True)
    assert (
        evidence(zeroed_cache_line(zeroed(**{"w-8": 0x21, "w40": 0}))) == []
    )  # it goes on behind the line


def test_the_functions_of_a_test_are_what_they_say() -> None:
    made = knowing(failed(LOAD, fault_at(WILD), rdi=WILD), PC, 16)
    assert made.functions.function_at(PC) == Function(PC, PC + 16)
