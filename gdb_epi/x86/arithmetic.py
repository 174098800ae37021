# SPDX-License-Identifier: Apache-2.0
"""What integer instructions between registers make, for code that is run again.

Source: Intel SDM volume 2. What writes to memory, 8 and 16 bits, and what reads flags are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi.sizes import WORD_MASK
from gdb_epi.x86.operand import Instruction

_ADD, _OR, _AND, _SUB, _XOR = 0, 1, 4, 5, 6  # numbers of the eight groups of SDM's opcode map
_SHL, _SHR, _SAL, _SAR = 4, 5, 6, 7  # of group 2
_OPERATIONS: dict[int, Callable[[int, int], int]] = {
    _ADD: lambda one, other: one + other,
    _OR: lambda one, other: one | other,
    _AND: lambda one, other: one & other,
    _SUB: lambda one, other: one - other,
    _XOR: lambda one, other: one ^ other,
}
_NOT, _NEG = 2, 3  # of group 3
MEMORY = "memory"  # the name by which the operand in memory is known
_LOW_BYTES = frozenset(("rax", "rcx", "rdx", "rbx"))  # of which ModRM means the low byte, always


def computed_value(one: Instruction, register: str, known: Mapping[str, int]) -> int | None:
    """Return what an instruction puts into a register, of the registers before it.

    `known` may hold the operand in memory too, by the name MEMORY. None where it is none of those
    that are understood, or needs a register that is not known.
    """
    if one.encoding != "legacy" or one.size < 4:
        return None
    found = _two_byte(one, register, known) if one.map == 1 else None
    if one.map == 0:
        found = _one_byte(one, register, known)
    return None if found is None else found & (WORD_MASK if one.size == 8 else 0xFFFFFFFF)


def added_constant(one: Instruction, register: str) -> int | None:
    """Return what an instruction adds to all 64 bits of a register; None for any other change.

    What was added can be taken off again: the register's value before is known from that after.
    """
    if one.encoding != "legacy" or one.map != 0 or one.size != 8:
        return None
    if one.opcode == 0x8D and one.reg == register and one.memory is not None:
        plain = one.memory.registers() == (register,) and one.memory.base == register
        return one.memory.displacement if plain else None
    if one.rm != register:
        return None
    if one.opcode in (0x81, 0x83) and one.immediate is not None:
        return {_ADD: one.immediate, _SUB: -one.immediate}.get(one.extension)
    return {0: 1, 1: -1}.get(one.extension) if one.opcode == 0xFF else None


def _one_byte(one: Instruction, register: str, known: Mapping[str, int]) -> int | None:
    opcode = one.opcode
    if opcode < 0x40 and opcode & 7 in (1, 3, 5):
        return _group_one(one, register, known)
    if opcode == 0x98 and register == "rax":
        return _extended(known.get("rax"), one.size // 2)
    if opcode in (0x69, 0x6B) and register == one.reg:
        return _both(known.get(one.rm or MEMORY), one.immediate, lambda a, b: a * b)
    if opcode == 0x63 and register == one.reg:
        return _extended(known.get(one.rm or MEMORY), 4)
    if register != one.rm:
        return None
    value = known.get(register)
    if opcode in (0x81, 0x83):
        return _operation(one.extension, value, one.immediate)
    if opcode == 0xC7 and one.extension == 0:
        return one.immediate
    if opcode in (0xC1, 0xD1, 0xD3):
        count = known.get("rcx") if opcode == 0xD3 else one.immediate if opcode == 0xC1 else 1
        return _shift(one, value, count)
    if opcode == 0xF7 and value is not None:
        return {_NOT: ~value, _NEG: -value}.get(one.extension)
    if opcode == 0xFF and value is not None:
        return {0: value + 1, 1: value - 1}.get(one.extension)
    return None


def _group_one(one: Instruction, register: str, known: Mapping[str, int]) -> int | None:
    """add, or, and, sub, xor of two registers, or of rax and a number."""
    number, form = one.opcode >> 3, one.opcode & 7
    if form == 5:
        return _operation(number, known.get("rax"), one.immediate) if register == "rax" else None
    rm = one.rm or MEMORY
    target, source = (rm, one.reg) if form == 1 else (one.reg, rm)
    if register != target or source is None:
        return None
    if target == source and number in (_SUB, _XOR):
        return 0
    return _operation(number, known.get(target), known.get(source))


def _operation(number: int, value: int | None, other: int | None) -> int | None:
    run = _OPERATIONS.get(number)
    return None if run is None else _both(value, other, run)


def _both(value: int | None, other: int | None, run: Callable[[int, int], int]) -> int | None:
    return None if value is None or other is None else run(value, other)


def _shift(one: Instruction, value: int | None, count: int | None) -> int | None:
    if value is None or count is None:
        return None
    bits = 8 * one.size
    count &= bits - 1
    value &= (1 << bits) - 1
    if one.extension in (_SHL, _SAL):
        return value << count
    if one.extension == _SHR:
        return value >> count
    if one.extension == _SAR:
        return (value - (1 << bits) if value >> bits - 1 else value) >> count
    return None


def _two_byte(one: Instruction, register: str, known: Mapping[str, int]) -> int | None:
    if register != one.reg:
        return None
    if one.opcode == 0xAF:
        return _both(known.get(register), known.get(one.rm or MEMORY), lambda a, b: a * b)
    if one.rm is None or one.opcode not in (0xB6, 0xB7, 0xBE, 0xBF):
        return None
    size = 2 if one.opcode & 1 else 1
    if size == 1 and one.rm not in _LOW_BYTES:
        return None  # ah to bh, without a REX prefix
    value = known.get(one.rm)
    if one.opcode >= 0xBE:
        return _extended(value, size)
    return None if value is None else value & (1 << 8 * size) - 1


def _extended(value: int | None, size: int) -> int | None:
    """Return the low bytes of a value with their sign."""
    if value is None:
        return None
    top = 1 << 8 * size - 1
    return ((value & 2 * top - 1) ^ top) - top
