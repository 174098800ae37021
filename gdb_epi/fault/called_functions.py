# SPDX-License-Identifier: Apache-2.0
"""Which imported function a call goes to, and which one returned the value of a register."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.fault.instructions import ARGUMENTS, call_before, instructions_before
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.target.api import NativeFrame, Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.imported_functions import ImportedFunctions
from gdb_epi.x86 import MAX_LENGTH, Instruction, decode
from gdb_epi.x86.decode import decode_each
from gdb_epi.x86.instruction import BRANCH, CALL, JUMP, NEXT
from gdb_epi.x86.register_changes import COPY, changed_registers, value_source

MAX_STUB = 2  # instructions of a stub of the procedure linkage table: endbr64, a jump
MAX_CALLERS = 2  # from the function that failed to the one that called for the value
BEFORE = 96  # bytes of code before an address
MAX_BODY = 8 << 10  # bytes of a function whose calls are listed
MAX_STEPS = 64  # functions of the same object that are looked into
RESULT = "rax"  # System V ABI x86-64, 3.2.3


def got_slot_of_call(target: Target, instruction: Instruction, end: int) -> int | None:
    """Return the slot of the global offset table through which a call goes; None for others."""
    at = end - instruction.length
    if instruction.target is not None:  # to a stub, perhaps
        at = end + instruction.target
        for _ in range(MAX_STUB):
            step = decode(read_up_to(target, at, MAX_LENGTH))
            if step is None or not step.name.startswith("endbr"):
                break
            at += step.length
        if step is None or step.flow != JUMP or step.target is not None:
            return None
        instruction = step
    place = instruction.memory
    return place.address({"rip": at}) if place is not None and place.rip_relative else None


def function_that_returned(
    target: Target, frames: Sequence[NativeFrame], pc: int, register: str
) -> str:
    """Return the imported function that returned what a register holds at an address.

    "" where straight-line code does not tell it: the register is followed back over moves, and
    out of a function that was given it as an argument.
    """
    bounds, imported = FunctionBounds(target), ImportedFunctions(target)
    for frame in [None, *frames[1 : 1 + MAX_CALLERS]]:
        if frame is not None:
            call = call_before(target, frame.pc)
            if call is None or register not in ARGUMENTS:
                return ""
            pc = frame.pc - call.length
        function = bounds.at(pc)
        if function is None:
            return ""
        for step in reversed(instructions_before(target, pc, BEFORE) or ()):
            if step.address < function.start:
                break
            instruction = step.instruction
            if instruction.flow == CALL and register == RESULT:
                slot = got_slot_of_call(target, instruction, step.address + instruction.length)
                return imported.name(slot) if slot is not None else ""
            changed = changed_registers(instruction)
            if changed is None or instruction.flow not in (NEXT, BRANCH):  # not taken
                return ""
            if register in changed:
                how = value_source(instruction, register)
                if how.kind != COPY or not isinstance(how.source, str):
                    return ""
                register = how.source
    return ""


def imported_calls_before(target: Target, pc: int) -> list[str] | None:
    """Return the imported functions that a function calls before a return address of its own.

    Those too that functions of the same object call for it, one step deep. None where the function
    is not known.
    """
    bounds, imported = FunctionBounds(target), ImportedFunctions(target)
    function = bounds.at_return(pc)
    if function is None:
        return None
    called = []
    ranges = [(function.start, min(pc - function.start, MAX_BODY))]
    for number, (start, size) in enumerate(ranges):  # which grows
        for at, instruction in decode_each(read_up_to(target, start, size)):
            if instruction is None or instruction.flow != CALL:
                continue
            end = start + at + instruction.length
            slot = got_slot_of_call(target, instruction, end)
            if slot is not None:
                called.append(imported.name(slot))
            elif instruction.target is not None and not number and len(ranges) < MAX_STEPS:
                callee = bounds.at(end + instruction.target)
                if callee is not None:
                    ranges.append((callee.start, min(callee.end - callee.start, MAX_BODY)))
    return called
