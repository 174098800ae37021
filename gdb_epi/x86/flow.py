# SPDX-License-Identifier: Apache-2.0
"""Which general registers an instruction changes, and how it makes the new value.

Source: Intel SDM volume 2. What is not known counts as "may change all".
"""

from __future__ import annotations

from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.operand import Instruction, Operand

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
    source: str | Operand | int | None
    size: int = 8
    signed: bool = False
    width: int = 8


def changed_registers(one: Instruction) -> frozenset[str] | None:
    """Return the general registers that an instruction changes; None when that is not known."""
    if one.flow == "call":
        return CALL_CHANGES
    if one.encoding != "legacy":
        return _vector(one)
    if one.map == 0:
        return _one_byte(one)
    if one.map == 1:
        return _two_byte(one)
    return _vector(one)


def _named(one: Instruction, *names: str | None) -> frozenset[str]:
    found = {name for name in names if name is not None}
    if one.map == 0 and one.opcode < 0x90 and not one.opcode & 1:
        found |= {_HIGH_BYTES[name] for name in found if name in _HIGH_BYTES}
    return frozenset(found)


def _one_byte(one: Instruction) -> frozenset[str] | None:
    opcode, extension = one.opcode, one.extension
    if opcode < 0x40:
        if opcode >> 3 == 7:
            return _NOTHING
        return _named(one, (one.rm, one.rm, one.reg, one.reg, "rax", "rax")[opcode & 7])
    if opcode in _FIXED:
        return frozenset(_FIXED[opcode])
    if opcode in _NONE_ONE:
        return _NOTHING
    if 0x50 <= opcode < 0x60:
        return frozenset(("rsp",) if opcode < 0x58 else ("rsp", one.reg or "rsp"))
    if 0x80 <= opcode <= 0x83:
        return _NOTHING if extension == 7 else _named(one, one.rm)
    if opcode in (0x86, 0x87):
        return _named(one, one.reg, one.rm)
    if opcode in (0x63, 0x69, 0x6B, 0x8A, 0x8B, 0x8D):
        return _named(one, one.reg)
    if 0x91 <= opcode < 0x98:
        return frozenset(("rax", one.reg or "rax"))
    if 0xB0 <= opcode < 0xC0:
        high = {_HIGH_BYTES.get(one.reg or "", "rax")} if opcode < 0xB8 else set()
        return frozenset({one.reg or "rax"} | high)
    if opcode in (0xF6, 0xF7):
        return (_NOTHING, _NOTHING)[extension] if extension < 2 else _multiply(one)
    if opcode == 0xFF and extension >= 2:
        return frozenset(("rsp",)) if extension == 6 else _NOTHING
    if opcode in (0x88, 0x89, 0x8C, 0xC0, 0xC1, 0xC6, 0xC7, 0xD0, 0xD1, 0xD2, 0xD3, 0xFE, 0xFF):
        names = {name for name in (one.rm,) if name is not None}
        if not opcode & 1:
            names |= {_HIGH_BYTES[name] for name in names if name in _HIGH_BYTES}
        return frozenset(names)
    return None


def _multiply(one: Instruction) -> frozenset[str]:
    if one.extension in (2, 3):
        return frozenset((one.rm,) if one.rm else ())
    return frozenset(("rax", "rdx"))


