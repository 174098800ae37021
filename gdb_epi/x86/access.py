# SPDX-License-Identifier: Apache-2.0
"""How an instruction accesses memory: read or write, how many bytes, how aligned.

Source: Intel SDM volume 2, the instructions' own pages; alignment: volume 1, 14.9 (legacy SSE
operands of 16 bytes must be aligned, VEX ones only for the moves that say so).
"""

from __future__ import annotations

from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.instruction import MemoryOperand

# -- Which opcodes have a ModRM byte and an immediate, in 64-bit mode ------------------------------
#
# One letter an opcode. Without ModRM: "0" nothing, "b" 1 byte, "w" 2, "z" 4 (2 with prefix
# 0x66), "v" 4 (8 with REX.W), "J" and "j" a relative target of 1 and 4 bytes, "o" an address of
# 8 bytes, "e" enter's 3 bytes. With ModRM: "M", "B" and 1 byte, "Z" and 4 (2). "x": no such
# instruction. Source: Intel SDM volume 2, appendix A, tables.

_ALU = "MMMMbzxx"
ONE_BYTE = (
    _ALU * 8
    + "x" * 16  # 40: REX, taken as a prefix
    + "0" * 16  # 50: push, pop
    + "xxxMxxxxzZbB0000"  # 60
    + "J" * 16  # 70
    + "BZxBMMMMMMMMMMMM"  # 80
    + "0000000000x00000"  # 90
    + "oooo0000bz000000"  # A0
    + "bbbbbbbbvvvvvvvv"  # B0
    + "BBw0xxBZe0w00bx0"  # C0
    + "MMMMxxx0MMMMMMMM"  # D0
    + "JJJJbbbbjjxJ0000"  # E0
    + "x0xx00MM000000MM"  # F0
)
TWO_BYTE = (
    "MMMMx0000 0x0xM0B".replace(" ", "")  # 00
    + "M" * 16  # 10
    + "MMMMxxxxMMMMMMMM"  # 20
    + "000000x0xxxxxxxx"  # 30: 38 and 3A lead to other maps
    + "M" * 48  # 40 to 6F
    + "BBBBMMM0MMxxMMMM"  # 70
    + "j" * 16  # 80
    + "M" * 16  # 90
    + "000MBMxx000MBMMM"  # A0
    + "MMMMMMMMMMBMMMMM"  # B0
    + "MMBMBBBM00000000"  # C0
    + "M" * 48  # D0 to FF
)
MAPS = (ONE_BYTE, TWO_BYTE, "M" * 256, "B" * 256)

PRIVILEGED = frozenset(
    (0x6C, 0x6D, 0x6E, 0x6F, *range(0xE4, 0xE8), *range(0xEC, 0xF0), 0xF4, 0xFA, 0xFB)
)
PRIVILEGED_TWO = frozenset((0x06, 0x07, 0x08, 0x09, 0x20, 0x21, 0x22, 0x23, 0x30, 0x32, 0x35))

# x87, by opcode - 0xD8: (access, size) of the memory forms /0 to /7; None for no such one.
_R4, _R8, _R2, _W4, _W8, _W2 = ("r", 4), ("r", 8), ("r", 2), ("w", 4), ("w", 8), ("w", 2)
X87: tuple[tuple[tuple[str, int] | None, ...], ...] = (
    (_R4,) * 8,
    (_R4, None, _W4, _W4, ("r", 28), _R2, ("w", 28), _W2),
    (_R4,) * 8,
    (_R4, _W4, _W4, _W4, None, ("r", 10), None, ("w", 10)),
    (_R8,) * 8,
    (_R8, _W8, _W8, _W8, ("r", 108), None, ("w", 108), _W2),
    (_R2,) * 8,
    (_R2, _W2, _W2, _W2, ("r", 10), _R8, ("w", 10), _W8),
)

