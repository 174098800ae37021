# SPDX-License-Identifier: Apache-2.0
"""How long instructions are, and nothing else: for walks along whole functions.

A tenth of the time of decode(), with the same answers.
"""

from __future__ import annotations

from gdb_epi.x86 import opcode_tables
from gdb_epi.x86.decode import PREFIXES, decode
from gdb_epi.x86.instruction import MAX_LENGTH

# Bytes after the opcode and ModRM by the shapes of tables.MAPS, without prefixes.
_IMMEDIATE = {"b": 1, "B": 1, "J": 1, "w": 2, "j": 4, "e": 3}
_VECTORS = (0x62, 0xC4, 0xC5)


def instruction_length(code: bytes, start: int) -> int:
    """Return the length of the instruction at a place of `code`; 0 when unknown or cut off."""
    try:
        at = start
        while code[at] in PREFIXES:
            at += 1
        prefixes = code[start:at]
        byte = code[at]
        wide = False
        if 0x40 <= byte <= 0x4F:
            wide = bool(byte & 8)
            at += 1
            byte = code[at]
        if byte in _VECTORS:
            instruction = decode(code[start : start + MAX_LENGTH])
            return 0 if instruction is None else instruction.length
        end = _end(code, at, prefixes, wide)
    except IndexError:
        return 0
    return end - start if 0 < end <= min(len(code), start + MAX_LENGTH) else 0


def next_instruction_boundary(code: bytes, place: int) -> int | None:
    """Return the first place from `place` on at which an instruction begins, walking from 0.

    None where the walk reaches bytes that are no known instruction, or to their end.
    """
    at = 0
    while at < place:
        length = instruction_length(code, at)
        if not length:
            return None
        at += length
    return at


def _end(code: bytes, at: int, prefixes: bytes, wide: bool) -> int:
    """Return the place after an instruction whose opcode is at a place; 0 for an unknown one."""
    number = 0
    if code[at] == 0x0F:
        at, number = at + 1, 1
        if code[at] in (0x38, 0x3A):
            at, number = at + 1, 2 if code[at] == 0x38 else 3
    opcode = code[at]
    shape = opcode_tables.MAPS[number][opcode]
    if shape == "x":
        return 0
    at += 1
    if shape in "MBZ":
        modrm = code[at]
        at += 1
        extension = modrm >> 3 & 7
        if number == 0:
            if opcode == 0x8F and extension:
                return 0  # AMD's XOP
            if opcode in (0xF6, 0xF7) and extension < 2:
                shape = "b" if opcode == 0xF6 else "z"
        # Moves to and from control registers have no memory form (SDM, MOV CR).
        if modrm < 0xC0 and not (number == 1 and 0x20 <= opcode <= 0x23):
            mode, low = modrm >> 6, modrm & 7
            if low == 4:  # a SIB byte
                low = code[at] & 7
                at += 1
            at += 1 if mode == 1 else 4 if mode == 2 or low == 5 else 0
    if shape in _IMMEDIATE:
        return at + _IMMEDIATE[shape]
    if shape == "o":
        return at + (4 if 0x67 in prefixes else 8)
    short = 0x66 in prefixes and not wide
    if shape in "zZ":
        return at + (2 if short else 4)
    if shape == "v":
        return at + (8 if wide else 2 if short else 4)
    return at
