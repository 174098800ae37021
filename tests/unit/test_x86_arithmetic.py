# SPDX-License-Identifier: Apache-2.0
"""What instructions between registers make: each against the value that the SDM gives."""

from __future__ import annotations

import pytest

from gdb_epi.x86 import decode
from gdb_epi.x86.arithmetic import MEMORY, added_constant, computed_value

KNOWN = {"rax": 0x1234_5678_9ABC_DEF0, "rbx": 0x30, "rcx": 4, "rdx": (1 << 64) - 8, MEMORY: 0x1000}


@pytest.mark.parametrize(
    ("code", "register", "expected"),
    [
        ("4801d8", "rax", 0x1234_5678_9ABC_DF20),  # add %rbx,%rax
        ("480303", "rax", 0x1234_5678_9ABC_EEF0),  # add (%rbx),%rax
        ("01d8", "rax", 0x9ABC_DF20),  # add %ebx,%eax
        ("4883e8f0", "rax", 0x1234_5678_9ABC_DF00),  # sub $-16,%rax
        ("4883e0f8", "rax", 0x1234_5678_9ABC_DEF0),  # and $-8,%rax
        ("480d00010000", "rax", 0x1234_5678_9ABC_DFF0),  # or $256,%rax
        ("4831db", "rbx", 0),  # xor %rbx,%rbx
        ("4831c3", "rbx", 0x1234_5678_9ABC_DEC0),  # xor %rax,%rbx
        ("48c1e826", "rax", 0x1234_5678_9ABC_DEF0 >> 38),  # shr $38,%rax
        ("48d1e3", "rbx", 0x60),  # shl %rbx
        ("48d3e3", "rbx", 0x300),  # shl %cl,%rbx
        ("48c1fa02", "rdx", (1 << 64) - 2),  # sar $2,%rdx
        ("c1fa02", "rdx", 0xFFFF_FFFE),  # sar $2,%edx
        ("48f7db", "rbx", (1 << 64) - 0x30),  # neg %rbx
        ("48f7d3", "rbx", (1 << 64) - 0x31),  # not %rbx
        ("48ffc3", "rbx", 0x31),  # inc %rbx
        ("486bdb18", "rbx", 0x480),  # imul $24,%rbx,%rbx
        ("480fafd9", "rbx", 0xC0),  # imul %rcx,%rbx
        ("0fb6d8", "rbx", 0xF0),  # movzx %al,%ebx
        ("480fbfd8", "rbx", (1 << 64) - 0x2110),  # movsx %ax,%rbx
        ("4863d8", "rbx", (1 << 64) - 0x6543_2110),  # movslq %eax,%rbx
        ("4898", "rax", (1 << 64) - 0x6543_2110),  # cltq
        ("48c7c3ffffffff", "rbx", (1 << 64) - 1),  # mov $-1,%rbx
    ],
)
def test_computed(code: str, register: str, expected: int) -> None:
    instruction = decode(bytes.fromhex(code))
    assert instruction is not None
    assert computed_value(instruction, register, KNOWN) == expected


@pytest.mark.parametrize(
    ("code", "register"),
    [
        ("4801f8", "rax"),  # add %rdi,%rax: rdi is not known
        ("6601d8", "rax"),  # add %bx,%ax: the rest stays
        ("0fb6dc", "rbx"),  # movzx %ah,%ebx
        ("480103", "rax"),  # add %rax,(%rbx) changes memory
        ("4811d8", "rax"),  # adc: the carry is not known
        ("4839d8", "rax"),  # cmp changes nothing
        ("4801d8", "rbx"),  # and add not its source
        ("48d3c3", "rbx"),  # rol
    ],
)
def test_computed_near_misses(code: str, register: str) -> None:
    instruction = decode(bytes.fromhex(code))
    assert instruction is not None
    assert computed_value(instruction, register, KNOWN) is None


@pytest.mark.parametrize(
    ("code", "register", "by"),
    [
        ("4983ee08", "r14", -8),  # sub $8,%r14
        ("4883c310", "rbx", 16),  # add $16,%rbx
        ("48ffc3", "rbx", 1),  # inc %rbx
        ("488d5b18", "rbx", 24),  # lea 24(%rbx),%rbx
        ("488d5818", "rbx", None),  # lea 24(%rax),%rbx
        ("83c310", "rbx", None),  # add $16,%ebx: the upper half is lost
        ("4883e310", "rbx", None),  # and $16,%rbx
        ("4801c3", "rbx", None),  # add %rax,%rbx
    ],
)
def test_added(code: str, register: str, by: int | None) -> None:
    instruction = decode(bytes.fromhex(code))
    assert instruction is not None
    assert added_constant(instruction, register) == by