# Legacy and VEX opcodes of map 1 that store to memory, others of the vector part load.
VECTOR_STORES = frozenset((0x11, 0x13, 0x17, 0x29, 0x2B, 0x7F, 0xD6, 0xE7))
# Moves that may be unaligned, by (opcode, prefix); other legacy 16-byte accesses may not.
UNALIGNED = frozenset(
    ((0x10, 0), (0x10, 0x66), (0x11, 0), (0x11, 0x66), (0x6F, 0xF3), (0x7F, 0xF3), (0xF0, 0xF2))
)
VEX_ALIGNED = frozenset(
    ((0x28, 1), (0x29, 1), (0x2B, 1), (0x6F, 1), (0x7F, 1), (0xE7, 1), (0x2A, 2))
)
# Bytes read by pmovsx and pmovzx of map 2, opcode & 7: a share of the vector.
EXTENDS = (2, 4, 8, 2, 4, 2)
# map 3: (access, size); size 0 is 4 or 8 by REX.W.
MAP3_SMALL = {
    0x0A: _R4, 0x0B: _R8, 0x14: ("w", 1), 0x15: _W2, 0x16: ("w", 0), 0x17: _W4, 0x20: ("r", 1),
    0x21: _R4, 0x22: ("r", 0), 0x18: ("r", 16), 0x19: ("w", 16), 0x38: ("r", 16), 0x39: ("w", 16),
    0x1D: ("w", -2),
}  # fmt: skip
# map 2, VEX: broadcasts and masked moves; -1 is the whole vector.
MAP2_VEX = {
    0x18: _R4, 0x19: _R8, 0x1A: ("r", 16), 0x58: _R4, 0x59: _R8, 0x5A: ("r", 16), 0x78: ("r", 1),
    0x79: _R2, 0x2E: ("w", -1), 0x2F: ("w", -1), 0x8E: ("w", -1), 0x13: ("r", -2),
}  # fmt: skip
GATHERS = frozenset((0x90, 0x91, 0x92, 0x93, 0xA0, 0xA1, 0xA2, 0xA3, 0xC6, 0xC7))
# EVEX opcodes whose one-byte displacement counts whole vectors (tuple types FV and FVM without
# broadcast), by map.
EVEX_FULL = {
    1: frozenset((*range(0x54, 0x5A), 0x5C, 0x5D, 0x5E, 0x5F, 0x28, 0x29, 0x2B, 0x6F, 0x7F, 0xE7,
                  *range(0x60, 0x6E), 0x74, 0x75, 0x76, 0xD4, *range(0xD8, 0xE0), 0xEB, 0xEF,
                  0xEA, 0xEE, *range(0xF8, 0xFF))),
    2: frozenset((0x00, 0x26, 0x27, *range(0x38, 0x41), 0x36, 0x1F, 0x1E, 0x1D, 0x1C)),
    3: frozenset((0x1E, 0x1F, 0x3E, 0x3F, 0x25, 0x0F)),
}  # fmt: skip


# -- How an instruction accesses memory: read or write, how many bytes, how aligned ----------------

UNKNOWN = (None, 0, 1)
Access = tuple["str | None", int, int]  # access, size, alignment


class EncodingFields(NamedTuple):
    """What the bytes of an instruction say, before its meaning."""

    encoding: str
    opcode_map: int
    opcode: int
    prefix: int  # 0, 0x66, 0xF3 or 0xF2: what selects among vector instructions
    wide: bool  # REX.W
    size: int  # operand size: 2, 4 or 8
    vector: int  # bytes of a vector register
    modrm: int  # -1 without one
    repeated: bool
    extended: int  # REX bits R, X, B

    @property
    def modrm_reg(self) -> int:
        """Return the reg field of ModRM, -1 without one."""
        return -1 if self.modrm < 0 else self.modrm >> 3 & 7


