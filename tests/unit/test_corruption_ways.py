# SPDX-License-Identifier: Apache-2.0
"""R5 over branches and loops, through arithmetic; what strides need; C2 over a local variable."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from support.faults import CALL_SITE, INDIRECT_SITE, PROTECTION, evidence, failed, fault_at, knowing
from support.scenes import HEAP, MMAP, PC, SP, STACK, crash

from gdb_epi.corruption.checks.control_flow import return_from_slot_below
from gdb_epi.corruption.checks.registers import register_values
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.pointers.software_explanations import may_stride_explain_bit
from gdb_epi.corruption.replay.code_map import ELSEWHERE, build_code_map, code_map_around
from gdb_epi.corruption.score import load_weights
from gdb_epi.target.api import CrashInfo, Region, Thread

LOAD = "488b07"  # mov (%rdi),%rax
GOOD = MMAP + 0x1240
BAD = GOOD ^ (1 << 41)
LANE = GOOD ^ 0x35 << 32
FIELD = "488b7b10"  # mov 0x10(%rbx),%rdi
OTHER = "488b7b18"  # mov 0x18(%rbx),%rdi


def found(made: Context) -> list[tuple[str, object, int | None]]:
    """Return what R5 says."""
    return [(sign.id, sign.where, sign.corrected) for sign in evidence(register_values(made))]


def told(before: str, held: int = BAD, died: CrashInfo | None = None, **more: Any) -> Context:
    """A function of `before` and the fault; its first byte is where the code begins."""
    words = {HEAP + 0x10: GOOD, HEAP + 0x18: GOOD, **more.pop("words", {})}
    made = failed(
        LOAD, died or fault_at(held), before=before, rdi=held, rbx=HEAP, words=words, **more
    )
    return knowing(made, PC - len(bytes.fromhex(before)), 0x40)


# -- code maps -----------------------------------------------------------------------------------


def test_a_code_map_tells_where_control_came_from() -> None:
    """je +2; jmp +4; mov; jmp to a register; the fault."""
    made = told("7402" + "eb05" + "4889c7" + "ffe0" + "90")
    start = PC - 10
    code_map = build_code_map(made, PC)
    assert code_map is not None
    assert code_map.begins_instruction(PC)
    assert not code_map.begins_instruction(start + 5)
    assert code_map.predecessors(start + 4) == [start]  # what lies above it jumps away
    assert code_map.predecessors(start + 9) == [start + 2]  # a jump through a register is no way
    assert code_map.predecessors(PC) == [PC - 1]
    made = knowing(made, start, 1 << 20)
    made._answers.clear()
    assert build_code_map(made, PC) is None  # too long


def test_code_around_a_place_of_a_very_long_function() -> None:
    """A branch far behind leads to the fault too, and bytes inside of an instruction do not."""
    made = told("90" * 200)
    target: Any = made.target
    target.write(PC + 0x700, b"\x0f\x84" + struct.pack("<i", -0x706))  # je to the fault
    target.write(PC + 0x720, b"\x48\xb8\x90\xe9" + struct.pack("<i", -0x728) + b"\x90\x90")
    knowing(made, PC - 0x80, 1 << 16)
    assert build_code_map(made, PC) is None
    code = code_map_around(made, PC)
    assert code is not None
    assert code.predecessors(PC) == [PC - 1, PC + 0x700]
    assert code.predecessors(PC - 1) == [PC - 2]


def split(before: str, part: str) -> Context:
    """A function as told() makes it, and the part that a compiler split off from it, behind it."""
    made = told(before)
    target: Any = made.target
    target.write(PC + 0x200, bytes.fromhex(part))
    start = PC - len(bytes.fromhex(before))
    return knowing(made, start, 0x40, (PC + 0x200, PC + 0x210))


def test_a_split_off_part_leads_back_into_its_function() -> None:
    """test; jne to the part; mov; the fault. The part jumps to the fault, or to no place of it."""
    leave = "4885c0" + "0f85" + struct.pack("<i", 0x200 + 4).hex() + FIELD
    back = "e9" + struct.pack("<i", -0x205).hex()
    code = build_code_map(split(leave, back), PC)
    assert code is not None
    assert code.predecessors(PC) == [PC - 4, ELSEWHERE]
    assert found(split(leave, back)) == []  # the part may have made rdi
    assert found(split(leave, "e9" + struct.pack("<i", 0x40).hex())) == [("R5", "rdi", GOOD)]


@pytest.mark.parametrize("relative", [True, False])
def test_a_table_of_jumps_leads_into_a_function(relative: bool) -> None:
    """lea table(%rip),%rcx; add; jmp *%rcx; mov; the fault: a case that is fallen into."""
    jump = ("488d0d" + "{}" + "4801c1" + "ffe1") if relative else ("ff24c5" + "{}")
    table = PC + 0x100 if relative else 0x40_1000
    size = len(jump.format("00000000")) // 2 + 4
    displacement = table - (PC - size + 7) if relative else table
    before = jump.format(struct.pack("<i", displacement).hex()) + FIELD
    for place, expected in ((PC, []), (PC + 1, [("R5", "rdi", GOOD)])):
        entry = struct.pack("<i", place - table) if relative else struct.pack("<Q", place)
        page = Region(table & -4096, (table & -4096) + 4096, "r--", None, 0, 0)
        made = told(before, extra_regions=[] if relative else [page])
        target: Any = made.target
        if not relative:
            target.memory[page.start] = bytearray(4096)
        target.write(table, entry)
        assert found(knowing(made, PC - size, 0x40)) == expected


# -- ways ----------------------------------------------------------------------------------------


def test_r5_on_both_ways_to_a_join() -> None:
    """test; je: one way loads from one place, the other from another one."""
    both = "4885c0" + "7406" + FIELD + "eb04" + OTHER  # the fault is where they meet
    assert set(found(told(both))) == {("R5", "rdi", GOOD)}
    explained = told(both, words={HEAP + 0x18: BAD})
    assert found(explained) == []  # the second way gives what rdi holds
    other = told("4885c0" + "7406" + FIELD + "eb03" + "488bf8" + "90")
    assert found(other) == []  # mov %rax,%rdi, and rax may be anything
    assert set(found(told(both, GOOD ^ 0x35 << 32))) == {("R5:lane", "rdi", GOOD)}


def test_r5_before_a_loop_that_leaves_the_register_alone() -> None:
    loop = failed(LOAD + "48ffc0" + "ebf8", fault_at(BAD), before=FIELD, rdi=BAD, rbx=HEAP,
                  words={HEAP + 0x10: GOOD})  # fmt: skip
    assert set(found(knowing(loop, PC - 4, 0x40))) == {("R5", "rdi", GOOD)}  # inc %rax; jmp
    moved = failed(LOAD + "4883c708" + "ebf7", fault_at(BAD), before=FIELD, rdi=BAD, rbx=HEAP,
                   words={HEAP + 0x10: GOOD})  # fmt: skip
    assert found(knowing(moved, PC - 4, 0x40)) == []  # add $8,%rdi


def test_r5_is_not_said_of_a_caller_that_called_something_else() -> None:
    """The word on the stack is a return address; but what was called there jumped to here."""
    made = failed(LOAD, fault_at(BAD), before="55", rdi=BAD, rbx=HEAP,
                  words={HEAP + 0x10: GOOD, SP + 8: CALL_SITE})  # fmt: skip
    target: Any = made.target
    for where, expected in ((PC - 1, [("R5", "rdi", GOOD)]), (PC + 0x80, [])):
        code = bytes.fromhex(FIELD) + b"\xe8" + struct.pack("<i", where - CALL_SITE)
        target.write(CALL_SITE - len(code), code)
        context = Context(made.state)
        knowing(context, PC - 1, 0x40, (CALL_SITE - len(code), CALL_SITE + 8))
        assert found(context) == expected


# -- arithmetic ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "before",
    [
        "488b7bf0" + "4883c320",  # mov -0x10(%rbx),%rdi; add $0x20,%rbx
        "4889df" + "4883e720" + "488b3c3b",  # mov; and $0x20; mov (%rbx,%rdi),%rdi
    ],
)
def test_r5_through_arithmetic(before: str) -> None:
    words = {HEAP - 0x30 + 0x1000: GOOD, HEAP + 0x1000: GOOD}
    made = told(before, words=words)
    made.fault.registers["rbx"] = HEAP + 0x1000  # type: ignore[union-attr,index]
    assert ("R5", "rdi", GOOD) in found(made)


def test_r5_adds_from_memory() -> None:
    """mov 0x10(%rbx),%rdi; add 0x20(%rbx),%rdi."""
    made = told(FIELD + "48037b20", words={HEAP + 0x10: GOOD - 0x40, HEAP + 0x20: 0x40})
    assert found(made) == [("R5", "rdi", GOOD)]
    near = told(FIELD + "48037b20", words={HEAP + 0x10: GOOD - 0x40, HEAP + 0x20: 0x50})
    assert found(near) == []


# -- what differs, and where both lead somewhere -------------------------------------------------


def test_r5_of_two_mapped_addresses_needs_the_same_low_digits() -> None:
    far = MMAP ^ 0x30 << 16 | 0x1240  # of another mapping
    extra = Region(far & -4096, (far & -4096) + 4096, "r--", None, 0, 0)
    died = fault_at(far, 2)
    made = told(FIELD, far, died, extra_regions=[extra])
    assert found(made) == [("R5:lane", "rdi", GOOD)]
    page = told(FIELD, far & -4096, died, extra_regions=[extra], words={HEAP + 0x10: MMAP})
    assert found(page) == []
    low = told(FIELD, GOOD ^ 0x30, died)
    assert found(low) == []


def test_r5_several_bits_near_a_mapping_in_a_process_of_several_threads() -> None:
    near = MMAP + 0x4040  # behind the mapping's end
    words = {HEAP + 0x10: MMAP + 0x40 + 0x0100}
    held = near + 0x100 + 0x3000
    made = told(FIELD, held, words=words)
    assert [sign[0] for sign in found(made)] == ["R5:lane"]
    threads: Any = made.target
    threads._threads = (*threads._threads, Thread(2, {"rsp": SP}, "other"))
    assert found(Context(made.state)) == []


# -- strides -------------------------------------------------------------------------------------


def test_what_may_stride() -> None:
    def may(bit: int, before: str = "9090", **held: Any) -> bool:
        return may_stride_explain_bit(told(before, **held), bit)

    assert not may(36)
    assert may(23)  # low bits are common
    assert may(36, rsi=1 << 36)
    assert may(36, rsi=1 << 33)  # of words
    assert not may(36, rsi=3 << 33)
    assert may(30, words={SP + 0x80: 5 << 32 | 1 << 27})  # an int
    assert may(36, words={SP - 0x80: 1 << 33})
    assert not may(36, words={SP + 0x1000: 1 << 33})
    assert may(34, rsi=0xFFFF_FFFF)  # -1 as an unsigned int
    assert not may(44, rsi=0xFFFF_FFFF)
    assert may(30, before="4881c700000008")  # add $0x8000000,%rdi
    assert may(36, rsi=33)  # 1 << 33
    assert not may(36, rsi=3)
    assert may(36, before="48d3e7")  # shl %cl,%rdi
    assert may_stride_explain_bit(failed(LOAD, fault_at(BAD), rdi=BAD), 36)  # no unwind tables


# -- C2 ------------------------------------------------------------------------------------------


def test_c2_what_was_popped_may_be_two_integers() -> None:
    odd, pair = STACK + 0x4008, 0x20_0000_0031
    words = {odd - 8: pair, odd: CALL_SITE}
    made = failed("", fault_at(pair), at=pair, words=words, rsp=odd)
    assert evidence(return_from_slot_below(made)) == []  # nothing is known of what was called
    made.target.write(PC, b"\xc3")  # type: ignore[attr-defined]
    assert [sign.id for sign in evidence(return_from_slot_below(knowing(made, PC)))] == ["C2"]
    kept = failed("", fault_at(pair), at=pair, words=words, rsp=odd, rax=pair)
    assert evidence(return_from_slot_below(kept)) == []  # jmp *%rax
    taken_back = [
        ("5bc3", 0, ["C2"]),  # pop %rbx; ret
        ("5b31c0c3", pair, ["C2"]),  # xor %eax,%eax between them; %rax has the word too
        ("5be900000100" + "5bc3", 0, ["C2"]),  # a direct jump out of it
        ("5be900000100" + "5bc3", pair, []),  # which may lead to a thunk
        ("f3c3", 0, ["C2"]),  # it uses no stack: the slot below its return address is an old one
        ("ffe05bc3", 0, ["C2"]),  # jmp *%rax, which would lead elsewhere
        ("ffe05bc3", pair, []),
        ("48890424c3", pair, []),  # mov %rax,(%rsp); ret
        ("53c3", 0, []),  # push %rbx; ret
        ("534889d8c3", 0, []),  # push %rbx; mov %rbx,%rax; ret
        ("5389d8f3c3", 0, []),  # hand-written, without the pop
        ("4889f45bc3", 0, []),  # mov %rsi,%rsp: another stack
        ("4889ec5bc3", 0, ["C2"]),  # mov %rbp,%rsp
    ]
    for code, rax, ids in taken_back:
        made = failed("", fault_at(pair), at=pair, words=words, rsp=odd, rbx=pair, rax=rax)
        made.target.write(PC, bytes.fromhex(code))  # type: ignore[attr-defined]
        assert [each.id for each in evidence(return_from_slot_below(knowing(made, PC)))] == ids
    pointer = HEAP + 0x18
    words = {odd - 8: pointer, odd: INDIRECT_SITE}
    for register, more, ids in (("rbx", {}, ["C2:indirect"]), ("rdx", {}, []),
                                ("rbx", {HEAP + 0x48: pointer}, [])):  # fmt: skip
        made = failed("", fault_at(pointer), at=pointer, words={**words, **more}, rsp=odd,
                      **{register: pointer})  # type: ignore[arg-type]  # fmt: skip
        assert [each.id for each in evidence(return_from_slot_below(made))] == ids
    words = {odd - 8: pair, odd: CALL_SITE}
    twice = failed("", fault_at(pair), at=pair, words={**words, HEAP + 8: pair}, rsp=odd)
    assert evidence(return_from_slot_below(twice)) == []
    assert crash().signo == 11


def test_r5_of_the_register_that_a_call_went_through() -> None:
    """mov 0x10(%rbx),%rax; mov %rsi,%rdi; call *%rax, where rax is not canonical."""
    held = GOOD | 0x83 << 48
    made = failed("ffd0", PROTECTION, before="488b4310" + "4889f7", rax=held, rbx=HEAP,
                  words={HEAP + 0x10: GOOD})  # fmt: skip
    assert ("R5:lane", "rax", GOOD) in found(knowing(made, PC - 7, 0x40))


def test_r5_behind_a_call_through_a_register_that_was_kept() -> None:
    """mov 0x20(%rbx),%rbp; call; mov (%rbp),%rdi: what rbp was loaded from still says the same."""
    words = {HEAP + 0x20: HEAP + 0x100, HEAP + 0x100: GOOD}
    made = told("488b6b20" + "e800000000" + "488b7d00", words=words, rbp=HEAP + 0x100)
    assert found(made) == [("R5", "rdi", GOOD)]
    stale = told("488b6b20" + "e800000000" + "488b7d00", words=words, rbp=0)
    assert found(stale) == []


@pytest.mark.parametrize("saved", [SP - 0x18, None])
def test_r5_of_a_register_that_a_function_may_have_saved(saved: int | None) -> None:
    """mov %rsp,%rbp; call; the function that was called saved rbp and took it back."""
    right, wrong = SP, SP ^ 1 << 50
    words = {} if saved is None else {saved: wrong, saved - 0x40: wrong}
    made = failed("488b4500", PROTECTION, before="4889e5" + "e800000000", rbp=wrong, words=words)
    (kept,) = evidence(register_values(knowing(made, PC - 8, 0x40)))
    assert (kept.id, kept.where, kept.corrected) == ("R5:kept", saved or "rbp", right)
    assert kept.path == ("unknown" if saved is None else "memory")
    assert ("left what it holds at" in kept.summary) == (saved is not None)
    near = failed("488b4500", PROTECTION, before="4889e5" + "90", rbp=wrong, words=words)
    assert found(knowing(near, PC - 4, 0x40)) == [("R5", "rbp", right)]


def test_only_a_cpu_speaks_for_hardware_by_a_register() -> None:
    """What a called function saved on the stack a stray write may have changed there."""
    items = load_weights().items
    for id in ("R5", "R5:lane"):
        kept = items[f"{id}:kept"]
        assert items[id].beyond_stores == ("hardware-cpu", 0.9)
        assert kept.beyond_stores is None
        assert (kept.llr, kept.answers) == (items[id].llr, items[id].answers)
