# SPDX-License-Identifier: Apache-2.0
"""Find the memory operand of one x86-64 instruction.

Only what a fault needs: base, index, scale, displacement, segment, and the direction where it
is plain. Not a disassembler: an encoding it does not know gives None, never a guess.
Source: Intel SDM volume 2, chapter 2 (instruction format) and the opcode maps of appendix A.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.lean import NamedTuple

REGISTERS = (
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
    "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
)  # fmt: skip
MAX_LENGTH = 15  # bytes of the longest instruction
MASK = (1 << 64) - 1

_SEGMENTS = {0x64: "fs_base", 0x65: "gs_base"}
_PLAIN_PREFIXES = frozenset((0x26, 0x2E, 0x36, 0x3E, 0x66, 0xF0, 0xF2, 0xF3))
_STRING_READS = frozenset((0xA4, 0xA5, 0xA6, 0xA7, 0xAC, 0xAD))  # (%rsi)
_STRING_WRITES = frozenset((0xAA, 0xAB))  # (%rdi)
_GROUP_BYTES = frozenset(
    (0x62, 0x63, 0x69, 0x6B, *range(0x80, 0x90), 0xC0, 0xC1, 0xC6, 0xC7,
     *range(0xD0, 0xD4), *range(0xD8, 0xE0), 0xF6, 0xF7, 0xFE, 0xFF)
)  # fmt: skip
_TWO_BYTE_PLAIN = frozenset(
    (0x05, 0x06, 0x07, 0x08, 0x09, 0x0B, 0x0E, *range(0x30, 0x38), 0x77, *range(0x80, 0x90),
     0xA0, 0xA1, 0xA2, 0xA8, 0xA9, 0xAA, *range(0xC8, 0xD0))
)  # fmt: skip
_STORES = frozenset((0x88, 0x89, 0xC6, 0xC7, 0x8F))
_TWO_BYTE_STORES = frozenset((0x11, 0x13, 0x17, 0x29, 0x2B, 0x7F, 0xD6, 0xE7, 0xC3, 0xB0, 0xB1))


class Operand(NamedTuple):
    """One memory access: segment + base + index * scale + displacement.

    `access` is "r", "w" or None when the opcode alone does not tell.
    """

    base: str | None
    index_register: str | None
    scale: int
    displacement: int
    segment: str | None
    access: str | None
    rip_relative: bool = False
    length: int = 0  # of the instruction, for rip-relative operands (immediate not counted)

    def address(self, registers: Mapping[str, int]) -> int | None:
        """Return the effective address; None when a register is unknown or rip-relative."""
        if self.rip_relative:
            return None
        total = self.displacement
        for name, scale in ((self.base, 1), (self.index_register, self.scale), (self.segment, 1)):
            if name is None:
                continue
            if name not in registers:
                return None
            total += registers[name] * scale
        return total & MASK


class _Prefix(NamedTuple):
    """What precedes the opcode."""

    position: int
    rex: int  # the low four bits W R X B
    segment: str | None


def memory_operand(code: bytes) -> Operand | None:
    """Return the memory operand of the instruction at the start of `code`, or None."""
    try:
        prefix = _prefixes(code)
        return _operand(code, prefix)
    except IndexError:
        return None


def _prefixes(code: bytes) -> _Prefix:
    position, segment = 0, None
    while code[position] in _PLAIN_PREFIXES or code[position] in _SEGMENTS:
        segment = _SEGMENTS.get(code[position], segment)
        position += 1
    rex = 0
    if 0x40 <= code[position] <= 0x4F:
        rex = code[position] & 0xF
        position += 1
    return _Prefix(position, rex, segment)


def _operand(code: bytes, prefix: _Prefix) -> Operand | None:
    opcode, at = code[prefix.position], prefix.position + 1
    if opcode in (0xC4, 0xC5):
        return _vex(code, at, opcode, prefix)
    if opcode == 0x0F:
        return _two_byte(code, at, prefix)
    implicit = _implicit(opcode, prefix)
    if implicit is not None:
        return implicit
    if (opcode < 0x40 and opcode & 7 < 4) or (opcode in _GROUP_BYTES and opcode != 0x62):
        found = _modrm(code, at, prefix)
        if opcode == 0x8D:  # lea computes, it does not access
            return None
        return found and found._replace(access=_direction(opcode, code[at]))
    return None


def _two_byte(code: bytes, at: int, prefix: _Prefix) -> Operand | None:
    opcode = code[at]
    if opcode in (0x38, 0x3A):
        return _modrm(code, at + 2, prefix)
    if opcode in _TWO_BYTE_PLAIN:
        return None
    found = _modrm(code, at + 1, prefix)
    if opcode in (0x0D, 0x18, 0x1E, 0x1F):  # prefetch and nop access nothing
        return None
    access = "w" if opcode in _TWO_BYTE_STORES else "r"
    return found and found._replace(access=access)


def _vex(code: bytes, at: int, opcode: int, prefix: _Prefix) -> Operand | None:
    inverted = code[at] ^ 0xFF
    rex = (inverted >> 5) & 0x4  # R
    opcode_map = 1
    if opcode == 0xC4:
        rex = (inverted >> 5) & 0x7  # R X B in the order of REX
        opcode_map = code[at] & 0x1F
        at += 1
    if opcode_map not in (1, 2, 3) or (opcode_map == 1 and code[at + 1] == 0x77):
        return None
    found = _modrm(code, at + 2, prefix._replace(rex=rex))
    access = "w" if opcode_map == 1 and code[at + 1] in _TWO_BYTE_STORES else None
    return found and found._replace(access=access)


def _implicit(opcode: int, prefix: _Prefix) -> Operand | None:
    segment = prefix.segment
    if opcode in _STRING_READS:
        return Operand("rsi", None, 1, 0, segment, "r")
    if opcode in _STRING_WRITES:
        return Operand("rdi", None, 1, 0, None, "w")
    if 0x50 <= opcode <= 0x57 or opcode in (0xE8, 0x68, 0x6A):  # push, call
        return Operand("rsp", None, 1, -8, None, "w")
    if 0x58 <= opcode <= 0x5F or opcode in (0xC2, 0xC3):  # pop, ret
        return Operand("rsp", None, 1, 0, None, "r")
    if opcode == 0xC9:  # leave
        return Operand("rbp", None, 1, 0, None, "r")
    return None


def _direction(opcode: int, modrm: int) -> str | None:
    register = (modrm >> 3) & 7
    if opcode < 0x40:
        compares = opcode >> 3 == 7
        return "w" if opcode & 7 < 2 and not compares else "r"
    if opcode in _STORES:
        return "w"
    if opcode in (0x80, 0x81, 0x83):
        return "r" if register == 7 else "w"
    if opcode in (0x8A, 0x8B, 0x63, 0x84, 0x85, 0x69, 0x6B):
        return "r"
    if opcode == 0xFF:
        return "w" if register < 2 else "r"
    return None


def _modrm(code: bytes, at: int, prefix: _Prefix) -> Operand | None:
    modrm = code[at]
    mode, low = modrm >> 6, modrm & 7
    if mode == 3:
        return None
    at += 1
    base: str | None = REGISTERS[low | (prefix.rex & 1) << 3]
    index, scale = None, 1
    if low == 4:
        base, index, scale = _sib(code[at], mode, prefix.rex)
        at += 1
    elif low == 5 and mode == 0:
        return Operand(None, None, 1, 0, prefix.segment, None, rip_relative=True, length=at + 4)
    size = {0: 4 if base is None else 0, 1: 1, 2: 4}[mode]
    if len(code) < at + size:
        raise IndexError(at)
    displacement = int.from_bytes(code[at : at + size], "little", signed=True) if size else 0
    return Operand(base, index, scale, displacement, prefix.segment, None)


def _sib(sib: int, mode: int, rex: int) -> tuple[str | None, str | None, int]:
    index_number = (sib >> 3) & 7 | (rex & 2) << 2
    base_number = sib & 7 | (rex & 1) << 3
    base = None if sib & 7 == 5 and mode == 0 else REGISTERS[base_number]
    index = None if index_number == 4 else REGISTERS[index_number]
    return base, index, 1 << (sib >> 6)