def memory_access(code: EncodingFields) -> Access | None:
    """Return how the ModRM operand is accessed; None when the instruction accesses nothing."""
    if code.opcode_map == 0:
        return _one_byte_opcode_access(code)
    if code.encoding == "evex":
        return _evex_access(code)
    if code.opcode_map == 1:
        opcode = code.opcode
        if 0x18 <= opcode <= 0x1F or opcode == 0x0D:  # prefetch and nop
            return None
        if opcode in (0x00, 0x01, 0x0F, 0x78, 0x79):
            return UNKNOWN
        if opcode >= 0x90 and (opcode < 0xC2 or opcode in (0xC3, 0xC7)):
            return _general_two_byte_access(code)
        if opcode in (0x02, 0x03):
            return "r", 2, 1
        if 0x40 <= opcode < 0x50:
            return "r", code.size, 1
        return _vector_access(code)
    return _opcode_map2_access(code) if code.opcode_map == 2 else _opcode_map3_access(code)


def _one_byte_opcode_access(code: EncodingFields) -> Access | None:
    opcode, extension = code.opcode, code.modrm_reg
    size = code.size if opcode & 1 else 1
    if opcode < 0x40:
        writes = opcode & 7 < 2 and opcode >> 3 != 7
        return ("w" if writes else "r"), size, 1
    if opcode in (0x80, 0x81, 0x83):
        return ("r" if extension == 7 else "w"), size, 1
    if 0xD8 <= opcode <= 0xDF:
        x87 = X87[opcode - 0xD8][extension]
        return (*x87, 1) if x87 else UNKNOWN
    if opcode in (0xF6, 0xF7):
        return ("w" if extension in (2, 3) else "r"), size, 1
    if opcode == 0xFF and extension >= 2:
        return ("r", 8, 1) if extension in (2, 4, 6) else UNKNOWN
    if opcode == 0x8D:
        return None
    accesses: dict[int, Access] = {
        0x63: ("r", 4, 1), 0x69: ("r", code.size, 1), 0x6B: ("r", code.size, 1),
        0x84: ("r", 1, 1), 0x85: ("r", code.size, 1), 0x8A: ("r", 1, 1), 0x8B: ("r", code.size, 1),
        0x8C: ("w", 2, 1), 0x8E: ("r", 2, 1), 0x8F: ("w", 8, 1),
    }  # fmt: skip
    return accesses.get(opcode, ("w", size, 1))


def _general_two_byte_access(code: EncodingFields) -> Access | None:
    opcode, size, extension = code.opcode, code.size, code.modrm_reg
    if opcode < 0xA0:
        return ("w", 1, 1) if code.encoding == "legacy" else UNKNOWN
    if opcode == 0xAE:
        return _vector_state_access(code)
    if opcode == 0xC7:
        if extension == 1:
            return "w", 16 if code.wide else 8, 16 if code.wide else 1
        return UNKNOWN
    if opcode == 0xBA:
        return ("r" if extension == 4 else "w"), size, 1
    fixed: dict[int, Access] = {
        0xB0: ("w", 1, 1), 0xC0: ("w", 1, 1), 0xB6: ("r", 1, 1), 0xBE: ("r", 1, 1),
        0xB7: ("r", 2, 1), 0xBF: ("r", 2, 1), 0xC3: ("w", size, 1),
        0xB2: UNKNOWN, 0xB4: UNKNOWN, 0xB5: UNKNOWN, 0xB9: UNKNOWN,
    }  # fmt: skip
    if opcode in fixed:
        return fixed[opcode]
    writes = opcode in (0xA4, 0xA5, 0xAB, 0xAC, 0xAD, 0xB1, 0xB3, 0xBB, 0xC1)
    return ("w" if writes else "r"), size, 1


def _vector_state_access(code: EncodingFields) -> Access | None:
    """0x0FAE: saving and loading the state of the vector unit."""
    if code.encoding != "legacy":
        return {2: ("r", 4, 1), 3: ("w", 4, 1)}.get(code.modrm_reg, UNKNOWN)
    if code.prefix == 0x66 and code.modrm_reg >= 6:  # clwb, clflushopt
        return "r", 1, 1
    accesses: tuple[Access, ...] = (
        ("w", 512, 16), ("r", 512, 16), ("r", 4, 1), ("w", 4, 1),
        ("w", 0, 64), ("r", 0, 64), ("w", 0, 64), ("r", 1, 1),
    )  # fmt: skip
    return accesses[code.modrm_reg]


