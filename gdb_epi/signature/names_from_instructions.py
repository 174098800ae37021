# SPDX-License-Identifier: Apache-2.0
"""A name for a function without one, made of its instructions (N67, N68).

Stripped code has no names, but its unwind tables still tell where each function begins and ends.
What differs between two links of one function is left out: addresses, the distance to other
functions, padding. What the compiler chose stays, so another compiler gives another name.
"""

from __future__ import annotations

import struct

from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, UNREADABLE, Absent
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.signature.types import CODE_NOT_HERE
from gdb_epi.target.api import ABSENT, Target, get_architecture, module_at
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.util import sha256_hex
from gdb_epi.x86.access import EncodingFields
from gdb_epi.x86.decode import InstructionParts, instruction_parts
from gdb_epi.x86.instruction import MAX_LENGTH

PREFIX = "fn_"
DIGITS = 12
MAX_CODE = 1 << 12  # bytes of a function that are examined
OUTSIDE = 0xFFFFFFFF  # in the place of the target of a jump that leaves the function
_JUMP, _SHORT_JUMP = 0xE9, 0xEB
_SHORT_BRANCHES = range(0x70, 0x80)
_ADDRESS_SIZES = (4, 8)  # bytes of an operand that may be an address


def name_from_instructions(target: Target, pc: int) -> str | Absent:
    """Return the name that the instructions of the function at a code address give (N68).

    Absent: not x86-64, no entry of the unwind tables, bytes that nobody has, or an instruction
    that is not known.
    """
    machine = get_architecture(target)
    if not machine.decodes:
        return Absent(NOT_APPLICABLE, f"not judged on this architecture ({machine.name})")
    function = FunctionBounds(target).function_at(pc)
    if function is None:
        if target.provenance(pc) == ABSENT:
            return Absent(UNREADABLE, CODE_NOT_HERE)
        return Absent(NOT_AVAILABLE, "no unwind table tells where the function begins")
    size = min(function.end - function.start, MAX_CODE)
    code = try_read(target, function.start, size)
    if not code:
        return Absent(UNREADABLE, "the code of the function is not all there")
    module = module_at(target, pc)
    addresses = (module.start, module.end) if module is not None else (0, 0)
    same = link_independent_code(code, addresses, whole=size == function.end - function.start)
    if same is None:
        return Absent(NOT_AVAILABLE, "the function has an instruction that is not known here")
    return name_from_comparable_code(same)


def name_from_comparable_code(comparable: bytes) -> str:
    """Return the name for what link_independent_code() made."""
    return PREFIX + sha256_hex(comparable)[:DIGITS]


def link_independent_code(code: bytes, addresses: tuple[int, int], *, whole: bool) -> bytes | None:
    """Return the instructions of a function without what a link decides; None where one is unknown.

    `addresses` are those of the object: operands in that range are left out. Without `whole` the
    end of the function is cut off, and so is an instruction that is not wholly there.
    """
    compared: list[bytes] = []
    jumps: list[tuple[int, int]] = []  # number of the instruction, its target in the code
    numbers: dict[int, int] = {}  # of the instruction at, or after the padding at, a place
    at = 0
    while at < len(code):
        parts = instruction_parts(code[at : at + MAX_LENGTH])
        if parts is None:
            if whole or len(code) - at >= MAX_LENGTH:
                return None
            break
        instruction = code[at : at + parts.length]
        numbers[at] = len(compared)
        at += parts.length
        if parts.is_relative:
            target = int.from_bytes(instruction[parts.immediate :], "little", signed=True)
            jumps.append((len(compared), at + target))
            compared.append(_branch_opcode(parts.raw))
        elif not _is_padding(instruction, parts.raw):
            compared.append(_without_addresses(instruction, parts, addresses))
    for number, place in jumps:
        compared[number] += struct.pack("<I", numbers.get(place, OUTSIDE))
    return b"".join(compared)


def _branch_opcode(raw: EncodingFields) -> bytes:
    """Return the opcode of a direct jump, branch or call, in one form for both of its lengths."""
    if raw.opcode_map == 0 and raw.opcode == _SHORT_JUMP:
        return bytes((_JUMP,))
    if raw.opcode_map == 1 or raw.opcode in _SHORT_BRANCHES:
        return bytes((0x0F, 0x80 | raw.opcode & 0xF))
    return bytes((raw.opcode,))


def _is_padding(instruction: bytes, raw: EncodingFields) -> bool:
    """Tell whether it does nothing: nop, xchg %ax,%ax and the long forms; pause is none of them."""
    if raw.encoding != "legacy":
        return False
    if raw.opcode_map == 1:
        return raw.opcode == 0x1F
    plain = 0xF3 not in instruction and not any(0x40 <= byte <= 0x4F for byte in instruction)
    return raw.opcode_map == 0 and raw.opcode == 0x90 and plain


def _without_addresses(
    instruction: bytes, parts: InstructionParts, addresses: tuple[int, int]
) -> bytes:
    """Return an instruction with zeros in the place of addresses.

    These are displacements from rip, from a segment or from nothing, and operands of 4 or 8 bytes
    that are addresses of the object.
    """
    masked = bytearray(instruction)
    low, high = addresses
    places = (
        (parts.displacement, parts.displacement_size, not parts.has_base_register),
        (parts.immediate, parts.immediate_size, False),
    )
    for start, size, is_address in places:
        if size not in _ADDRESS_SIZES:
            continue
        if is_address or low <= int.from_bytes(masked[start : start + size], "little") < high:
            masked[start : start + size] = bytes(size)
    return bytes(masked)
