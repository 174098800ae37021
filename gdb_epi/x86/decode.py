# SPDX-License-Identifier: Apache-2.0
"""Decode one x86-64 instruction: its length, memory accesses and control flow.

This is not a disassembler: it decodes what explains a fault, nothing about flags and few mnemonics.
An unknown encoding gives None, never a guess.
Source: Intel SDM volume 2, chapter 2 (instruction format) and the opcode maps of appendix A.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gdb_epi.sizes import WORD_MASK
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.access import (
    GATHERS,
    MAPS,
    PRIVILEGED,
    PRIVILEGED_TWO,
    EncodingFields,
    implicit_accesses,
    memory_access,
)
from gdb_epi.x86.instruction import (
    BRANCH,
    CALL,
    JUMP,
    MAX_LENGTH,
    NEXT,
    REGISTERS,
    RETURN,
    TRAP,
    UNKNOWN_INDEX,
    Instruction,
    MemoryOperand,
)

_SEGMENTS = {0x64: "fs_base", 0x65: "gs_base"}
PREFIXES = frozenset((0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3))
_EVEX_VECTORS = (16, 32, 64)


MAX_KEPT = 8192  # instructions


class _Prefixes(NamedTuple):
    """What precedes the opcode; `rex` are the bits W R X B."""

    at: int
    rex: int
    segment: str | None
    operand: bool  # 0x66
    narrow: bool  # 0x67
    repeat: int  # 0, 0xF2 or 0xF3


class InstructionParts(NamedTuple):
    """The parts of an instruction; offsets are from its start, sizes are in bytes.

    `operand` is the memory operand of ModRM, without its access; None without one. The size of a
    missing displacement is 0, and so is that of whatever follows it when missing: the immediate, or
    the target of a direct jump, branch or call, which is relative to the end.
    """

    raw: EncodingFields
    prefixes: _Prefixes
    shape: str  # in tables.MAPS
    operand: MemoryOperand | None
    displacement: int
    displacement_size: int
    immediate: int
    length: int

    @property
    def is_relative(self) -> bool:
        """Tell whether this is a direct jump, branch or call."""
        return self.shape in "jJ"

    @property
    def immediate_size(self) -> int:
        """The size of the immediate, or of the relative target."""
        return self.length - self.immediate

    @property
    def has_base_register(self) -> bool:
        """Tell whether the displacement is relative to a register other than rip."""
        return self.operand is None or self.operand.base is not None


def decode(code: bytes) -> Instruction | None:
    """Return the instruction at the start of `code`; None when it is unknown or cut off.

    Many processes run the same libraries, so what was decoded last is cached.
    """
    return _decode_uncached(code[:MAX_LENGTH])


@lru_cache(maxsize=MAX_KEPT)
def _decode_uncached(code: bytes) -> Instruction | None:
    parts = instruction_parts(code)
    return None if parts is None else _instruction_from_parts(code, parts)


def instruction_parts(code: bytes) -> InstructionParts | None:
    """Return the parts of the instruction at the start of `code`; None as in decode()."""
    try:
        at, segment, operand, narrow, repeat = 0, None, False, False, 0
        while code[at] in PREFIXES:
            byte = code[at]
            if byte in _SEGMENTS:
                segment = _SEGMENTS[byte]
            operand |= byte == 0x66
            narrow |= byte == 0x67
            repeat = byte if byte in (0xF2, 0xF3) else repeat
            at += 1
        rex = 0
        if 0x40 <= code[at] <= 0x4F:
            rex = code[at] & 0xF
            at += 1
        prefixes = _Prefixes(at, rex, segment, operand, narrow, repeat)
        opcode = code[prefixes.at]
        if opcode in (0xC4, 0xC5):
            return _vex_parts(code, prefixes)
        if opcode == 0x62:
            return _evex_parts(code, prefixes)
        return _legacy_parts(code, prefixes)
    except IndexError:
        return None


def first_memory_operand(code: bytes) -> MemoryOperand | None:
    """Return the first memory access of the instruction at the start of `code`, or None.

    An explicit operand comes before the implicit ones (push, pop, string instructions).
    """
    instruction = decode(code)
    return instruction.operands[0] if instruction is not None and instruction.operands else None


def _legacy_parts(code: bytes, prefixes: _Prefixes) -> InstructionParts | None:
    at, opcode_map = prefixes.at, 0
    if code[at] == 0x0F:
        at, opcode_map = at + 1, 1
        if code[at] in (0x38, 0x3A):
            at, opcode_map = at + 1, 2 if code[at] == 0x38 else 3
    wide = bool(prefixes.rex & 8)
    size = 8 if wide else 2 if prefixes.operand else 4
    selecting = prefixes.repeat or (0x66 if prefixes.operand else 0)
    raw = EncodingFields(
        "legacy", opcode_map, code[at], selecting, wide, size, 16, -1, bool(prefixes.repeat),
        prefixes.rex,
    )  # fmt: skip
    return _parts_after_opcode(code, at + 1, raw, prefixes)


def _vex_parts(code: bytes, prefixes: _Prefixes) -> InstructionParts | None:
    at = prefixes.at + 1
    inverted = code[at] ^ 0xFF
    if code[at - 1] == 0xC5:
        extended, opcode_map, last = (inverted >> 5) & 4, 1, code[at]
        wide = False
    else:
        extended, opcode_map = (inverted >> 5) & 7, code[at] & 0x1F
        at += 1
        last = code[at]
        wide = bool(last & 0x80)
    if opcode_map not in (1, 2, 3):
        return None
    vector = 32 if last & 4 else 16
    size = 8 if wide else 4
    selecting = (0, 0x66, 0xF3, 0xF2)[last & 3]
    raw = EncodingFields(
        "vex", opcode_map, code[at + 1], selecting, wide, size, vector, -1, False,
        extended | 8 * wide,
    )  # fmt: skip
    return _parts_after_opcode(code, at + 2, raw, prefixes)


def _evex_parts(code: bytes, prefixes: _Prefixes) -> InstructionParts | None:
    at = prefixes.at + 1
    first, second, third = code[at], code[at + 1], code[at + 2]
    opcode_map, length = first & 7, third >> 5 & 3
    if opcode_map not in (1, 2, 3) or not second & 4 or (length == 3 and not third & 0x10):
        return None
    extended = (first ^ 0xFF) >> 5 & 7
    selecting = (0, 0x66, 0xF3, 0xF2)[second & 3]
    wide = bool(second & 0x80)
    vector = _EVEX_VECTORS[min(length, 2)]
    raw = EncodingFields(
        "evex", opcode_map, code[at + 3], selecting, wide, 8 if wide else 4, vector, -1,
        bool(third & 0x10), extended | 8 * wide,
    )  # fmt: skip
    return _parts_after_opcode(code, at + 4, raw, prefixes)


def _parts_after_opcode(
    code: bytes, at: int, raw: EncodingFields, prefixes: _Prefixes
) -> InstructionParts | None:
    """Read ModRM and find what follows the opcode."""
    shape = MAPS[raw.opcode_map][raw.opcode]
    if shape == "x" or (raw.encoding != "legacy" and shape in "jJ"):
        return None
    operand: MemoryOperand | None = None
    displacement_size = 0
    if shape in "MBZ":
        raw = raw._replace(modrm=code[at])
        at += 1
        if raw.opcode_map == 0 and raw.opcode == 0x8F and raw.modrm_reg:
            return None  # AMD's XOP
        # Moves to and from control registers have no memory form (SDM, MOV CR).
        if raw.modrm < 0xC0 and not (raw.opcode_map == 1 and 0x20 <= raw.opcode <= 0x23):
            operand, at, displacement_size = _modrm_operand(code, at, raw, prefixes)
    end = at + _immediate_size(shape, raw, prefixes)
    if end > len(code) or end > MAX_LENGTH:
        return None
    return InstructionParts(
        raw, prefixes, shape, operand, at - displacement_size, displacement_size, at, end
    )


def _immediate_size(shape: str, raw: EncodingFields, prefixes: _Prefixes) -> int:
    short = raw.size == 2 and raw.encoding == "legacy"
    if raw.opcode_map == 0 and raw.opcode in (0xF6, 0xF7) and raw.modrm_reg in (0, 1):
        shape = "b" if raw.opcode == 0xF6 else "z"
    if shape == "o":
        return 4 if prefixes.narrow else 8
    if shape in "zZ":
        return 2 if short else 4
    if shape == "v":
        return 8 if raw.wide else 2 if short else 4
    return {"b": 1, "B": 1, "J": 1, "w": 2, "j": 4, "e": 3}.get(shape, 0)


def _modrm_operand(
    code: bytes, at: int, raw: EncodingFields, prefixes: _Prefixes
) -> tuple[MemoryOperand, int, int]:
    """Return the ModRM operand without its access, the offset after it, its displacement's size."""
    mode, low, rex = raw.modrm >> 6, raw.modrm & 7, raw.extended
    base: str | None = REGISTERS[low | (rex & 1) << 3]
    index: str | None = None
    scale, relative = 1, False
    if low == 4:
        sib = code[at]
        at += 1
        scale = 1 << (sib >> 6)
        base = None if sib & 7 == 5 and mode == 0 else REGISTERS[sib & 7 | (rex & 1) << 3]
        index_number = (sib >> 3) & 7 | (rex & 2) << 2
        index = None if index_number == 4 else REGISTERS[index_number]
        if raw.opcode_map == 2 and raw.encoding != "legacy" and raw.opcode in GATHERS:
            index = UNKNOWN_INDEX
    elif low == 5 and mode == 0:
        base, relative = None, True
    size = {0: 4 if base is None else 0, 1: 1, 2: 4}[mode]
    if len(code) < at + size:
        raise IndexError(at)
    displacement = int.from_bytes(code[at : at + size], "little", signed=True) if size else 0
    if raw.encoding == "evex" and size == 1 and displacement:
        access = memory_access(raw)
        factor = 0  # not known
        if raw.repeated:  # broadcast
            factor = 8 if raw.wide else 4
        elif access is not None and access[0] is not None:
            factor = access[1]
        index = index if factor else UNKNOWN_INDEX
        displacement *= factor or 1
    operand = MemoryOperand(base, index, scale, displacement, prefixes.segment, None, relative)
    return operand._replace(narrow=prefixes.narrow), at + size, size