def _two_byte(one: Instruction) -> frozenset[str] | None:
    opcode = one.opcode
    if opcode == 0x05:
        return frozenset(("rax", "rcx", "r11"))
    if opcode in _REG_TWO:
        return frozenset((one.reg,) if one.reg else ())
    if opcode in _RM_TWO:
        names = {one.rm} if one.rm else set()
        return frozenset(names | {_HIGH_BYTES[n] for n in names if n in _HIGH_BYTES})
    if opcode in (0xA0, 0xA1, 0xA8, 0xA9):
        return frozenset(("rsp",))
    if opcode == 0xA2:
        return frozenset(("rax", "rbx", "rcx", "rdx"))
    if opcode in (0xB0, 0xB1, 0xC0, 0xC1):
        return frozenset({"rax", one.reg or "rax", one.rm or "rax"})
    if opcode == 0xBA:
        return frozenset((one.rm,) if one.rm and one.extension != 4 else ())
    if opcode == 0x7E:
        return frozenset((one.rm,) if one.rm else ())
    if opcode in (0x0D, 0x1E, 0x1F, 0xA3, 0xC3, 0xC4) or 0x18 <= opcode <= 0x1D:
        return _NOTHING
    if opcode in (0x0B, 0x77) or 0x80 <= opcode < 0x90:
        return _NOTHING
    plain = 0x10 <= opcode < 0x18 or 0x28 <= opcode < 0x30 or 0x51 <= opcode < 0x80
    return _NOTHING if plain or opcode in (0x2A, 0xC2, 0xC6) or opcode >= 0xD0 else None


def _vector(one: Instruction) -> frozenset[str] | None:
    """Maps 2 and 3, and VEX: few write general registers."""
    if one.map == 1:
        if one.opcode in (0x2C, 0x2D, 0x50, 0xC5, 0xD7):
            return frozenset((one.reg,) if one.reg else ())
        if one.opcode == 0x7E:
            return frozenset((one.rm,) if one.rm else ())
        return _NOTHING if one.opcode not in (0x92, 0x93) else None
    if one.map == 2 and one.opcode >= 0xF0:
        return frozenset((one.reg,)) if one.opcode == 0xF7 and one.reg else None
    if one.map == 3:
        if one.opcode in (0x61, 0x63):
            return frozenset(("rcx",))
        if 0x14 <= one.opcode <= 0x17:
            return frozenset((one.rm,) if one.rm else ())
        if one.opcode == 0xF0:
            return frozenset((one.reg,) if one.reg else ())
    return _NOTHING


def value_source(one: Instruction, register: str) -> ValueSource:
    """Return how an instruction that changes a register makes its value."""
    other = ValueSource(OTHER, None)
    if one.encoding != "legacy" or register not in (one.reg, one.rm):
        return other
    if one.map == 1:
        return _extended(one, register)
    if one.map != 0:
        return other
    if one.opcode == 0x8D and one.memory is not None:
        return ValueSource(ADDRESS, one.memory, one.size) if one.size >= 4 else other
    if 0xB8 <= one.opcode < 0xC0 and one.immediate is not None:
        return ValueSource(CONSTANT, one.immediate, one.size)
    if one.opcode in (0x89, 0x8B) and one.size >= 4:
        target, source = (one.rm, one.reg) if one.opcode == 0x89 else (one.reg, one.rm)
        if register != target:
            return other
        if source is not None and one.memory is None:
            return ValueSource(COPY, source, one.size)
        return ValueSource(LOAD, one.explicit, one.size) if one.opcode == 0x8B else other
    if one.opcode == 0x63 and one.explicit is not None and register == one.reg:
        return ValueSource(LOAD, one.explicit, 4, True, one.size)
    if 0x58 <= one.opcode < 0x60 and register == one.reg and register != "rsp":
        return ValueSource(LOAD, one.operands[0], 8)
    return other


def _extended(one: Instruction, register: str) -> ValueSource:
    """movzx and movsx from memory."""
    if one.opcode in (0xB6, 0xB7, 0xBE, 0xBF) and one.explicit is not None and register == one.reg:
        size = 1 if not one.opcode & 1 else 2
        return ValueSource(LOAD, one.explicit, size, one.opcode >= 0xBE, one.size)
    return ValueSource(OTHER, None)


def stored_register(one: Instruction) -> str | None:
    """Return the general register that an instruction stores whole: push, or a move to memory."""
    if one.encoding != "legacy" or one.map != 0:
        return None
    if 0x50 <= one.opcode < 0x58:
        return one.reg
    return one.reg if one.opcode == 0x89 and one.size == 8 and one.memory is not None else None
