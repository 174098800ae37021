# SPDX-License-Identifier: Apache-2.0
"""What integer instructions between registers make, for code that is run again.

Source: Intel SDM volume 2. 8 and 16 bits, and what reads flags, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi.sizes import WORD_MASK
from gdb_epi.x86.instruction import Instruction

_ADD, _OR, _AND, _SUB, _XOR = 0, 1, 4, 5, 6  # numbers of the eight groups of SDM's opcode map
_SHL, _SHR, _SAL, _SAR = 4, 5, 6, 7  # of group 2
_OPERATIONS: dict[int, Callable[[int, int], int]] = {
    _ADD: lambda left, right: left + right,
    _OR: lambda left, right: left | right,
    _AND: lambda left, right: left & right,
    _SUB: lambda left, right: left - right,
    _XOR: lambda left, right: left ^ right,
}
_NOT, _NEG, _MUL, _IMUL, _DIV, _IDIV = range(2, 8)  # of group 3
MEMORY = "memory"  # the name by which the operand in memory is known
_LOW_BYTES = frozenset(("rax", "rcx", "rdx", "rbx"))  # whose low byte is what ModRM names, always


def computed_value(insn: Instruction, register: str, values: Mapping[str, int]) -> int | None:
    """Return what an instruction puts into a register.

    `values` holds the known values of registers before it and, under the name MEMORY, that of the
    operand in memory. None where the instruction is not understood here, or needs a register whose
    value is unknown.
    """
    if insn.encoding != "legacy" or insn.size < 4 or insn.opcode_map > 1:
        return None
    value = (_result_of_two_byte_opcode if insn.opcode_map else _result_of_one_byte_opcode)(
        insn, register, values
    )
    return None if value is None else value & (WORD_MASK if insn.size == 8 else 0xFFFFFFFF)


def added_constant(insn: Instruction, register: str) -> int | None:
    """Return what an instruction adds to all 64 bits of a register; None for any other change.

    What was added can be taken off again: the register's value before is known from that after.
    """
    if insn.encoding != "legacy" or insn.opcode_map != 0 or insn.size != 8:
        return None
    memory = insn.memory
    if insn.opcode == 0x8D and insn.reg == register and memory is not None:
        plain = memory.registers() == (register,) and memory.base == register
        return memory.displacement if plain else None
    if insn.rm != register:
        return None
    if insn.opcode in (0x81, 0x83) and insn.immediate is not None:
        return {_ADD: insn.immediate, _SUB: -insn.immediate}.get(insn.modrm_reg)
    return {0: 1, 1: -1}.get(insn.modrm_reg) if insn.opcode == 0xFF else None


def _result_of_one_byte_opcode(
    insn: Instruction, register: str, values: Mapping[str, int]
) -> int | None:
    opcode = insn.opcode
    source = insn.rm or MEMORY
    if opcode < 0x40 and opcode & 7 in (1, 3):  # add, or, and, sub, xor of two registers
        target, other = (source, insn.reg) if opcode & 7 == 1 else (insn.reg, source)
        if register != target or other is None:
            return None
        if target == other and opcode >> 3 in (_SUB, _XOR):
            return 0
        return _alu_result(opcode >> 3, values.get(target), values.get(other))
    if opcode < 0x40 and opcode & 7 == 5:  # the same of rax and a number
        if register != "rax":
            return None
        return _alu_result(opcode >> 3, values.get("rax"), insn.immediate)
    if opcode == 0x98 and register == "rax":
        return _sign_extend(values.get("rax"), insn.size // 2)
    if opcode in (0x69, 0x6B) and register == insn.reg:
        return _product(values.get(source), insn.immediate)
    if opcode == 0x63 and register == insn.reg:
        return _sign_extend(values.get(source), 4)
    if opcode == 0x99 and register == "rdx":
        sign = _sign_extend(values.get("rax"), insn.size)
        return None if sign is None else -1 if sign < 0 else 0
    if opcode == 0xF7 and insn.modrm_reg >= _MUL and register in ("rax", "rdx"):
        results = _multiply_or_divide_wide(
            insn, values.get("rax"), values.get("rdx"), values.get(source)
        )
        return None if results is None else results[register == "rdx"]
    if register != source:
        return None
    value = values.get(register)
    if opcode in (0x81, 0x83):
        return _alu_result(insn.modrm_reg, value, insn.immediate)
    if opcode == 0xC7 and insn.modrm_reg == 0:
        return insn.immediate
    if opcode in (0xC1, 0xD1, 0xD3):
        count = {0xC1: insn.immediate, 0xD1: 1, 0xD3: values.get("rcx")}[opcode]
        return _shift(insn, value, count)
    if opcode == 0xF7 and value is not None:
        return {_NOT: ~value, _NEG: -value}.get(insn.modrm_reg)
    if opcode == 0xFF and value is not None:
        return {0: value + 1, 1: value - 1}.get(insn.modrm_reg)
    return None


def _result_of_two_byte_opcode(
    insn: Instruction, register: str, values: Mapping[str, int]
) -> int | None:
    if register != insn.reg:
        return None
    if insn.opcode == 0xAF:
        return _product(values.get(register), values.get(insn.rm or MEMORY))
    if insn.rm is None or insn.opcode not in (0xB6, 0xB7, 0xBE, 0xBF):
        return None
    size = 2 if insn.opcode & 1 else 1
    if size == 1 and insn.rm not in _LOW_BYTES and not insn.rex:
        return None  # ah to bh, without a REX prefix
    value = values.get(insn.rm)
    if insn.opcode >= 0xBE:
        return _sign_extend(value, size)
    return None if value is None else value & (1 << 8 * size) - 1


def _alu_result(number: int, left: int | None, right: int | None) -> int | None:
    run = _OPERATIONS.get(number)
    return None if run is None or left is None or right is None else run(left, right)


def _product(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left * right


def _multiply_or_divide_wide(
    insn: Instruction, low: int | None, high: int | None, by: int | None
) -> tuple[int, int] | None:
    """Return what mul, imul, div and idiv leave in rax and rdx; None where it is not known."""
    bits = 8 * insn.size
    mask = (1 << bits) - 1
    if low is None or by is None:
        return None
    low, by = low & mask, by & mask
    signed = insn.modrm_reg in (_IMUL, _IDIV)
    factor = (_sign_extend(by, insn.size) if signed else by) or 0
    if insn.modrm_reg in (_MUL, _IMUL):
        product = ((_sign_extend(low, insn.size) or 0) if signed else low) * factor
        return product & mask, product >> bits & mask
    if high is None or not factor:
        return None
    whole = (high & mask) << bits | low
    if signed and whole >> 2 * bits - 1:
        whole -= 1 << 2 * bits
    quotient = abs(whole) // abs(factor) * (-1 if (whole < 0) != (factor < 0) else 1)
    return quotient, whole - quotient * factor


def _shift(insn: Instruction, value: int | None, count: int | None) -> int | None:
    if value is None or count is None:
        return None
    bits = 8 * insn.size
    count &= bits - 1
    value &= (1 << bits) - 1
    if insn.modrm_reg in (_SHL, _SAL):
        return value << count
    if insn.modrm_reg == _SHR:
        return value >> count
    if insn.modrm_reg == _SAR:
        return (value - (1 << bits) if value >> bits - 1 else value) >> count
    return None


def _sign_extend(value: int | None, size: int) -> int | None:
    """Return the low bytes of a value with their sign."""
    if value is None:
        return None
    top = 1 << 8 * size - 1
    return ((value & 2 * top - 1) ^ top) - top
