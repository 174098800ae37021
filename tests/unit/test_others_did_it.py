# SPDX-License-Identifier: Apache-2.0
"""Crashes whose culprit is another one than the code that died: lent buffers, small stacks."""

from __future__ import annotations

import struct

import pytest
from support.fake_target import FakeTarget
from support.scenes import HEAP, PC, SP, STACK, STACK_SIZE, TEXT, crash, state
from unit.test_malloc_heap import FIRST, SIZE, TCACHE, chunks, target

from gdb_epi.detectors.registry import DOUBT, IN_MEMORY, SMALL_STACK
from gdb_epi.detectors.runtimes.aborts import is_assertion_about_stored_value
from gdb_epi.detectors.runtimes.damaged_heap import (
    MisfittingChunk,
    _first_misfitting_chunk,
    _is_header_overwritten,
)
from gdb_epi.detectors.stack_overflow import stack_overflow
from gdb_epi.detectors.traps import integer_division
from gdb_epi.fault.called_functions import got_slot_of_call
from gdb_epi.fault.malloc_heap import HeapWords
from gdb_epi.fault.stack_address_receivers import _calls_passing_pointer
from gdb_epi.target.api import Region
from gdb_epi.x86 import decode


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("4889e7ffd0", ["rdi"]),  # mov %rsp,%rdi; call *%rax
        ("488d7c2410ffd0", ["rdi"]),  # lea 0x10(%rsp),%rdi
        ("488d6c2410ffd04889eeffd0", ["rsi"]),  # lea 0x10(%rsp),%rbp; call; mov %rbp,%rsi; call
        ("4889e84883c0084889c7ffd0", []),  # rbp was made by nobody: mov %rbp,%rax; add $8; mov
        ("4889e0488944240831c0488b7c2408ffd0", ["rdi"]),  # kept on the stack, and read again
        ("488d7c2410bf01000000ffd0", []),  # lea; mov $1,%edi
    ],
)
def test_who_is_given_a_pointer_into_the_frame(code: str, given: list[str]) -> None:
    text = bytes.fromhex(code)
    made = FakeTarget(
        regions=[Region(TEXT, TEXT + 4096, "r-x", "/lib/a.so", 0, 4096)],
        memory={TEXT: text.ljust(4096, b"\xcc")},
    )
    calls = list(_calls_passing_pointer(made, TEXT, TEXT + len(text), frozenset(("rsp",))))
    assert [name for call in calls for name in call.arguments] == given


@pytest.mark.parametrize(
    ("assertion", "reads"),
    [
        ("part.c:13: s->magic == 0x1234", True),
        ("part.c:13: rows[n] > 0", True),
        ("part.c:13: *end == 0", True),
        ("part.c:13: table.count == 3", True),
        ("a/part.c:13: rows > 0", False),
        ("part.cc:13: width * height < 1.5", False),
        ("count >= 0", False),
    ],
)
def test_an_assertion_about_memory_may_be_about_what_others_wrote(
    assertion: str, *, reads: bool
) -> None:
    assert is_assertion_about_stored_value(assertion) is reads


@pytest.mark.parametrize(
    ("code", "registers", "doubt"),
    [
        ("f73f", {"rdi": HEAP + 8}, IN_MEMORY),  # idivl (%rdi)
        ("f77c2408", {}, None),  # idivl 8(%rsp): a local variable
        ("f7f9", {"rcx": 0}, None),  # idiv %ecx, of which nothing tells where it came from
    ],
)
def test_a_divisor_in_memory_may_be_what_others_wrote(
    code: str, registers: dict[str, int], doubt: str | None
) -> None:
    (finding,) = integer_division(
        state(crash(8, 1, PC), registers=registers, code=bytes.fromhex(code))
    )
    assert finding.facts.get(DOUBT) == doubt


