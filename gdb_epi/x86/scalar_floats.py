# SPDX-License-Identifier: Apache-2.0
"""What SSE instructions make of the low half of vector registers: one double, or two floats.

Source: Intel SDM volume 2. Code that computes with single numbers uses nothing else (System V ABI).
The default rounding is assumed. Numbers are the bits of eight bytes.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from gdb_epi.sizes import WORD_MASK
from gdb_epi.x86.instruction import REGISTERS, Instruction

XMM = tuple(f"xmm{number}" for number in range(16))
SINGLE, DOUBLE, PACKED_DOUBLE = 0xF3, 0xF2, 0x66  # prefixes that select the operation
COMPARES = frozenset((0x2E, 0x2F))  # ucomiss, comiss and those of doubles
FROM_INTEGER, TO_INTEGER, TO_ROUNDED_INTEGER = 0x2A, 0x2C, 0x2D
LOADS, STORES = frozenset((0x10, 0x28, 0x6F)), frozenset((0x11, 0x29, 0x7F, 0xD6))
FROM_GENERAL, TO_GENERAL = 0x6E, 0x7E
_CARRY, _PARITY, _ZERO = 1, 1 << 2, 1 << 6  # of eflags
_ADD, _MUL, _SUB, _MIN, _DIV, _MAX, _SQRT, _CONVERT = 0x58, 0x59, 0x5C, 0x5D, 0x5E, 0x5F, 0x51, 0x5A
_LOW_WORD = 0xFFFFFFFF
_UNPACK = 0x14
_BITWISE: dict[int, Callable[[int, int], int]] = {
    0x54: lambda left, right: left & right,
    0x55: lambda left, right: ~left & right & WORD_MASK,
    0x56: lambda left, right: left | right,
    0x57: lambda left, right: left ^ right,
    0xDB: lambda left, right: left & right,
    0xEB: lambda left, right: left | right,
    0xEF: lambda left, right: left ^ right,
}
_ZEROES = frozenset((0x57, 0xEF))  # of a register and itself


def same_numbered_xmm(general: str) -> str:
    """Return the vector register that has the number of a general register."""
    return XMM[REGISTERS.index(general)]


def float_from_bits(bits: int, *, double: bool) -> float:
    """Return the number whose bits lie in the low half of a register."""
    if double:
        return float(struct.unpack("<d", struct.pack("<Q", bits))[0])
    return float(struct.unpack("<f", struct.pack("<I", bits & _LOW_WORD))[0])


def put_float_into_low_half(number: float, kept: int, *, double: bool) -> int:
    """Return the low half of a register into which a number was put; a float keeps the rest."""
    if double:
        return int(struct.unpack("<Q", struct.pack("<d", number))[0])
    try:
        low = struct.pack("<f", number)
    except OverflowError:
        low = struct.pack("<f", math.copysign(math.inf, number))
    return kept & ~_LOW_WORD & WORD_MASK | int(struct.unpack("<I", low)[0])


def flags_of_float_comparison(left: int, right: int, *, double: bool) -> int:
    """Return the flags that a comparison of two numbers leaves."""
    first, second = float_from_bits(left, double=double), float_from_bits(right, double=double)
    if math.isnan(first) or math.isnan(second):
        return _ZERO | _PARITY | _CARRY
    return _ZERO if first == second else _CARRY if first < second else 0


def zeroes_register(insn: Instruction) -> bool:
    """Tell whether an instruction makes a register zero, whatever was in it."""
    return insn.opcode in _ZEROES and insn.reg == insn.rm


def low_half_after(insn: Instruction, left: int | None, right: int | None) -> int | None:
    """Return what an instruction puts into the low half of its vector register.

    `left` was in it, `right` is the other operand, in memory or in a register. None where that is
    not known here.
    """
    opcode, prefix = insn.opcode, insn.prefix
    if zeroes_register(insn):
        return 0
    if right is None:
        return None
    if opcode in LOADS and (insn.rm is None or prefix not in (SINGLE, DOUBLE) or opcode != 0x10):
        is_narrow = opcode == 0x10 and prefix == SINGLE
        return right & _LOW_WORD if is_narrow else right
    if opcode in (TO_GENERAL, FROM_GENERAL) or (opcode == 0x10 and prefix == DOUBLE):
        return right
    keeps_nothing = opcode == _CONVERT and prefix in (SINGLE, 0)
    keeps_nothing |= opcode in (FROM_INTEGER, _SQRT) and prefix == DOUBLE
    if left is None and not keeps_nothing:
        return None
    left = left or 0
    if opcode == 0x10:
        return left & ~_LOW_WORD & WORD_MASK | right & _LOW_WORD
    if opcode in _BITWISE:
        return _BITWISE[opcode](left, right)
    if opcode == _UNPACK:
        return left if prefix == PACKED_DOUBLE else left & _LOW_WORD | (right & _LOW_WORD) << 32
    if opcode == _CONVERT and prefix in (SINGLE, 0):
        return put_float_into_low_half(float_from_bits(right, double=False), 0, double=True)
    if opcode == _CONVERT and prefix == DOUBLE:
        return put_float_into_low_half(float_from_bits(right, double=True), left, double=False)
    if prefix not in (SINGLE, DOUBLE):
        return None
    double = prefix == DOUBLE
    if opcode == FROM_INTEGER:
        bits = 8 * insn.size
        signed = (right & (1 << bits) - 1 ^ 1 << bits - 1) - (1 << bits - 1)
        return put_float_into_low_half(float(signed), left, double=double)
    first, second = float_from_bits(left, double=double), float_from_bits(right, double=double)
    made = _float_result(opcode, first, second)
    return None if made is None else put_float_into_low_half(made, left, double=double)


def _float_result(opcode: int, left: float, right: float) -> float | None:
    """Return a sum, product and the like; NaN where there is none. None for other instructions."""
    if opcode in (_MIN, _MAX):
        takes_left = left < right if opcode == _MIN else left > right
        return left if takes_left else right  # the second one, too, where one is NaN
    if opcode == _SQRT:
        return math.sqrt(right) if right >= 0 else math.nan
    if opcode == _DIV and not right:
        return math.nan if not left or math.isnan(left) else math.copysign(
            math.inf, math.copysign(1, left) * math.copysign(1, right)
        )  # fmt: skip
    operations: dict[int, Callable[[float, float], float]] = {
        _ADD: lambda a, b: a + b, _SUB: lambda a, b: a - b,
        _MUL: lambda a, b: a * b, _DIV: lambda a, b: a / b,
    }  # fmt: skip
    operation = operations.get(opcode)
    return None if operation is None else operation(left, right)


def truncated_to_integer(bits: int, size: int, *, double: bool) -> int | None:
    """Return the integer that a number is cut to, as bits; None where it has no such integer."""
    number = float_from_bits(bits, double=double)
    if not math.isfinite(number) or not -(1 << 8 * size - 1) <= int(number) < 1 << 8 * size - 1:
        return None
    return int(number) & (1 << 8 * size) - 1