def _instruction_from_parts(code: bytes, parts: InstructionParts) -> Instruction:
    """Return what an instruction does."""
    raw, prefixes, shape, memory, _, _, at, length = parts
    immediate = int.from_bytes(code[at:length], "little", signed=True) if at < length else None
    operands: list[MemoryOperand] = []
    if memory is not None:
        access = memory_access(raw)
        if access is not None:
            named = memory
            if raw.opcode_map == 1 and raw.opcode in (0xA3, 0xAB, 0xB3, 0xBB):
                named = named._replace(index_register=UNKNOWN_INDEX)  # the bit number shifts it
            if raw.opcode_map == 0 and raw.opcode == 0x8F and named.base == "rsp":
                named = named._replace(displacement=named.displacement + 8)
            mode, size, align = access
            if raw.encoding == "evex" and raw.repeated:
                size = 8 if raw.wide else 4
            operands.append(named._replace(access=mode, size=size, align=align))
    elif shape == "o":
        size = raw.size if raw.opcode & 1 else 1
        mode = "r" if raw.opcode < 0xA2 else "w"
        address = (immediate or 0) & WORD_MASK
        operands.append(MemoryOperand(None, None, 1, address, prefixes.segment, mode, size=size))
    operands += implicit_accesses(raw, prefixes.segment)
    flow, name = _flow_and_mnemonic(raw, shape)
    reg = rm = None
    if raw.modrm >= 0:
        reg = REGISTERS[raw.modrm_reg | (raw.extended & 4) << 1]
        rm = None if memory is not None else REGISTERS[raw.modrm & 7 | (raw.extended & 1) << 3]
    elif raw.opcode_map == 0 and (
        0x50 <= raw.opcode < 0x60 or 0x90 <= raw.opcode < 0x98 or shape in "vb"
    ):
        reg = REGISTERS[raw.opcode & 7 | (raw.extended & 1) << 3]
    # Instructions forbidden in user mode: a general protection fault without an address.
    privileged = {0: PRIVILEGED, 1: PRIVILEGED_TWO}.get(raw.opcode_map, frozenset())
    return Instruction(
        length=length,
        name=name,
        flow=flow,
        operands=tuple(operand._replace(length=length) for operand in operands),
        encoding=raw.encoding,
        opcode_map=raw.opcode_map,
        opcode=raw.opcode,
        reg=reg,
        rm=rm,
        modrm_reg=raw.modrm_reg,
        size=raw.size,
        immediate=None if shape in "jJ" else immediate,
        target=immediate if shape in "jJ" else None,
        target_register=rm if flow in (CALL, JUMP) and raw.opcode == 0xFF else None,
        privileged=raw.encoding == "legacy" and raw.opcode in privileged,
        memory=None if memory is None else memory._replace(length=length),
        repeated=name == "string" and raw.repeated,
        prefix=raw.prefix,
        rex=raw.encoding == "legacy" and prefixes.at > 0 and code[prefixes.at - 1] >> 4 == 4,
    )


