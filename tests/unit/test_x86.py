# SPDX-License-Identifier: Apache-2.0
"""Memory operands of x86-64 instructions; the encodings are GNU as's."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from support.disassembly import disagreements
from support.interpreters import discover

from gdb_epi.target.elf import PT_LOAD, parse_header, read_segments
from gdb_epi.x86 import MAX_LENGTH, UNKNOWN_INDEX, decode, first_memory_operand
from gdb_epi.x86.decode import instruction_length

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
    ("c5fe6f06", ("rsi", None, 1, 0, "r")),  # vmovdqu (%rsi),%ymm0
    ("c5fe7f07", ("rdi", None, 1, 0, "w")),  # vmovdqu %ymm0,(%rdi)
    ("c4c17e6f00", ("r8", None, 1, 0, "r")),  # vmovdqu (%r8),%ymm0
    ("f3a4", ("rsi", None, 1, 0, "r")),  # rep movsb
    ("f3aa", ("rdi", None, 1, 0, "w")),  # rep stosb
    ("c3", ("rsp", None, 1, 0, "r")),  # ret
    ("50", ("rsp", None, 1, -8, "w")),  # push %rax
    ("64488b06", ("rsi", None, 1, 0, "r")),  # mov %fs:(%rsi),%rax
]
NONE = ["4889c8", "488d0424", "90", "0f05", "0f1f00", "0f0b", "62f17c4810", "48", ""]


@pytest.mark.parametrize(("code", "expected"), CASES)
def test_operands(code: str, expected: tuple[object, ...]) -> None:
    operand = first_memory_operand(bytes.fromhex(code) + bytes(8))
    assert operand is not None
    assert (
        operand.base,
        operand.index_register,
        operand.scale,
        operand.displacement,
        operand.access,
    ) == (expected)


@pytest.mark.parametrize("code", NONE)
def test_no_operand(code: str) -> None:
    assert first_memory_operand(bytes.fromhex(code)) is None


def test_addresses() -> None:
    operand = first_memory_operand(bytes.fromhex("488b84c800010000"))
    assert operand is not None
    assert operand.address({"rax": 0x1000, "rcx": 2}) == 0x1000 + 16 + 256
    assert operand.address({"rax": 0x1000}) is None
    segment = first_memory_operand(bytes.fromhex("64488b042528000000"))  # mov %fs:0x28,%rax
    assert segment is not None
    assert segment.address({"fs_base": 0x7000}) == 0x7028
    relative = first_memory_operand(bytes.fromhex("488b0510000000"))
    assert relative is not None
    assert relative.rip_relative
    assert relative.address({}) is None


def test_every_start_of_bytes_ends() -> None:
    for first in range(256):
        for second in (0x00, 0x04, 0x05, 0x24, 0x40, 0x44, 0x80, 0x84, 0xC0, 0x38, 0x3A):
            first_memory_operand(bytes([first, second]))
            first_memory_operand(bytes([0x0F, first, second, 0, 0, 0, 0]))
            first_memory_operand(bytes([first, second, 0x24, 1, 2, 3, 4, 5]))


def test_an_address_relative_to_rip_needs_rip_and_counts_the_immediate() -> None:
    operand = first_memory_operand(bytes.fromhex("c705100000007b000000"))  # movl $123,16(%rip)
    assert operand is not None
    assert (operand.length, operand.size, operand.access) == (10, 4, "w")
    assert operand.address({"rip": 0x1000}) == 0x1000 + 10 + 16


FLOW = [
    ("e810000000", ("call", 5, 16, None)),
    ("ffd0", ("call", 2, None, "rax")),
    ("41ffe3", ("jump", 3, None, "r11")),
    ("ff5010", ("call", 3, None, None)),
    ("7402", ("branch", 2, 2, None)),
    ("0f84fcffffff", ("branch", 6, -4, None)),
    ("f3c3", ("return", 2, None, None)),
    ("c20800", ("return", 3, None, None)),
    ("0f0b", ("trap", 2, None, None)),
    ("f30f1efa", ("next", 4, None, None)),
]


@pytest.mark.parametrize(("code", "expected"), FLOW)
def test_control_flow(code: str, expected: tuple[object, ...]) -> None:
    instruction = decode(bytes.fromhex(code))
    assert instruction is not None
    assert (
        instruction.flow,
        instruction.length,
        instruction.target,
        instruction.target_register,
    ) == expected


ACCESSES = [
    ("a4", [("rsi", "r", 1), ("rdi", "w", 1)]),  # movsb
    ("48ab", [("rdi", "w", 8)]),  # stos %rax
    ("ff5010", [("rax", "r", 8), ("rsp", "w", 8)]),  # call *16(%rax)
    ("ff7008", [("rax", "r", 8), ("rsp", "w", 8)]),  # push 8(%rax)
    ("c9", [("rbp", "r", 8)]),  # leave
    ("e800000000", [("rsp", "w", 8)]),
    ("0f2900", [("rax", "w", 16)]),  # movaps: aligned
    ("660fd4450a", [("rbp", "r", 16)]),  # paddq, also aligned
    ("0f1000", [("rax", "r", 16)]),  # movups: not
    ("480fa303", [("rbx", "r", 8)]),  # bt %rax,(%rbx): the address depends on a bit number
    ("c4e26d909490f0ffffff", [("rax", "r", 4)]),  # vpgatherdd
]


@pytest.mark.parametrize(("code", "expected"), ACCESSES)
def test_accesses(code: str, expected: list[tuple[object, ...]]) -> None:
    instruction = decode(bytes.fromhex(code))
    assert instruction is not None
    assert [
        (operand.base, operand.access, operand.size) for operand in instruction.operands
    ] == expected


@pytest.mark.parametrize(
    ("code", "align"), [("0f2900", 16), ("660fd4450a", 16), ("0f1000", 1), ("c5fd6f00", 32)]
)
def test_alignment(code: str, align: int) -> None:
    operand = first_memory_operand(bytes.fromhex(code))
    assert operand is not None
    assert operand.align == align


@pytest.mark.parametrize("code", ["480fa303", "c4e26d909490f0ffffff", "d7"])
def test_an_address_that_registers_do_not_tell_is_unknown(code: str) -> None:
    operand = first_memory_operand(bytes.fromhex(code))
    assert operand is not None
    assert operand.index_register == UNKNOWN_INDEX
    assert operand.address(dict.fromkeys(("rax", "rbx", "rcx", "rip"), 4096)) is None


@pytest.mark.parametrize(
    "code", ["06", "60", "9a", "0f04", "0f3e", "c4001000", "e8000000", "f0" * 15, "8fe878c2ec0e"]
)
def test_what_is_no_instruction_or_cut_off_is_none(code: str) -> None:
    assert decode(bytes.fromhex(code)) is None


SAMPLE = 80_000  # bytes of text, about 20,000 instructions
LIBC = Path("/lib/x86_64-linux-gnu/libc.so.6")


def text_of(file: Path) -> tuple[int, int]:
    """Return (address, size) of the executable segment."""
    data = file.read_bytes()
    header = parse_header(data[:64])
    assert header is not None
    for segment in read_segments(data, header):
        if segment.type == PT_LOAD and segment.flags & 1:
            return segment.vaddr, segment.memsz
    raise AssertionError(f"{file}: no text")


def libraries() -> list[Path]:
    """Return a shared libpython and libc: compiled C, and hand-written vector code."""
    interpreters = [
        interpreter
        for interpreter in discover()
        if interpreter.shared and interpreter.root is None and not interpreter.debug
    ]
    libs = (
        [*interpreters[0].host_executable.parents[1].glob("lib/libpython3.*.so.1.0")]
        if interpreters
        else []
    )
    return [*libs[:1], *([LIBC] if LIBC.exists() else [])]


def test_objdump_sees_the_same() -> None:
    """0 of 977,000 instructions of libc and libpython differed when all were compared."""
    if shutil.which("objdump") is None:
        pytest.skip("no objdump (binutils)")
    files = libraries()
    if not files:
        pytest.skip("no shared libpython and no libc at its usual place")
    for file in files:
        start, size = text_of(file)
        middle = start + size // 2
        lines = [(line.text, line.code.hex(), why) for line, why in
                 disagreements(file, middle, min(SAMPLE, size // 2))]  # fmt: skip
        # The range begins inside of an instruction: objdump and we agree on bytes all the same.
        assert lines == [], f"{file}: {lines[:5]}"


def test_lengths_are_those_of_decoded_instructions() -> None:
    chance = random.Random(1)
    often = (0x0F, 0x38, 0x3A, 0x48, 0x62, 0x66, 0x67, 0x8F, 0xC4, 0xC5, 0xF2, 0xF6, 0xF7)
    decoded = 0
    for _ in range(8000):
        size = chance.randrange(1, 20)
        code = bytes(chance.choice((*often, *chance.randbytes(20))) for _ in range(size))
        instruction = decode(code[1 : 1 + MAX_LENGTH])
        assert instruction_length(code, 1) == (0 if instruction is None else instruction.length), (
            code.hex()
        )
        decoded += instruction is not None
    assert decoded > 1000