def _vector_access(code: EncodingFields) -> Access:
    """Map 1, the vector part; legacy and VEX."""
    opcode, prefix = code.opcode, code.prefix
    access = "w" if opcode in VECTOR_STORES else "r"
    if opcode == 0x7E:
        return ("r", 8, 1) if prefix == 0xF3 else ("w", 8 if code.wide else 4, 1)
    if opcode == 0x6E:
        return "r", 8 if code.wide else 4, 1
    size = _vector_memory_operand_size(code)
    aligned = 1
    if code.encoding == "legacy":
        if size == 16 and (opcode, prefix) not in UNALIGNED:
            aligned = 16
    elif (opcode, 1) in VEX_ALIGNED and prefix != 0xF3:
        aligned = size
    return access, size, aligned


def _vector_memory_operand_size(code: EncodingFields) -> int:
    opcode, prefix, whole = code.opcode, code.prefix, code.vector
    scalar = {0xF3: 4, 0xF2: 8}.get(prefix)
    if opcode in (0x10, 0x11, 0x51, 0x52, 0x53, 0x58, 0x59, 0x5C, 0x5D, 0x5E, 0x5F, 0xC2):
        return scalar or whole
    if opcode in (0x12, 0x16):
        if prefix in (0, 0x66):
            return 8
        return whole if prefix == 0xF3 or whole > 16 else 8
    if opcode in (0x13, 0x17, 0xD6):
        return 8
    if opcode in (0x2E, 0x2F):
        return 8 if prefix == 0x66 else 4
    if opcode == 0x2A:
        return (8 if code.wide else 4) if scalar else 8
    if opcode in (0x2C, 0x2D):
        return scalar or (16 if prefix == 0x66 else 8)
    if opcode == 0x5A:
        return scalar or (whole // 2 if prefix == 0 else whole)
    if opcode == 0xC4:
        return 2
    if opcode == 0xE6 and prefix == 0xF3:
        return whole // 2
    if opcode >= 0x60 and prefix == 0 and code.encoding == "legacy" and opcode not in (0xC6,):
        return 4 if opcode in (0x60, 0x61, 0x62) else 8  # MMX
    if opcode in (0xD1, 0xD2, 0xD3, 0xE1, 0xE2, 0xF1, 0xF2, 0xF3) and code.encoding != "legacy":
        return 16
    return whole


def _opcode_map2_access(code: EncodingFields) -> Access:
    opcode, whole = code.opcode, code.vector
    if opcode >= 0xF0:
        if code.encoding == "legacy" and opcode in (0xF0, 0xF1):
            if code.prefix == 0xF2:  # crc32
                return "r", 1 if opcode == 0xF0 else code.size, 1
            return ("r" if opcode == 0xF0 else "w"), code.size, 1  # movbe
        is_known = opcode in (0xF2, 0xF3, 0xF5, 0xF6, 0xF7)
        return ("r", 8 if code.wide else 4, 1) if is_known else UNKNOWN
    if 0x80 <= opcode <= 0x82 or (opcode in GATHERS and code.encoding == "legacy"):
        return UNKNOWN
    if code.encoding != "legacy" and opcode in MAP2_VEX:
        access, size = MAP2_VEX[opcode]
        return access, {-1: whole, -2: whole // 2}.get(size, size), 1
    if opcode in GATHERS:
        return "r", 8 if code.wide else 4, 1
    if 0x96 <= opcode <= 0xBF:  # FMA: the odd ones from 9 on are scalar
        scalar = opcode & 0xF >= 9 and opcode & 1
        return "r", (8 if code.wide else 4) if scalar else whole, 1
    if 0x20 <= opcode <= 0x25 or 0x30 <= opcode <= 0x35:
        return "r", whole // EXTENDS[opcode & 7], 1
    if code.encoding == "legacy":
        return ("r", 16, 16) if code.prefix == 0x66 or 0xC8 <= opcode <= 0xCD else ("r", 8, 1)
    return "r", whole, whole if (opcode, 2) in VEX_ALIGNED else 1


def _opcode_map3_access(code: EncodingFields) -> Access:
    opcode = code.opcode
    if opcode in MAP3_SMALL:
        access, size = MAP3_SMALL[opcode]
        if size == -2:
            size = code.vector // 2
        return access, size or (8 if code.wide else 4), 1
    if opcode == 0xF0:
        return "r", 8 if code.wide else 4, 1
    if code.encoding == "legacy":
        unaligned = 0x60 <= opcode <= 0x63
        if code.prefix == 0x66 or opcode == 0xCC:
            return "r", 16, 1 if unaligned else 16
        return "r", 8, 1
    return "r", code.vector, 1


def _evex_access(code: EncodingFields) -> Access:
    """Only whole-vector moves and operations are covered; the rest is unknown."""
    full = EVEX_FULL.get(code.opcode_map, frozenset())
    scalar = code.opcode in (0x10, 0x11, 0x51, 0x58, 0x59, 0x5C, 0x5D, 0x5E, 0x5F)
    if code.opcode_map == 1 and (code.opcode in (0x10, 0x11) or scalar or code.opcode in full):
        access = "w" if code.opcode in VECTOR_STORES else "r"
        size = code.vector
        if scalar and code.prefix in (0xF3, 0xF2):
            size = 4 if code.prefix == 0xF3 else 8
        aligned = code.opcode in (0x28, 0x29, 0x2B, 0xE7)
        aligned |= code.opcode in (0x6F, 0x7F) and code.prefix == 0x66
        return access, size, size if aligned else 1
    if code.opcode in full:
        return "r", code.vector, 1
    return UNKNOWN


def implicit_accesses(code: EncodingFields, segment: str | None) -> tuple[MemoryOperand, ...]:
    """Return the accesses that no operand names: stack and strings."""
    opcode = code.opcode
    if code.encoding != "legacy" or code.opcode_map > 1:
        return ()
    if code.opcode_map == 1:
        if opcode in (0xA0, 0xA8):
            return (_push_access(8),)
        if opcode in (0xA1, 0xA9):
            return (_pop_access(8),)
        if opcode == 0xF7 and code.modrm >= 0xC0:
            return (MemoryOperand("rdi", None, 1, 0, segment, "w", size=16, implicit=True),)
        return ()
    word = 2 if code.size == 2 else 8
    if 0x50 <= opcode <= 0x57 or opcode in (0x68, 0x6A, 0x9C):
        return (_push_access(word),)
    if 0x58 <= opcode <= 0x5F or opcode == 0x9D:
        return (_pop_access(word),)
    if opcode in (0xE8, 0xC8) or (opcode == 0xFF and code.modrm_reg in (2, 6)):
        return (_push_access(8),)
    if opcode in (0xC2, 0xC3, 0x8F):
        return (_pop_access(8),)
    if opcode in (0xCA, 0xCB, 0xCF):
        return (_pop_access(code.size),)
    if opcode == 0xC9:
        return (MemoryOperand("rbp", None, 1, 0, None, "r", size=8, implicit=True),)
    size = 1 if not opcode & 1 else code.size
    source = MemoryOperand("rsi", None, 1, 0, segment, "r", size=size, implicit=True)
    target = MemoryOperand("rdi", None, 1, 0, None, "w", size=size, implicit=True)
    compared = target._replace(access="r")
    if opcode == 0xD7:  # xlat: rbx + al
        return (MemoryOperand("rbx", "?", 1, 0, segment, "r", size=1, implicit=True),)
    operands: dict[int, tuple[MemoryOperand, ...]] = {
        0xA4: (source, target), 0xA6: (source, compared), 0xAC: (source,), 0xAA: (target,),
        0xAE: (compared,),
    }  # fmt: skip
    return operands.get(opcode & ~1, ())


def _push_access(size: int) -> MemoryOperand:
    return MemoryOperand("rsp", None, 1, -size, None, "w", size=size, implicit=True)


def _pop_access(size: int) -> MemoryOperand:
    return MemoryOperand("rsp", None, 1, 0, None, "r", size=size, implicit=True)
