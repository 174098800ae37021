# SPDX-License-Identifier: Apache-2.0
"""R5 at a repeated string operation, which has moved its registers when it fails on its way."""

from __future__ import annotations

from typing import Any

import pytest
from support.faults import evidence, failed, fault_at
from support.scenes import HEAP, MMAP, MMAP_SIZE, PC, PID, SP, crash

from gdb_epi.corruption.checks.registers import register_values
from gdb_epi.corruption.context import Context
from gdb_epi.target.api import Thread
from gdb_epi.x86 import decode

STORE, STORE_ONCE, MOVE = "f3aa", "aa", "f3a4"  # rep stosb, stosb, rep movsb
TO = "4889df"  # mov %rbx,%rdi
FROM = "4889de"  # mov %rbx,%rsi
COUNT = "4889d1"  # mov %rdx,%rcx
NUMBER = "b900100000"  # mov $0x1000,%ecx
KEEP = "4889fa"  # mov %rdi,%rdx
END = MMAP + MMAP_SIZE  # one bit from MMAP, as the end of each mapping of 2^k bytes there
BAD = MMAP ^ 1 << 41  # one bit from MMAP too, but nothing lies before it
INSIDE = 0x240  # of a page


def failing(before: str, held: int, code: str = STORE, **more: int) -> Context:
    """A process that copied MMAP or a place in it, and holds something else at the fault."""
    given = {"rbx": MMAP, "rdi": held, "rcx": 0x700, **more}
    return failed(code, fault_at(held), before=before, **given)


def compared(made: Context) -> list[tuple[str, object, int | None]]:
    return [(piece.id, piece.where, piece.corrected) for piece in evidence(register_values(made))]


def test_which_instructions_repeat() -> None:
    for code, expected in (
        ("f3aa", True), ("f348ab", True), ("f3a4", True), ("f2ae", True), ("aa", False),
        ("f30f1efa", False), ("f30f6f07", False), ("f390", False), ("488b07", False),
    ):  # fmt: skip
        instruction = decode(bytes.fromhex(code) + bytes(8))
        assert instruction is not None
        assert instruction.repeated is expected, code


@pytest.mark.parametrize(
    ("before", "more"),
    [
        (TO, {}),
        (COUNT + TO, {"rdx": 0x4700}),  # the count has gone down
        (NUMBER + TO, {}),
        (TO + KEEP, {"rdx": MMAP}),  # the copy is what rdi was
    ],
)
def test_what_ran_past_the_end_is_not_one_bit_wrong(before: str, more: dict[str, int]) -> None:
    """The mapping has 2^14 bytes and begins at a multiple of that: its end is one bit off."""
    assert (MMAP ^ END).bit_count() == 1
    assert compared(failing(before, END, **more)) == []
    assert compared(failing(before, END - 32, **more)) == []  # as the block that holds the edge


def test_what_was_read_past_the_end_is_not_one_bit_wrong() -> None:
    made = failed(MOVE, fault_at(END), before=FROM, rbx=MMAP, rsi=END, rdi=HEAP, rcx=0x700)
    assert compared(made) == []
    within = failed(
        MOVE, fault_at(BAD + INSIDE), before=FROM, rbx=MMAP + INSIDE, rsi=BAD + INSIDE,
        rdi=HEAP, rcx=0x700,
    )  # fmt: skip
    assert compared(within) == [("R5", "rsi", MMAP + INSIDE)]  # where it writes to says nothing


@pytest.mark.parametrize(
    ("before", "held", "code", "more"),
    [
        (TO, BAD, STORE_ONCE, {}),  # one byte: nothing moves before it fails
        (COUNT + TO, BAD, STORE, {"rdx": 0x700}),  # the count is whole
        (NUMBER + TO, BAD, STORE, {"rcx": 0x1000}),
        (TO + KEEP, BAD, STORE, {"rdx": BAD}),
        (TO, BAD + INSIDE, STORE, {"rbx": MMAP + INSIDE}),  # what lies before it is not there too
    ],
)
def test_what_failed_at_once_is_compared(
    before: str, held: int, code: str, more: dict[str, int]
) -> None:
    right = more.get("rbx", MMAP)
    assert ("R5", "rdi", right) in compared(failing(before, held, code, **more))


def test_a_page_that_may_have_gone_meanwhile() -> None:
    """Another thread unmapped it, or another process cut the file: no page was run into."""
    right, held = MMAP + INSIDE, BAD + INSIDE
    made = failing(TO, held, rbx=right)
    target: Any = made.target
    target._threads += (Thread(PID + 1, {"rip": PC, "rsp": SP}, "other"),)
    assert compared(made) == []
    cut = failed(STORE, crash(7, 2, held), before=TO, rbx=right, rdi=held, rcx=0x700)
    assert compared(cut) == []
