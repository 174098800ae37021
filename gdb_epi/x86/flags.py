# SPDX-License-Identifier: Apache-2.0
"""The flags that instructions leave, as far as they are known. Source: Intel SDM volume 2."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.x86.arithmetic import MEMORY, computed_value
from gdb_epi.x86.instruction import Instruction

CARRY, PARITY, ZERO, SIGN, OVERFLOW = 1, 1 << 2, 1 << 6, 1 << 7, 1 << 11  # of eflags
_SETS_NO_FLAGS = frozenset((
    *range(0x50, 0x60), 0x63, 0x68, 0x6A, *range(0x88, 0x8C), 0x8D, 0x90, 0x98, 0x99,
    *range(0xB0, 0xC0), 0xC6, 0xC7, 0xC9,
))  # fmt: skip
_SETS_NO_FLAGS_TWO = frozenset(
    (*range(0x40, 0x50), *range(0x90, 0xA0), 0x1E, 0x1F, 0xB6, 0xB7, 0xBE, 0xBF)
)
UNKNOWN_CARRY = 1 << 32  # carry and overflow of a sum are not computed
_ADD, _OR, _AND, _SUB, _XOR, _CMP = (
    0,
    1,
    4,
    5,
    6,
    7,
)  # numbers of the eight groups of SDM's opcode map
_HIGH_BYTES = ("rsp", "rbp", "rsi", "rdi")  # whose low bytes are ah, ch, dh and bh, mostly


def low_register_bytes_read(instruction: Instruction) -> int:
    """Return how many bytes of its registers an instruction reads, at most: of the low ones."""
    if instruction.encoding != "legacy" or instruction.opcode_map > 1:
        return 8
    if instruction.opcode_map:  # movzx, movsx
        return {0xB6: 1, 0xBE: 1, 0xB7: 2, 0xBF: 2}.get(instruction.opcode, 8)
    opcode, extension = instruction.opcode, instruction.modrm_reg
    compares = 0x38 <= opcode < 0x3E or opcode in (0x84, 0x85, 0xA8, 0xA9)
    compares |= 0x80 <= opcode < 0x84 and extension == _CMP
    compares |= opcode in (0xF6, 0xF7) and extension < 2
    return 8 if not compares else instruction.size if opcode & 1 else 1


def keeps_low_bytes_separate(instruction: Instruction) -> bool:
    """Tell whether the low bytes of a result come from the low bytes of what it is made of."""
    if instruction.encoding != "legacy":
        return False
    if instruction.opcode_map:
        return instruction.opcode_map == 1 and instruction.opcode == 0xAF
    opcode, extension = instruction.opcode, instruction.modrm_reg
    if opcode < 0x40:
        return opcode >> 3 in (_ADD, _OR, _AND, _SUB, _XOR)
    if 0x80 <= opcode < 0x84:
        return extension in (_ADD, _OR, _AND, _SUB, _XOR)
    return opcode in (0x69, 0x6B, 0x89, 0x8B, 0x8D) or (opcode == 0xFF and extension < 2)


def preserves_flags(instruction: Instruction) -> bool:
    """Tell whether an instruction is known to leave the flags as they are."""
    quiet = (_SETS_NO_FLAGS, _SETS_NO_FLAGS_TWO)[min(instruction.opcode_map, 1)]
    one_or_two = instruction.encoding == "legacy" and instruction.opcode_map < 2
    return one_or_two and instruction.opcode in quiet


def flags_after(
    instruction: Instruction, numbers: Mapping[str, int], results: Mapping[str, int | None]
) -> int | None:
    """Return the flags that a comparison or a sum leaves; None where they are not known."""
    opcode, extension = instruction.opcode, instruction.modrm_reg
    if instruction.encoding != "legacy" or instruction.opcode_map:
        return None
    size = instruction.size if opcode & 1 else 1
    by_number = 0x80 <= opcode < 0x84 or opcode in (0xF6, 0xF7)  # then the reg field is no register
    registers = (instruction.rm, None if by_number else instruction.reg)
    if size == 1 and not instruction.rex and any(name in _HIGH_BYTES for name in registers):
        return None
    tests = opcode in (0x84, 0x85, 0xA8, 0xA9) or (opcode in (0xF6, 0xF7) and extension < 2)
    group = opcode >> 3 if opcode < 0x40 else extension if 0x80 <= opcode < 0x84 else -1
    if tests or group in (_SUB, _CMP):
        left = numbers.get(instruction.rm or MEMORY)
        right = instruction.immediate if by_number else numbers.get(instruction.reg or "")
        if opcode in (0x2C, 0x2D, 0x3C, 0x3D, 0xA8, 0xA9):
            left, right = numbers.get("rax"), instruction.immediate
        elif opcode in (0x2A, 0x2B, 0x3A, 0x3B):
            left, right = right, left
        if left is None or right is None:
            return None
        return (
            _zero_sign_parity(left & right, size)
            if tests
            else flags_of_subtraction(left, right, size)
        )
    shifts = opcode in (0xC1, 0xD1) and extension in (4, 5, 7) and instruction.immediate != 0
    sums = group >= 0 or (opcode == 0xFF and extension < 2) or shifts
    number = next(iter(results.values()), None) if len(results) == 1 else None
    if not sums or not opcode & 1 or instruction.size < 4 or number is None:
        return None
    return _zero_sign_parity(number, size) | (0 if group in (_OR, _AND, _XOR) else UNKNOWN_CARRY)


def stored_number(instruction: Instruction, numbers: Mapping[str, int]) -> int | None:
    """Return what an instruction stores; None where that is not known."""
    if instruction.encoding != "legacy" or instruction.opcode_map:
        return None
    if instruction.opcode in (0x88, 0x89):
        is_byte = instruction.opcode == 0x88 and not instruction.rex
        is_high = is_byte and instruction.reg in _HIGH_BYTES
        return None if is_high else numbers.get(instruction.reg or "")
    if instruction.opcode in (0xC6, 0xC7):
        return instruction.immediate
    return computed_value(instruction, MEMORY, numbers)


def _zero_sign_parity(number: int, size: int) -> int:
    """Return the flags of a result without carry and overflow."""
    number &= (1 << 8 * size) - 1
    parity = 0 if (number & 0xFF).bit_count() & 1 else PARITY
    return (ZERO if not number else 0) | (SIGN if number >> 8 * size - 1 else 0) | parity


def flags_of_subtraction(left: int, right: int, size: int) -> int:
    """Return the flags of a subtraction."""
    bits = 8 * size
    left, right = left & (1 << bits) - 1, right & (1 << bits) - 1
    flags = _zero_sign_parity(left - right, size) | (CARRY if left < right else 0)
    overflow = (left ^ right) & (left ^ (left - right)) & 1 << bits - 1
    return flags | (OVERFLOW if overflow else 0)
