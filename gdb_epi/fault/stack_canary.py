# SPDX-License-Identifier: Apache-2.0
"""Where a function keeps its copy of the stack canary, by its instructions.

A function with a stack protector copies the canary behind the arrays of its frame as it begins, and
compares the copy as it returns. One that calls __stack_chk_fail() has found it written over.
Source: GCC's -fstack-protector (gcc/config/i386/i386.md, stack_protect_set).
"""

from __future__ import annotations

from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.target.api import Target
from gdb_epi.target.cfi import Unwinder
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.x86.decode import decode_instructions
from gdb_epi.x86.register_changes import LOAD, changed_registers, stored_register, value_source

MAX_PROLOGUE = 4 << 10  # bytes of a function that are decoded


def find_overwritten_canary(target: Target, fault: Fault, return_address: int) -> int | None:
    """Return where the frame of a function holds what should be the canary and is not.

    `return_address` is that of its call of __stack_chk_fail(). None where the copy is whole, where
    the code, the stack or the canary itself cannot be read, and where a wrong frame pointer led it
    elsewhere.
    """
    canary_at, bounds = fault.architecture.canary_at, FunctionBounds(target)
    function = bounds.function_at(return_address - 1)
    frames = Unwinder(target, bounds).walk(fault.registers)
    frame = next((frame for frame in frames if frame.pc == return_address), None)
    if canary_at is None or function is None or frame is None:
        return None
    registers = {**fault.registers, **frame.registers}
    holder = None  # the register that holds the canary, between its load and its store
    size = min(function.end - function.start, MAX_PROLOGUE)
    for _at, instruction in decode_instructions(read_up_to(target, function.start, size)):
        if instruction is None:
            return None
        place = instruction.memory
        if place is not None and holder is not None and stored_register(instruction) == holder:
            slot = place.address(registers)
            canary = read_word(target, registers.get("fs_base", 0) + canary_at)
            held = None if slot is None else read_word(target, slot)
            if not canary or slot is None or held in (None, canary):
                return None
            return slot if registers["rsp"] <= slot < frame.cfa else None
        changed = changed_registers(instruction)
        if changed is None or holder in changed:
            holder = None
        if (
            place is not None
            and place.segment == "fs_base"
            and place.base is None
            and place.displacement == canary_at
        ):
            loaded = (name for name in changed or ())
            holder = next((n for n in loaded if value_source(instruction, n).kind == LOAD), None)
    return None
