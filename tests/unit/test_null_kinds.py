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
from gdb_epi.corruption.heap.address_index import OBJECT, ThingAtAddress
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.pointers import read_place
from gdb_epi.corruption.pointers.read_place import is_slot_in_block_from_base
from gdb_epi.detectors.null_dereference import null_dereference
from gdb_epi.fault import called_functions
from gdb_epi.fault.called_functions import call_that_set_register
from gdb_epi.target.api import NativeFrame
from gdb_epi.target.function_bounds import Function

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
        pointee_at=lambda address: ThingAtAddress(OBJECT, "tuple"),
        end_of_items=lambda address: address + 24 + 8 * count,
        end_of_block=lambda address: base + room if address == base - GC_HEAD else None,
    )
    monkeypatch.setattr(read_place, "address_index", lambda context: index)
    assert is_slot_in_block_from_base(failed(LOAD), base, base + 24 + 8 * 63) is inside
    assert not is_slot_in_block_from_base(failed(LOAD), base, base + 24 + 8 * count)


def test_an_array_at_null_is_one_however_far_its_item_lies() -> None:
    """mov (%rax,%rsi,8),%rcx: malloc() had given NULL, the item was number 200,000."""
    code, far = "488b0cf0", {"rax": 0, "rsi": 200_000}
    (finding,) = null_dereference(failed(code, fault_at(1_600_000), **far).state)
    assert finding.summary.endswith("a NULL pointer and an offset of 1600000")
    unscaled = failed("488b0c30", fault_at(HEAP - 4096), rax=0, rsi=HEAP - 4096)
    assert not list(null_dereference(unscaled.state)), "which of the two is the pointer?"


CALL, TO_RBX, FROM_RBX = "e800010000", "4889c3", "488b0b"
PUSH, TO_RDI, JUMP = "53", "4889c7", "eb00"


@pytest.mark.parametrize(
    ("caller", "callee", "register", "function", "is_last"),
    [
        (CALL + TO_RBX + CALL, "", "rbx", "mmap", False),  # p = mmap(); close(fd); p->count
        (CALL + TO_RDI + CALL, "", "rdi", "", True),  # a call may have changed it
        # strlen(getenv()): a branch led to the instruction that failed.
        (CALL + TO_RDI, PUSH + JUMP, "rdi", "mmap", True),
        (CALL + TO_RDI, "4889f7" + JUMP, "rdi", "", True),  # mov %rsi,%rdi: another argument
    ],
)
def test_which_call_returned_the_null(
    caller: str, callee: str, register: str, function: str, is_last: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    outer, inner = TEXT + 0x100, TEXT + 0x400
    before = bytes.fromhex(caller + (CALL if callee else ""))
    failing = bytes.fromhex(callee)
    made = failed(FROM_RBX, fault_at(0)).target
    made.write(outer, before + bytes.fromhex(FROM_RBX))  # type: ignore[attr-defined]
    made.write(inner, failing + bytes.fromhex("488b0fc3"))  # type: ignore[attr-defined]
    functions = [Function(outer, outer + 0x100), Function(inner, inner + len(failing) + 4)]

    class Bounds:
        def __init__(self, _target: object) -> None: ...

        def function_at(self, pc: int) -> Function | None:
            return next((each for each in functions if each.start <= pc < each.end), None)

    monkeypatch.setattr(called_functions, "FunctionBounds", Bounds)
    slot = {outer + 5: 1, outer + 13: 2}
    monkeypatch.setattr(called_functions, "got_slot_of_call", lambda _t, _i, end: slot.get(end))
    named = SimpleNamespace(name_of_slot=lambda number: {1: "mmap", 2: "close"}[number])
    monkeypatch.setattr(called_functions, "ImportedFunctions", lambda _target: named)
    pc = inner + len(failing) if callee else outer + len(before)
    frames = [NativeFrame(at, SP, "f", "/srv/x.so") for at in (pc, outer + len(before))]
    call = call_that_set_register(made, frames, pc, register)
    assert (call.function, call.is_last) == (function, is_last)
