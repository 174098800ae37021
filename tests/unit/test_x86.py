# SPDX-License-Identifier: Apache-2.0
"""Memory operands of x86-64 instructions; the encodings are GNU as's."""

from __future__ import annotations

import pytest

from gdb_epi.x86 import memory_operand

CASES = [
    ("488b06", ("rsi", None, 1, 0, "r")),  # mov (%rsi),%rax
    ("8b07", ("rdi", None, 1, 0, "r")),  # mov (%rdi),%eax
    ("48890424", ("rsp", None, 1, 0, "w")),  # mov %rax,(%rsp)
    ("488b4508", ("rbp", None, 1, 8, "r")),  # mov 8(%rbp),%rax
    ("498b4424f8", ("r12", None, 1, -8, "r")),  # mov -8(%r12),%rax
    ("488b84c800010000", ("rax", "rcx", 8, 256, "r")),  # mov 256(%rax,%rcx,8),%rax
    ("4e8b04e1", ("rcx", "r12", 8, 0, "r")),  # mov (%rcx,%r12,8),%r8
    ("c70200000000", ("rdx", None, 1, 0, "w")),  # movl $0,(%rdx)
    ("ff02", ("rdx", None, 1, 0, "w")),  # incl (%rdx)
    ("ff5010", ("rax", None, 1, 16, "r")),  # call *16(%rax)
    ("833a00", ("rdx", None, 1, 0, "r")),  # cmpl $0,(%rdx)
    ("83020a", ("rdx", None, 1, 0, "w")),  # addl $10,(%rdx)
    ("0f1006", ("rsi", None, 1, 0, "r")),  # movups (%rsi),%xmm0
    ("0f1107", ("rdi", None, 1, 0, "w")),  # movups %xmm0,(%rdi)
    ("c5fe6f06", ("rsi", None, 1, 0, None)),  # vmovdqu (%rsi),%ymm0
    ("c5fe7f07", ("rdi", None, 1, 0, "w")),  # vmovdqu %ymm0,(%rdi)
    ("c4c17e6f00", ("r8", None, 1, 0, None)),  # vmovdqu (%r8),%ymm0
    ("f3a4", ("rsi", None, 1, 0, "r")),  # rep movsb
    ("f3aa", ("rdi", None, 1, 0, "w")),  # rep stosb
    ("c3", ("rsp", None, 1, 0, "r")),  # ret
    ("50", ("rsp", None, 1, -8, "w")),  # push %rax
    ("64488b06", ("rsi", None, 1, 0, "r")),  # mov %fs:(%rsi),%rax
]
NONE = ["4889c8", "488d0424", "90", "0f05", "0f1f00", "0f0b", "62f17c4810", "67488b06", "48", ""]


@pytest.mark.parametrize(("code", "expected"), CASES)
def test_operands(code: str, expected: tuple[object, ...]) -> None:
    found = memory_operand(bytes.fromhex(code) + bytes(8))
    assert found is not None
    assert (found.base, found.index_register, found.scale, found.displacement, found.access) == (
        expected
    )


@pytest.mark.parametrize("code", NONE)
def test_no_operand(code: str) -> None:
    assert memory_operand(bytes.fromhex(code)) is None


def test_addresses() -> None:
    found = memory_operand(bytes.fromhex("488b84c800010000"))
    assert found is not None
    assert found.address({"rax": 0x1000, "rcx": 2}) == 0x1000 + 16 + 256
    assert found.address({"rax": 0x1000}) is None
    segment = memory_operand(bytes.fromhex("64488b042528000000"))  # mov %fs:0x28,%rax
    assert segment is not None
    assert segment.address({"fs_base": 0x7000}) == 0x7028
    relative = memory_operand(bytes.fromhex("488b0510000000"))
    assert relative is not None
    assert relative.rip_relative
    assert relative.address({}) is None


def test_every_start_of_bytes_ends() -> None:
    for first in range(256):
        for second in (0x00, 0x04, 0x05, 0x24, 0x40, 0x44, 0x80, 0x84, 0xC0, 0x38, 0x3A):
            memory_operand(bytes([first, second]))
            memory_operand(bytes([0x0F, first, second, 0, 0, 0, 0]))
            memory_operand(bytes([first, second, 0x24, 1, 2, 3, 4, 5]))
