# SPDX-License-Identifier: Apache-2.0
"""Which general registers an instruction changes, and how it makes the new value.

Source: Intel SDM volume 2. An unknown instruction counts as "may change every register".
"""

from __future__ import annotations

from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.instruction import CALL, Instruction, MemoryOperand

LOAD, COPY, ADDRESS, CONSTANT, OTHER = "load", "copy", "address", "constant", "other"
COMPUTED = "computed"  # of registers, by an instruction that x86.arithmetic knows
# The System V ABI lets a call change these.
CALL_CHANGES = frozenset(("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "rsp"))

_NOTHING: frozenset[str] = frozenset()
_HIGH_BYTES = {"rsp": "rax", "rbp": "rcx", "rsi": "rdx", "rdi": "rbx"}  # ah, ch, dh, bh
_FIXED = {
    0x98: ("rax",), 0x99: ("rdx",), 0x9C: ("rsp",), 0x9D: ("rsp",), 0xA0: ("rax",),
    0xA1: ("rax",), 0xA4: ("rsi", "rdi", "rcx"), 0xA5: ("rsi", "rdi", "rcx"),
    0xA6: ("rsi", "rdi", "rcx"), 0xA7: ("rsi", "rdi", "rcx"), 0xAA: ("rdi", "rcx"),
    0xAB: ("rdi", "rcx"), 0xAC: ("rax", "rsi", "rcx"), 0xAD: ("rax", "rsi", "rcx"),
    0xAE: ("rdi", "rcx"), 0xAF: ("rdi", "rcx"), 0xC8: ("rsp", "rbp"), 0xC9: ("rsp", "rbp"),
    0x68: ("rsp",), 0x6A: ("rsp",), 0xE0: ("rcx",), 0xE1: ("rcx",), 0xE2: ("rcx",),
    0xD7: ("rax",),
}  # fmt: skip
_NONE_ONE = frozenset(
    (*range(0x70, 0x80), 0x84, 0x85, 0x8E, 0x90, 0x9B, 0xA2, 0xA3, 0xA8, 0xA9, 0xCC, 0xE3, 0xF5,
     0xE9, 0xEB, 0xF8, 0xF9, 0xFC, 0xFD, *range(0xD8, 0xDF))
)  # fmt: skip
_REG_TWO = frozenset(
    (0x2C, 0x2D, *range(0x40, 0x51), 0xAF, 0xB6, 0xB7, 0xB8, 0xBC, 0xBD, 0xBE, 0xBF, 0xC5, 0xD7)
)
_RM_TWO = frozenset((*range(0x90, 0xA0), 0xA4, 0xA5, 0xAB, 0xAC, 0xAD, 0xB3, 0xBB))


class ValueSource(NamedTuple):
    """How a register got its value: `source` is a register's name (COPY) or the operand.

    `size` is how many bytes a load reads; `signed` whether it extends the sign to `width` bytes.
    """

    kind: str
    source: str | MemoryOperand | int | None
    size: int = 8
    signed: bool = False
    width: int = 8


def changed_registers(insn: Instruction) -> frozenset[str] | None:
    """Return the general registers that an instruction changes; None when that is not known."""
    if insn.flow == CALL:
        return CALL_CHANGES
    if insn.encoding == "legacy" and insn.opcode_map == 0:
        return _clobbers_of_one_byte_opcode(insn)
    if insn.encoding == "legacy" and insn.opcode_map == 1:
        return _clobbers_of_two_byte_opcode(insn)
    return _clobbers_of_vector_opcode(insn)


def _registers_possibly_meant(*names: str | None, is_byte: bool = False) -> frozenset[str]:
    """Return the named registers; a byte operand may mean the second byte (ah instead of spl)."""
    registers = {name for name in names if name is not None}
    if is_byte:
        registers |= {_HIGH_BYTES[name] for name in registers if name in _HIGH_BYTES}
    return frozenset(registers)


def _clobbers_of_one_byte_opcode(insn: Instruction) -> frozenset[str] | None:
    """Return the registers that an opcode of one byte changes; None where that is not known.

    Opcodes are those of the Intel SDM, volume 2, appendix A; `modrm_reg` is the reg field of ModRM.
    """
    opcode, extension, reg, rm = insn.opcode, insn.modrm_reg, insn.reg, insn.rm
    is_byte = not opcode & 1
    if opcode < 0x40:  # add, or, adc, sbb, and, sub, xor
        if opcode >> 3 == 7:  # cmp
            return _NOTHING
        return _registers_possibly_meant(
            (rm, rm, reg, reg, "rax", "rax")[opcode & 7], is_byte=is_byte
        )
    if opcode in _FIXED:
        return frozenset(_FIXED[opcode])
    if opcode in _NONE_ONE:
        return _NOTHING
    if 0x50 <= opcode < 0x60:  # push, pop
        return frozenset(("rsp",) if opcode < 0x58 else ("rsp", reg or "rsp"))
    if 0x80 <= opcode <= 0x83:  # add ... xor with a number; cmp
        return _NOTHING if extension == 7 else _registers_possibly_meant(rm, is_byte=is_byte)
    if opcode in (0x86, 0x87):  # xchg
        return _registers_possibly_meant(reg, rm, is_byte=is_byte)
    if opcode in (0x63, 0x69, 0x6B, 0x8A, 0x8B, 0x8D):  # movsxd, imul, mov, lea
        return _registers_possibly_meant(reg, is_byte=is_byte)
    if 0x91 <= opcode < 0x98:  # xchg with rax
        return frozenset(("rax", reg or "rax"))
    if 0xB0 <= opcode < 0xC0:  # mov of a number
        high = {_HIGH_BYTES.get(reg or "", "rax")} if opcode < 0xB8 else set()
        return frozenset({reg or "rax"} | high)
    if opcode in (0xF6, 0xF7):
        if extension < 2:  # test
            return _NOTHING
        # not, neg; mul, imul, div, idiv
        return _registers_possibly_meant(rm) if extension in (2, 3) else frozenset(("rax", "rdx"))
    if opcode == 0xFF and extension >= 2:  # call, jmp, push
        return frozenset(("rsp",)) if extension == 6 else _NOTHING
    if opcode in (0x88, 0x89, 0x8C, 0xC0, 0xC1, 0xC6, 0xC7, 0xD0, 0xD1, 0xD2, 0xD3, 0xFE, 0xFF):
        return _registers_possibly_meant(rm, is_byte=is_byte)
    return None


def _clobbers_of_two_byte_opcode(insn: Instruction) -> frozenset[str] | None:
    opcode = insn.opcode
    if opcode == 0x05:
        return frozenset(("rax", "rcx", "r11"))
    if opcode in _REG_TWO:
        return _registers_possibly_meant(insn.reg)
    if opcode in _RM_TWO:
        return _registers_possibly_meant(insn.rm, is_byte=True)
    if opcode in (0xA0, 0xA1, 0xA8, 0xA9):
        return frozenset(("rsp",))
    if opcode == 0xA2:
        return frozenset(("rax", "rbx", "rcx", "rdx"))
    if opcode in (0xB0, 0xB1, 0xC0, 0xC1):
        return _registers_possibly_meant("rax", insn.reg, insn.rm)
    if opcode == 0xBA:
        return _NOTHING if insn.modrm_reg == 4 else _registers_possibly_meant(insn.rm)
    if opcode == 0x7E:
        return _registers_possibly_meant(insn.rm)
    if opcode in (0x0B, 0x0D, 0x1E, 0x1F, 0x77, 0xA3, 0xC3, 0xC4) or 0x18 <= opcode <= 0x1D:
        return _NOTHING
    if 0x80 <= opcode < 0x90 or opcode in (0x2A, 0xC2, 0xC6) or opcode >= 0xD0:
        return _NOTHING
    plain = 0x10 <= opcode < 0x18 or 0x28 <= opcode < 0x30 or 0x51 <= opcode < 0x80
    return _NOTHING if plain else None


def _clobbers_of_vector_opcode(insn: Instruction) -> frozenset[str] | None:
    """Maps 2 and 3, and VEX: few write general registers."""
    opcode = insn.opcode
    if insn.opcode_map == 1:
        if opcode in (0x2C, 0x2D, 0x50, 0xC5, 0xD7):
            return _registers_possibly_meant(insn.reg)
        if opcode == 0x7E:
            return _registers_possibly_meant(insn.rm)
        return _NOTHING if opcode not in (0x92, 0x93) else None
    if insn.opcode_map == 2 and opcode >= 0xF0:
        return frozenset((insn.reg,)) if opcode == 0xF7 and insn.reg else None
    if insn.opcode_map == 3:
        if opcode in (0x61, 0x63):
            return frozenset(("rcx",))
        if 0x14 <= opcode <= 0x17:
            return _registers_possibly_meant(insn.rm)
        if opcode == 0xF0:
            return _registers_possibly_meant(insn.reg)
    return _NOTHING


def value_source(insn: Instruction, register: str) -> ValueSource:
    """Return how an instruction that changes a register makes its value."""
    other = ValueSource(OTHER, None)
    opcode, size, explicit = insn.opcode, insn.size, insn.explicit_operand
    if insn.encoding != "legacy" or register not in (insn.reg, insn.rm):
        return other
    if insn.opcode_map == 1:  # movzx and movsx from memory
        if opcode in (0xB6, 0xB7, 0xBE, 0xBF) and explicit is not None and register == insn.reg:
            return ValueSource(LOAD, explicit, 2 if opcode & 1 else 1, opcode >= 0xBE, size)
        return other
    if insn.opcode_map != 0:
        return other
    if opcode == 0x8D and insn.memory is not None:
        return ValueSource(ADDRESS, insn.memory, size) if size >= 4 else other
    if 0xB8 <= opcode < 0xC0 and insn.immediate is not None:
        return ValueSource(CONSTANT, insn.immediate, size)
    if opcode in (0x89, 0x8B) and size >= 4:
        target, source = (insn.rm, insn.reg) if opcode == 0x89 else (insn.reg, insn.rm)
        if register != target:
            return other
        if source is not None and insn.memory is None:
            return ValueSource(COPY, source, size)
        return ValueSource(LOAD, explicit, size) if opcode == 0x8B else other
    if opcode == 0x63 and explicit is not None and register == insn.reg:
        return ValueSource(LOAD, explicit, 4, True, size)
    if 0x58 <= opcode < 0x60 and register == insn.reg and register != "rsp":
        return ValueSource(LOAD, insn.operands[0], 8)
    return other


def stored_register(insn: Instruction) -> str | None:
    """Return the general register that an instruction stores whole: push, or a move to memory."""
    if insn.encoding != "legacy" or insn.opcode_map != 0:
        return None
    is_push = 0x50 <= insn.opcode < 0x58
    is_store = insn.opcode == 0x89 and insn.size == 8 and insn.memory is not None
    return insn.reg if is_push or is_store else None
