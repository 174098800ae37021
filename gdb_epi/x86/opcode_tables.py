# SPDX-License-Identifier: Apache-2.0
"""Which opcodes have a ModRM byte and an immediate, in 64-bit mode.

One letter an opcode. Without ModRM: "0" nothing, "b" 1 byte, "w" 2, "z" 4 (2 with prefix 0x66),
"v" 4 (8 with REX.W), "J" and "j" a relative target of 1 and 4 bytes, "o" an address of 8 bytes,
"e" enter's 3 bytes. With ModRM: "M", "B" and 1 byte, "Z" and 4 (2). "x": no such instruction.
Source: Intel SDM volume 2, appendix A, tables A-2 to A-5.
"""

from __future__ import annotations

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
