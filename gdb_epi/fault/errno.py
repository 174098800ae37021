# SPDX-License-Identifier: Apache-2.0
"""errno of a thread: where glibc keeps it, read from the code of __errno_location()."""

from __future__ import annotations

from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.memory_reads import read_u32, read_u64, read_up_to
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import Target
from gdb_epi.x86 import MAX_LENGTH, decode

ENOMEM = 12
_MAX_CODE = 32
_MOV = 0x8B


def errno_of(target: Target, fault: Fault) -> int | None:
    """Return errno of the thread of a fault.

    The function loads the offset from the thread pointer out of the GOT and adds the pointer
    (glibc 2.31 to 2.42, x86-64). None for another libc, or when its code cannot be read.
    """
    machine = fault.architecture
    pointer = fault.registers.get(machine.thread_pointer)
    start = target.symbol("__errno_location") if machine.decodes else None
    if start is None or not pointer:
        return None
    code = read_up_to(target, start, _MAX_CODE)
    at = 4 if code.startswith(b"\xf3\x0f\x1e\xfa") else 0  # endbr64
    instruction = decode(code[at : at + MAX_LENGTH])
    operand = instruction.explicit_operand if instruction is not None else None
    if instruction is None or operand is None or instruction.opcode != _MOV:
        return None
    slot = operand.address({"rip": start + at}) if operand.rip_relative else None
    offset = read_u64(target, slot) if slot is not None else None
    return None if offset is None else read_u32(target, (pointer + offset) & WORD_MASK)