def _flow_and_mnemonic(raw: EncodingFields, shape: str) -> tuple[str, str]:
    """Return the flow and, where one is needed, the mnemonic."""
    opcode = raw.opcode
    if raw.encoding != "legacy" or raw.opcode_map > 1:
        return NEXT, ""
    if raw.opcode_map == 1:
        if shape == "j":
            return BRANCH, "jcc"
        if opcode in (0x0B, 0xB9, 0xFF):
            return TRAP, "ud"
        return NEXT, {0x05: "syscall", 0x1E: "endbr" if raw.prefix == 0xF3 else ""}.get(opcode, "")
    if opcode == 0xFF and raw.modrm_reg in (2, 3):
        return CALL, "call"
    if opcode == 0xFF and raw.modrm_reg in (4, 5):
        return JUMP, "jmp"
    flows = {
        0xE8: (CALL, "call"), 0xE9: (JUMP, "jmp"), 0xEB: (JUMP, "jmp"), 0xC2: (RETURN, "ret"),
        0xC3: (RETURN, "ret"), 0xCA: (RETURN, "ret"), 0xCB: (RETURN, "ret"),
        0xCF: (RETURN, "iret"), 0xCC: (TRAP, "int3"), 0xCD: (TRAP, "int"), 0xF1: (TRAP, "int1"),
        0xF4: (TRAP, "hlt"), 0xC9: (NEXT, "leave"), 0x8D: (NEXT, "lea"), 0x90: (NEXT, "nop"),
    }  # fmt: skip
    if opcode in flows:
        return flows[opcode]
    if shape == "J":
        return BRANCH, "jcc" if opcode < 0x80 else "loop"
    if opcode in (0xF6, 0xF7) and raw.modrm_reg in (6, 7):
        return NEXT, "div"
    if 0xA4 <= opcode <= 0xAF and opcode not in (0xA8, 0xA9):
        return NEXT, "string"
    return NEXT, ""


