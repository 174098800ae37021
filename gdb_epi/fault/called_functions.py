# SPDX-License-Identifier: Apache-2.0
"""Which imported function a call goes to, and which one returned the value of a register."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from math import prod

from gdb_epi.fault.instructions import (
    ARGUMENTS,
    KEPT,
    call_before,
    constant_arguments,
    instructions_before,
)
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.target.api import NativeFrame, Target
from gdb_epi.target.cfi import Unwinder
from gdb_epi.target.function_bounds import Function, FunctionBounds
from gdb_epi.target.imported_functions import ImportedFunctions
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, Instruction, decode
from gdb_epi.x86.decode import decode_instructions
from gdb_epi.x86.instruction import BRANCH, CALL, JUMP, NEXT, RETURN
from gdb_epi.x86.register_changes import CALL_CHANGES, COPY, changed_registers, value_source

MAX_STUB = 2  # instructions of a stub of the procedure linkage table: endbr64, a jump
MAX_CALLERS = 2  # from the function that failed to the one that called for the value
BEFORE = 96  # bytes of code before an address
MAX_BODY = 8 << 10  # bytes of a function whose calls are listed
MAX_STEPS = 64  # functions of the same object that are looked into
_LEA = 0x8D
_ADDS = frozenset((0x01, 0x03, 0x21, 0x23, 0x29, 0x2B, 0x81, 0x83, 0xFF))  # add, and, sub, inc
RESULT = "rax"  # System V ABI x86-64, 3.2.3
# Which arguments of functions that allocate are the size, or multiply to it.
SIZES_ASKED: Mapping[str, tuple[int, ...]] = {
    "malloc": (0,), "calloc": (0, 1), "realloc": (1,), "reallocarray": (1, 2), "valloc": (0,),
    "aligned_alloc": (1,), "memalign": (1,), "mmap": (1,), "mmap64": (1,),
    "PyMem_Malloc": (0,), "PyMem_RawMalloc": (0,), "PyObject_Malloc": (0,),
    "PyMem_Calloc": (0, 1), "PyMem_RawCalloc": (0, 1), "PyMem_Realloc": (1,),
    "PyMem_RawRealloc": (1,), "_ZnwmRKSt9nothrow_t": (0,), "_ZnamRKSt9nothrow_t": (0,),
}  # fmt: skip


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


class ReturnedCall(NamedTuple):
    """A call whose result a register holds: the imported function that it went to, "" unknown.

    `end` is its return address, `frame` the number of the frame that made it, and `changed` what
    that has changed since. `is_last`: it has called nothing else since, up to what failed.
    """

    function: str = ""
    end: int = 0
    frame: int = 0
    changed: frozenset[str] = frozenset()
    is_last: bool = True


def call_that_set_register(
    target: Target, frames: Sequence[NativeFrame], pc: int, register: str
) -> ReturnedCall:
    """Return the call of an imported function that returned what a register holds at an address.

    Its function is "" where straight-line code does not tell it: the register is followed back
    over moves and calls, and out of a function that was given it as an argument.
    """
    is_last = True
    bounds, imported = FunctionBounds(target), ImportedFunctions(target)
    for number, frame in enumerate([None, *frames[1 : 1 + MAX_CALLERS]]):
        if frame is not None:
            call = call_before(target, frame.pc)
            if call is None or register not in ARGUMENTS:
                return ReturnedCall()
            pc = frame.pc - call.length
        function = bounds.function_at(pc)
        if function is None:
            return ReturnedCall()
        since: frozenset[str] = frozenset()
        for step in reversed(instructions_before(target, pc, BEFORE) or ()):
            if step.address < function.start:
                break
            instruction = step.instruction
            if instruction.flow == CALL and register == RESULT:
                end = step.address + instruction.length
                slot = got_slot_of_call(target, instruction, end)
                name = imported.name_of_slot(slot) if slot is not None else ""
                return ReturnedCall(name, end, number, since, is_last)
            if instruction.flow == CALL and register in KEPT:
                is_last, since = False, since | CALL_CHANGES
                continue
            changed = changed_registers(instruction)
            if changed is None or instruction.flow not in (NEXT, BRANCH):  # not taken
                if not _keeps_argument_register(target, function, register):
                    return ReturnedCall()
                break
            since |= changed
            if register in changed:
                how = value_source(instruction, register)
                if how.kind != COPY or not isinstance(how.source, str):
                    return ReturnedCall()
                register = how.source
    return ReturnedCall()


def _keeps_argument_register(target: Target, function: Function, register: str) -> bool:
    """Whether no instruction of a function gives an argument's register a value from elsewhere.

    What is added to it, or masked, makes no NULL of it.
    """
    if register not in ARGUMENTS:
        return False
    code = read_up_to(target, function.start, min(function.end - function.start, MAX_BODY))
    for _, instruction in decode_instructions(code):
        if instruction is None:
            return False
        changed = changed_registers(instruction)
        if instruction.flow == RETURN or (changed is not None and register not in changed):
            continue
        memory = instruction.memory
        moved = instruction.opcode == _LEA and memory is not None and register in memory.registers()
        added = instruction.opcode in _ADDS and register in (instruction.rm, instruction.reg)
        if changed is None or instruction.opcode_map or not (moved or added):
            return False
    return True


def size_asked_of_allocator(
    target: Target, frames: Sequence[NativeFrame], call: ReturnedCall, registers: Mapping[str, int]
) -> int | None:
    """Return the bytes that a call asked an allocator for; None where they are not known.

    They are where its caller keeps them over the call. `registers` are those of the innermost
    frame. Reference: man 3 malloc, man 2 mmap.
    """
    if call.function not in SIZES_ASKED:
        return None
    if call.frame:
        outer = islice(Unwinder(target, FunctionBounds(target)).walk(registers), MAX_CALLERS + 1)
        pc = frames[call.frame].pc
        registers = next((frame.registers for frame in outer if frame.pc == pc), {})
    kept = {name: word for name, word in registers.items()
            if name in (*KEPT, "rsp") and name not in call.changed}  # fmt: skip
    arguments = constant_arguments(target, call.end, kept)
    numbers = [arguments.get(ARGUMENTS[place]) for place in SIZES_ASKED[call.function]]
    return None if None in numbers else prod(number or 0 for number in numbers)


def imported_calls_before(target: Target, pc: int) -> list[str] | None:
    """Return the imported functions that a function calls before a return address of its own.

    Those too that functions of the same object call for it, one step deep. None where the function
    is not known.
    """
    bounds, imported = FunctionBounds(target), ImportedFunctions(target)
    function = bounds.function_returned_to(pc)
    if function is None:
        return None
    called = []
    ranges = [(function.start, min(pc - function.start, MAX_BODY))]
    for number, (start, size) in enumerate(ranges):  # which grows
        for at, instruction in decode_instructions(read_up_to(target, start, size)):
            if instruction is None or instruction.flow != CALL:
                continue
            end = start + at + instruction.length
            slot = got_slot_of_call(target, instruction, end)
            if slot is not None:
                called.append(imported.name_of_slot(slot))
            elif instruction.target is not None and not number and len(ranges) < MAX_STEPS:
                callee = bounds.function_at(end + instruction.target)
                if callee is not None:
                    ranges.append((callee.start, min(callee.end - callee.start, MAX_BODY)))
    return called
