# SPDX-License-Identifier: Apache-2.0
"""Where the parts of an instruction lie in its bytes: opcode, displacement, immediate.

For comparing code: what a linker writes into these fields can be left out, the rest stays.
"""

from __future__ import annotations

from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import tables
from gdb_epi.x86.decode import PREFIXES
from gdb_epi.x86.operand import MAX_LENGTH

_MODRM = "MBZ"
_RELATIVE = {"J": 1, "j": 4}  # a target relative to the end, by the shapes of tables.MAPS
_FIXED = {"b": 1, "B": 1, "w": 2, "e": 3}
NO_BASE = 5  # as the base of a SIB byte, or as rm: a displacement of 4 bytes alone
HAS_SIB = 4


class Fields(NamedTuple):
    """Places are counted from the start of the instruction; sizes are in bytes, 0 for none.

    `target`: a direct jump, branch or call; its relative target is the immediate. `rooted`: the
    displacement is counted from a register that is neither rip nor a segment. `map` and `opcode`
    as in Instruction, and `vector`: a VEX or EVEX prefix precedes them. `modrm` is -1 without one.
    """

    length: int
    map: int
    opcode: int
    vector: bool
    modrm: int
    displacement: int
    displacement_size: int
    rooted: bool
    immediate: int
    immediate_size: int
    target: bool


def instruction_fields(code: bytes, start: int) -> Fields | None:
    """Return the fields of the instruction at a place of `code`; None when unknown or cut off."""
    try:
        made = _fields(code, start)
    except IndexError:
        return None
    if made is None or made.length > min(MAX_LENGTH, len(code) - start):
        return None
    return made


def _fields(code: bytes, start: int) -> Fields | None:
    at = start
    while code[at] in PREFIXES:
        at += 1
    prefixes = code[start:at]
    wide = vector = False
    number = 0
    if 0x40 <= code[at] <= 0x4F:
        wide = bool(code[at] & 8)
        at += 1
    if code[at] in (0xC4, 0xC5, 0x62):
        vector = True
        first = code[at]
        number = 1 if first == 0xC5 else code[at + 1] & (0x1F if first == 0xC4 else 7)
        if number not in (1, 2, 3) or (first == 0x62 and not _is_evex(code[at + 2], code[at + 3])):
            return None
        at += {0xC5: 2, 0xC4: 3, 0x62: 4}[first]
    elif code[at] == 0x0F:
        at, number = at + 1, 1
        if code[at] in (0x38, 0x3A):
            number = 2 if code[at] == 0x38 else 3
            at += 1
    opcode = code[at]
    shape = tables.MAPS[number][opcode]
    if shape == "x" or (vector and shape in _RELATIVE):
        return None
    at += 1
    modrm, displacement, size, rooted = -1, 0, 0, True
    if shape in _MODRM:
        modrm = code[at]
        at += 1
        if number == 0 and opcode == 0x8F and modrm >> 3 & 7:
            return None  # AMD's XOP
        if number == 0 and opcode in (0xF6, 0xF7) and modrm >> 3 & 7 < 2:
            shape = "B" if opcode == 0xF6 else "Z"
        # Moves to and from control registers have no memory form (SDM, MOV CR).
        if modrm < 0xC0 and not (number == 1 and 0x20 <= opcode <= 0x23):
            mode, base = modrm >> 6, modrm & 7
            if base == HAS_SIB:
                base = code[at] & 7
                at += 1
            rooted = mode != 0 or base != NO_BASE
            size = 1 if mode == 1 else 4 if mode == 2 or not rooted else 0
            displacement = at - start
            at += size
    immediate = at - start
    short = 0x66 in prefixes and not wide and not vector
    count = _FIXED.get(shape, 0) or _RELATIVE.get(shape, 0)
    if shape in "zZ":
        count = 2 if short else 4
    elif shape == "v":
        count = 8 if wide else 2 if short else 4
    elif shape == "o":
        count = 4 if 0x67 in prefixes else 8
    return Fields(
        immediate + count, number, opcode, vector, modrm, displacement, size, rooted, immediate,
        count, shape in _RELATIVE,
    )  # fmt: skip


def _is_evex(second: int, third: int) -> bool:
    """Whether the bits that no EVEX prefix may choose are as they must be."""
    return bool(second & 4) and (third >> 5 & 3 != 3 or bool(third & 0x10))