# How long instructions are, and nothing else: for walks along whole functions.
#
# A tenth of the time of decode(), with the same answers.


# Bytes after the opcode and ModRM by the shapes of tables.MAPS, without prefixes.
_IMMEDIATE = {"b": 1, "B": 1, "J": 1, "w": 2, "j": 4, "e": 3}
_VECTORS = (0x62, 0xC4, 0xC5)


def decode_instructions(code: bytes) -> Iterator[tuple[int, Instruction | None]]:
    """Yield the instructions of code from its first byte on, each with its place.

    The last one is None where bytes follow that are no known instruction, or a part of one.
    """
    at = 0
    while at < len(code):
        instruction = decode(code[at : at + MAX_LENGTH])
        yield at, instruction
        if instruction is None:
            return
        at += instruction.length


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
        end = _end_of_instruction(code, at, prefixes, wide)
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


def _end_of_instruction(code: bytes, at: int, prefixes: bytes, wide: bool) -> int:
    """Return the place after an instruction whose opcode is at a place; 0 for an unknown one."""
    number = 0
    if code[at] == 0x0F:
        at, number = at + 1, 1
        if code[at] in (0x38, 0x3A):
            at, number = at + 1, 2 if code[at] == 0x38 else 3
    opcode = code[at]
    shape = MAPS[number][opcode]
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
