# SPDX-License-Identifier: Apache-2.0
"""Where a NULL came from decides what it is evidence for (S:null_dereference and its like)."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest
from support.faults import evidence, failed, fault_at
from support.scenes import HEAP, HEAP_SIZE, PC, SP, TEXT, crash, state

from gdb_epi.corruption.checks.benign_causes import ordinary_causes_of_detectors
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.address_index import OBJECT, Pointee
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.pointers import read_place
from gdb_epi.corruption.pointers.read_place import is_inside_block
from gdb_epi.detectors.null_dereference import null_dereference

FIELD, LOAD = "488b7810", "488b0f"  # mov 0x10(%rax),%rdi; mov (%rdi),%rcx
FAR_FIELD = "488bb800020000"  # mov 0x200(%rax),%rdi
ZERO = "31ff"  # xor %edi,%edi
FROM_STACK = "488b7c2410"  # mov 0x10(%rsp),%rdi
FIRST, SIZE = HEAP + 0x290 + 16, 0x30


def kind(context: Context) -> str:
    """Return the id that a NULL dereference has."""
    context.findings = tuple(null_dereference(context.state))
    (sign,) = evidence(ordinary_causes_of_detectors(context))
    return sign.id


def loaded(before: str, holds: dict[int, int] | None = None, **registers: int) -> Context:
    """A heap of blocks of malloc's, all zeros but for `holds`; rdi was made by `before`."""
    data = bytearray(HEAP_SIZE)
    struct.pack_into("<QQ", data, 0, 0, 0x291)
    at = 0x290
    while at + 2 * SIZE < HEAP_SIZE:
        struct.pack_into("<QQ", data, at, 0, SIZE | 1)
        at += SIZE
    struct.pack_into("<QQ", data, at, 0, HEAP_SIZE - at | 1)
    made = failed(LOAD, fault_at(registers.get("rdi", 0)), before=before, **{"rdi": 0, **registers})
    for place, word in (holds or {}).items():
        struct.pack_into("<Q", data, place - HEAP, word)
    made.target.write(HEAP, bytes(data))  # type: ignore[attr-defined]
    return made


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (loaded(FIELD, rax=FIRST), "S:null_dereference"),  # a field of a block that begins there
        (loaded(FIELD, rax=FIRST + 8), "S:null-read:one-bit"),  # nothing begins there
        (loaded(FIELD, rax=FIRST + 0x18), "S:null-read"),  # nor there, nor one bit away
        (loaded("488b7812", rax=FIRST), "S:null-read"),  # 18 bytes into it: no pointer's place
        (loaded("488b7c2412", rsp=SP), "S:null-read"),  # nor is 18 bytes above rsp
        (loaded(FAR_FIELD, rax=FIRST), "S:null-read"),  # far behind the block's end
        (loaded(ZERO), "S:null_dereference"),
        (loaded("31c0" + "4889c7", rax=0), "S:null_dereference"),  # xor %eax,%eax; mov %rax,%rdi
        (loaded("4889c7"), "S:null-untraced"),  # mov %rax,%rdi
        (loaded(FIELD + "4883e7fc", rax=FIRST), "S:null-untraced"),  # and $-4,%rdi
        (loaded(FROM_STACK, rsp=SP), "S:null_dereference"),
        (loaded(FIELD, rax=SP), "S:null-untraced"),  # of some place on the stack
        (loaded(""), "S:null-untraced"),
        (loaded("", rdi=0x1A), "S:low-number"),
        (loaded(FIELD, {FIRST + 16: 0x1A}, rax=FIRST, rdi=0x1A), "S:low-number"),
        (loaded(FAR_FIELD, {FIRST + 0x200: 0x1A}, rax=FIRST, rdi=0x1A), "S:wild-value"),
        (failed("488b4f10", fault_at(0xF), rdi=(1 << 64) - 1), "S:low-number"),
    ],
)
def test_where_it_came_from(context: Context, expected: str) -> None:
    assert kind(context) == expected


def test_a_lost_instruction() -> None:
    made = state(crash(address=8), registers={"rdi": 8}, code=b"")
    made.target.memory.pop(TEXT)
    assert PC >> 12 << 12 not in made.target.memory
    context = Context(made)
    assert kind(context) == "S:null-unread"
    assert "by the kernel's word alone" in context.findings[0].summary


def test_minus_one_is_no_null_pointer() -> None:
    made = failed("488b4f10", fault_at(0xF), rdi=(1 << 64) - 1)
    (finding,) = null_dereference(made.state)
    assert finding.summary.endswith("the number -1 was taken for a pointer")


@pytest.mark.parametrize(("count", "inside"), [(64, True), (66, True), (72, False)])
def test_a_tuple_with_more_items_than_its_block_has_room_for(
    monkeypatch: pytest.MonkeyPatch, count: int, inside: bool
) -> None:
    """Its count is wrong, so what was read behind its items is no field of its own."""
    base, room = HEAP + 0x20, 24 + 8 * 66
    index = SimpleNamespace(
        pointee_at=lambda address: Pointee(OBJECT, "tuple"),
        end_of_items=lambda address: address + 24 + 8 * count,
        end_of_block=lambda address: base + room if address == base - GC_HEAD else None,
    )
    monkeypatch.setattr(read_place, "address_index", lambda context: index)
    assert is_inside_block(failed(LOAD), base, base + 24 + 8 * 63) is inside
    assert not is_inside_block(failed(LOAD), base, base + 24 + 8 * count)
