# SPDX-License-Identifier: Apache-2.0
"""The unwind tables' rules, and saved registers that the code says are equal: on made-up code."""

from __future__ import annotations

import struct

import pytest
from support.fake_target import FakeTarget

from gdb_epi.corruption.checks.saved_on_stack import saved_registers
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, Skipped
from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.machine import X86_64
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.api import CrashInfo, Module, Region, Thread
from gdb_epi.target.cfi import Unwinder, UnwindRule
from gdb_epi.target.function_bounds import PT_GNU_EH_FRAME, FunctionBounds

BASE, SIZE = 0x7F0000000000, 0x20000
TABLE, ENTRIES, CODE = 0x2000, 0x3000, 0x10000  # relative to BASE
STACK, HEAP = 0x7FFC00000000, 0x555500000000
RBX, RBP, RSP = 3, 6, 7  # numbers of DWARF

# CIE: version 1, "zR", code by 1, data by -8, column 16, pcrel sdata4; CFA = rsp + 8, rip at -8.
COMMON = b"\1zR\0\1\x78\x10\1\x1b" + b"\x0c\x07\x08\x90\x01"


def advance(by: int) -> bytes:
    return bytes([0x40 | by])


def saved(register: int, at: int) -> bytes:
    return bytes([0x80 | register, at // 8])


def offset(by: int) -> bytes:
    return bytes([0x0E, by])


def image(programs: list[bytes], starts: list[int], *, common: bytes = COMMON) -> dict[int, bytes]:
    """Return an object's memory: headers, the search table, a CIE and an entry per function."""
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    start = elf.EHDR.pack(ident, elf.ET_DYN, X86_64.number, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    start += elf.PHDR.pack(elf.PT_LOAD, 5, 0, 0, 0, SIZE, SIZE, 4096)
    start += elf.PHDR.pack(PT_GNU_EH_FRAME, 4, TABLE, TABLE, 0, 64, 64, 4)
    frames = struct.pack("<II", 4 + len(common), 0) + common
    rows = b""
    for program, at in zip(programs, starts, strict=True):
        entry = ENTRIES + len(frames)
        rows += struct.pack("<ii", at - TABLE, entry - TABLE)
        body = struct.pack("<iI", at - (entry + 8), 0x40) + b"\0" + program
        frames += struct.pack("<II", 4 + len(body), len(frames) + 4) + body
    head = struct.pack("<BBBBiI", 1, 0x1B, 3, 0x3B, 0, len(starts)) + rows
    data = head.ljust(ENTRIES - TABLE, b"\0") + frames
    return {BASE: start.ljust(PAGE, b"\0"), BASE + TABLE: data}


def unwinder(program: bytes, *, common: bytes = COMMON) -> Unwinder:
    absent = Absent(NOT_AVAILABLE, "none")
    module = Module("/lib/l.so", BASE, BASE, BASE + SIZE, None, absent)
    memory = image([program], [CODE], common=common)
    target = FakeTarget(modules=[module], memory=memory)
    return Unwinder(target, FunctionBounds(target))


PUSHES = advance(1) + offset(16) + saved(RBP, 16) + advance(2) + offset(24) + saved(RBX, 24)


@pytest.mark.parametrize(
    ("program", "at", "expected"),
    [
        (PUSHES, 0, UnwindRule("rsp", 8, {"rip": -8})),
        (PUSHES, 1, UnwindRule("rsp", 16, {"rip": -8, "rbp": -16})),
        (PUSHES, 0x3F, UnwindRule("rsp", 24, {"rip": -8, "rbp": -16, "rbx": -24})),
        (PUSHES + b"\x0d\x06", 5, UnwindRule("rbp", 24, {"rip": -8, "rbp": -16, "rbx": -24})),
        (b"\x0c\x06\x10", 0, UnwindRule("rbp", 16, {"rip": -8})),
        (b"\x0a" + PUSHES + b"\x0b", 9, UnwindRule("rsp", 8, {"rip": -8})),  # remember, restore
        (PUSHES + bytes([0xC0 | RBP]), 9, UnwindRule("rsp", 24, {"rip": -8, "rbx": -24})),
        (b"\x02\x05" + offset(32), 4, UnwindRule("rsp", 8, {"rip": -8})),
        (b"\x03\x05\x00" + offset(32), 5, UnwindRule("rsp", 32, {"rip": -8})),
        (b"\x05\x0c\x02", 0, UnwindRule("rsp", 8, {"rip": -8, "r12": -16})),
        (b"\x10\x06\x02\x77\x08", 0, UnwindRule("rsp", 8, {"rip": -8})),  # rbp by an expression
        (b"\x2e\x10", 0, UnwindRule("rsp", 8, {"rip": -8})),  # DW_CFA_GNU_args_size
        (b"\x0f\x02\x77\x08", 0, None),  # the CFA by an expression
        (b"\x07\x10", 0, None),  # no return address: the outermost function
        (b"\x3f", 0, None),  # nothing that is known
        (b"\x0b", 0, None),  # restored, never remembered
        (b"\x0e", 0, None),  # cut off
        (b"\x0e" + b"\xff" * 12, 0, None),  # a number without end
    ],
)
def test_the_rule_at_an_instruction(program: bytes, at: int, expected: UnwindRule | None) -> None:
    assert unwinder(program).rule(BASE + CODE + at) == expected


@pytest.mark.parametrize("common", [COMMON.replace(b"zR", b"zS"), b"\4" + COMMON[1:], b"\1zR"])
def test_what_compilers_do_not_write_is_not_guessed(common: bytes) -> None:
    assert unwinder(PUSHES, common=common).rule(BASE + CODE) is None


# --- saved registers ------------------------------------------------------------------------------

MIDDLE, OUTER, INNER = CODE + 0x40, CODE + 0x80, CODE + 0xC0
CALL_AT = 4  # in MIDDLE
OBJECT = HEAP + 0x1000
KEPT_AT, OURS_AT = 8, 0  # above rsp: rbp of MIDDLE, rbx of OUTER, as INNER saved them


def call(at: int, to: int) -> bytes:
    return b"\xe8" + struct.pack("<i", to - at - 5)


def code(*, more: bytes = b"", indirect: bool = False) -> bytes:
    """Return INNER, which fails, MIDDLE, which keeps its argument in rbp, and OUTER."""
    inner = b"\x55\x53\x48\x8b\x00"  # push rbp; push rbx; mov rax, [rax]
    middle = b"\x55\x48\x89\xfd" + call(MIDDLE + CALL_AT, INNER) + more + b"\x5d\xc3"
    outer = b"\x53\x48\x89\xfb\x48\x89\xdf"  # push rbx; mov rbx, rdi; mov rdi, rbx
    outer += b"\xff\xd0" if indirect else call(OUTER + 7, MIDDLE)
    outer += b"\x5b\xc3"
    return b"".join(
        function_code.ljust(64, b"\x90") for function_code in (b"", middle, outer, inner)
    )


def crashed(kept: int, ours: int, **how: object) -> list[Evidence | Skipped]:
    """Return what R23 finds when MIDDLE's rbp and OUTER's rbx hold these words."""
    push_rbp = advance(1) + offset(16) + saved(RBP, 16)
    push_rbx = advance(1) + offset(16) + saved(RBX, 16)
    inner = push_rbp + advance(1) + offset(24) + saved(RBX, 24)
    text = code(**how)  # type: ignore[arg-type]
    behind = 9 if how.get("indirect") else 12
    words = [ours, kept, BASE + MIDDLE + CALL_AT + 5, 0, BASE + OUTER + behind, 0, 0, 0]
    memory = image([push_rbp, push_rbx, inner], [MIDDLE, OUTER, INNER])
    memory[BASE + CODE] = text
    memory[STACK] = struct.pack(f"<{len(words)}Q", *words)
    memory[HEAP] = bytes(0x2000)
    absent = Absent(NOT_AVAILABLE, "none")
    registers = {"rip": BASE + INNER + 2, "rsp": STACK, "rax": 0, "rbx": 1, "rbp": 2}
    target = FakeTarget(
        modules=[Module("/lib/l.so", BASE, BASE, BASE + SIZE, None, absent)],
        memory=memory,
        regions=[
            Region(BASE, BASE + SIZE, "r-x", "/lib/l.so", 0, SIZE),
            Region(STACK, STACK + 0x1000, "rw-", "[stack]", 0, 0x1000),
            Region(HEAP, HEAP + 0x2000, "rw-", None, 0, 0x2000),
        ],
        threads=[Thread(1, registers, None)],
        crash=CrashInfo(11, 1, 0, 0, None, None, 1),
    )
    return list(saved_registers(Context(ProcessState(target), sweep=True)))


def named(outcomes: list[Evidence | Skipped]) -> list[tuple[object, object, object]]:
    evidence = [sign for sign in outcomes if isinstance(sign, Evidence)]
    assert {sign.id for sign in evidence} <= {"R23"}
    return [(sign.where, sign.found, sign.corrected) for sign in evidence]


def test_the_word_that_leads_nowhere_is_named() -> None:
    wrong = OBJECT ^ 1 << 40
    assert named(crashed(wrong, OBJECT)) == [(STACK + KEPT_AT, wrong, OBJECT)]
    assert named(crashed(OBJECT, wrong)) == [(STACK + OURS_AT, wrong, OBJECT)]


@pytest.mark.parametrize(
    ("kept", "ours"),
    [
        (OBJECT, OBJECT),
        (OBJECT ^ 3 << 40, OBJECT),  # two bits: not one error of memory
        (OBJECT, 5),
        (4, 5),  # no pointers: nothing says which is right
        (OBJECT ^ 1 << 40, OBJECT ^ 1 << 41),
    ],
)
def test_other_words_say_nothing(kept: int, ours: int) -> None:
    assert not named(crashed(kept, ours))


def test_code_that_does_not_say_so_proves_nothing() -> None:
    wrong = OBJECT ^ 1 << 40
    changes_it = b"\x48\x83\xc5\x08"  # add rbp, 8
    leads_back = b"\xeb" + struct.pack("b", 1 - (CALL_AT + 5 + 2))  # to the copy
    assert named(crashed(wrong, OBJECT, more=b"\x90"))
    assert not named(crashed(wrong, OBJECT, more=changes_it))
    assert not named(crashed(wrong, OBJECT, more=leads_back))
    assert not named(crashed(wrong, OBJECT, indirect=True)), "a jump may have come in between"


def test_an_end_of_a_string_one_byte_too_far_is_no_flip() -> None:
    right = BASE + MIDDLE  # where a function begins; elsewhere in the code none does
    wrong = right ^ 0x800
    assert named(crashed(wrong, right)) == [(STACK + KEPT_AT, wrong, right)]
    assert not named(crashed(right & ~0xFF, right))
