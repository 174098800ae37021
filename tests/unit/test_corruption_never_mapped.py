# SPDX-License-Identifier: Apache-2.0
"""Addresses that never were memory; marks that a module's code can set; bytecode's forms."""

from __future__ import annotations

import pytest
from support.fake_target import FakeTarget
from support.faults import failed, fault_at

from gdb_epi.corruption.checks.copies_in_files import bytecode_differences
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.never_mapped import (
    AT_ENTRY,
    MARGIN,
    MAX_STACK,
    unmapped_gaps,
    was_never_mapped,
)
from gdb_epi.corruption.pointers.software_explanations import module_may_set_bit
from gdb_epi.cpython.frames.opcodes import OpcodesOfVersion
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Module, Region
from gdb_epi.target.auxv import AT_RANDOM

IMAGE, BSS, BRK, END = 0x5555_0000_0000, 0x5555_0001_0000, 0x5555_0100_0000, 0x5555_0200_0000
LIBRARY, TOP = 0x7F00_0000_0000, 0x7F00_0010_0000
STACK, STACK_END = 0x7FFF_0000_0000, 0x7FFF_0002_0000


def context(*more: Region, stack: int = STACK) -> Context:
    shift = stack - STACK
    regions = [
        Region(IMAGE, BSS, "r-x", "/bin/program", 0, 0),
        Region(BSS, BSS + 4096, "rw-", None, 0, 4096),
        Region(BRK, END, "rw-", None, 0, 4096),
        Region(LIBRARY, TOP, "r-x", "/lib/library.so", 0, 0),
        Region(stack, STACK_END + shift, "rw-", None, 0, 4096),
        *more,
    ]
    target = FakeTarget(
        regions=regions,
        modules=[Module("/bin/program", IMAGE, IMAGE, BSS, None, "/bin/program")],
        auxv={AT_ENTRY: IMAGE + 64, AT_RANDOM: STACK_END + shift - 64},
    )
    return Context(ProcessState(target))


def test_before_the_heap_and_above_what_is_mapped() -> None:
    made = context()
    inside = [BSS + 4096 + MARGIN, BRK - MARGIN - 1, TOP + MARGIN, STACK - MAX_STACK - 1]
    inside += [STACK_END + MARGIN, 0x7FFF_FFFF_F000]
    assert [was_never_mapped(made, at) for at in inside] == [True] * len(inside)
    beside = [BSS + 4096, BRK - 1, END, LIBRARY - MARGIN, TOP, STACK - 4096, STACK_END]
    assert [was_never_mapped(made, at) for at in beside] == [False] * len(beside)


def test_a_file_behind_the_executable_is_no_heap() -> None:
    other = Region(BSS + 0x10000, BSS + 0x20000, "r--", "/usr/lib/locale", 0, 0)
    assert len(unmapped_gaps(context(other))) == 2


def test_where_memory_grows_upwards_nothing_is_known_above() -> None:
    """`ulimit -s unlimited`: mmap() begins at a third of the address space."""
    low = context(Region(0x2AAA_0000_0000, 0x2AAA_0001_0000, "rw-", None, 0, 4096))
    assert len(unmapped_gaps(low)) == 3
    made = context(stack=STACK + (1 << 42))
    assert len(unmapped_gaps(made)) == 1


@pytest.mark.parametrize(
    ("code", "sets"),
    [
        ("", False),
        ("48d3e0", True),  # shl %cl,%rax
        ("480fabc8", True),  # bts %rcx,%rax
        ("80480740", True),  # orb $0x40,7(%rax)
        ("c6440c0f01", True),  # movb $1,15(%rsp,%rcx)
        ("80480540", False),  # orb $0x40,5(%rax)
        ("48c1e03c", True),  # shl $60,%rax
    ],
)
def test_what_a_module_can_set(code: str, sets: bool) -> None:
    made = failed("488b07" + code, fault_at(BSS))
    assert module_may_set_bit(made, made.state.fault.pc, 60) is sets  # type: ignore[union-attr]


OPCODES = OpcodesOfVersion({}, {200: 10, 201: 10}, {10: 2}, frozenset((250,)))
RIGHT = bytes((10, 1, 0, 0, 0, 0, 20, 2))


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        (RIGHT, []),
        (bytes((200, 1, 9, 9, 9, 9, 20, 2)), []),  # specialized, with caches
        (bytes((201 ^ 8, 1, 0, 0, 0, 0, 20, 2)), [(0, 201 ^ 8, 201)]),
        (bytes((10, 1, 0, 0, 0, 0, 20, 3)), [(7, 3, 2)]),
        (bytes((10, 0, 0, 0, 0, 0, 20, 3)), None),
        (bytes((250, 1, 0, 0, 0, 0, 20, 2)), None),  # instrumented
    ],
)
def test_where_bytecode_differs(held: bytes, expected: object) -> None:
    assert bytecode_differences(held, RIGHT, OPCODES) == expected