def test_a_divisor_that_was_loaded_from_memory() -> None:
    made = state(crash(8, 1, PC), registers={"rcx": 0}, code=bytes.fromhex("f7f9"))
    # nop, over and over; mov 8(%rdi),%ecx; cltd
    made.target.write(PC - 104, b"\x90" * 100 + bytes.fromhex("8b4f08") + b"\x99")  # type: ignore[attr-defined]
    (finding,) = integer_division(made)
    assert finding.facts.get(DOUBT) == IN_MEMORY


@pytest.mark.parametrize(("below", "doubt"), [(0x18_5000, SMALL_STACK), (0x90_5000, None)])
def test_a_small_stack_is_a_setting_where_the_usual_one_has_room(
    below: int, doubt: str | None
) -> None:
    """One frame of 1.5 MiB on a stack of 32 KiB; one of nine fits no usual stack either."""
    sp, descriptor = STACK - below, STACK + STACK_SIZE - 0x1000
    words = dict(zip(range(descriptor + 0x80, descriptor + 0xA0, 8), (STACK, STACK_SIZE, 0, 0)))
    registers = {"rsp": sp, "rbp": SP, "fs_base": descriptor}
    (finding,) = stack_overflow(state(crash(address=sp + 16), registers=registers, words=words))
    assert (finding.facts["size"], finding.facts.get(DOUBT)) == (STACK_SIZE, doubt)
    assert ("somebody made it small" in finding.summary) is (doubt is not None)


def heap(at: int, content: bytes) -> HeapWords:
    data = bytearray(chunks(FIRST))
    data[at : at + len(content)] = content
    return HeapWords(target(bytes(data)), HEAP, FIRST // 8)


@pytest.mark.parametrize(
    ("content", "overrun"),
    [
        (b"password" * 4, True),
        (struct.pack("<QQ", 0, 0x11), False),  # a fencepost: others called sbrk()
        (struct.pack("<QQ", 0, SIZE | 1 | 1 << 33), False),  # one bit
    ],
)
def test_a_header_that_was_written_over_is_an_overrun(content: bytes, *, overrun: bool) -> None:
    made = heap(TCACHE + 40 * SIZE, content)
    damaged = _first_misfitting_chunk(made)
    assert isinstance(damaged, MisfittingChunk)
    assert _is_header_overwritten(made, damaged) is overrun


def test_a_line_of_zeros_is_no_overrun() -> None:
    """It is what a lost cache line leaves; zeros that go on before it are a memset()'s."""
    header = TCACHE + 40 * SIZE
    line = header + 8 & -64
    data = bytearray(chunks(FIRST))
    data[line - 8 : line] = data[line + 64 : line + 72] = b"\x01" * 8
    data[line : line + 64] = bytes(64)
    made = HeapWords(target(bytes(data)), HEAP, FIRST // 8)
    damaged = _first_misfitting_chunk(made)
    assert isinstance(damaged, MisfittingChunk)
    assert not _is_header_overwritten(made, damaged)


@pytest.mark.parametrize(
    ("code", "slot"),
    [
        ("e80b000000", 0x200),  # call the stub: endbr64; jmp *0x1e6(%rip)
        ("ff15fa010000", 0x200),  # call *0x1fa(%rip), without a stub
        ("e81b000000", None),  # call a function of the same file
        ("ffd0", None),  # call *%rax
    ],
)
def test_the_slot_that_a_call_goes_through(code: str, slot: int | None) -> None:
    text = bytearray(bytes.fromhex(code).ljust(512, b"\x90"))
    text[0x10:0x1A] = bytes.fromhex("f30f1efa") + bytes.fromhex("ff25e6010000")
    made = FakeTarget(
        regions=[Region(TEXT, TEXT + 512, "r-x", "/lib/a.so", 0, 512)], memory={TEXT: bytes(text)}
    )
    call = decode(bytes(text[:15]))
    assert call is not None
    got_slot = got_slot_of_call(made, call, TEXT + call.length)
    assert got_slot == (None if slot is None else TEXT + slot)
