# SPDX-License-Identifier: Apache-2.0
"""To whose code a function gives pointers into its own frame, by its instructions.

What overran an array on a stack is the function that has it, or whoever was given the array: code
of another library, or a function that was itself given as a pointer (a callback). Who overran it
has returned when the function looks at its canary, so the stack no longer shows it: only the code
of the function, which does not change, says whom it calls with what.
Source: System V ABI x86-64, 3.2.3 (arguments in rdi, rsi, rdx, rcx, r8, r9).
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.fault.called_functions import got_slot_of_call
from gdb_epi.fault.instructions import ARGUMENTS, MAX_FUNCTION, call_returning_to
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.fault.own_native_code import CALLERS, is_own_library
from gdb_epi.sizes import WORD, split_into_words
from gdb_epi.target.api import ModulesByAddress, Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.imported_functions import ImportedFunctions
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import Instruction
from gdb_epi.x86.decode import decode_instructions
from gdb_epi.x86.instruction import CALL, JUMP
from gdb_epi.x86.register_changes import (
    ADDRESS,
    COPY,
    LOAD,
    changed_registers,
    stored_register,
    value_source,
)

MAX_DEPTH = 3  # functions of the same library that pass a pointer on
MAX_CALLEES = 64
STALE = 16 << 10  # bytes below the innermost frame that are searched
_ADD_NUMBER = (0x81, 0x83)  # the opcodes of add and sub with a number, by the ModRM reg field
_Slot = tuple[str | None, str | None, int]


class CodeGivenStackAddress(NamedTuple):
    """Who is given a pointer into a frame: a function of a file; both "" for one by a pointer."""

    function: str
    file: str


class _CallPassingStackAddress(NamedTuple):
    """A call with a pointer into the frame in some argument registers."""

    instruction: Instruction
    end: int  # where the next instruction begins
    arguments: frozenset[str]


def code_given_stack_address(target: Target, return_address: int) -> list[CodeGivenStackAddress]:
    """Return to whom the function that holds a return address gives pointers into its frame.

    Left out are functions of the same file, unless they pass the pointer on, and those of the
    system's libraries and of Python: these write as much as they are told to.
    """
    bounds, imported = FunctionBounds(target), ImportedFunctions(target)
    modules = ModulesByAddress(target.modules())
    module = modules.module_at_address(return_address)
    if module is None:
        return []
    borrowers: dict[CodeGivenStackAddress, None] = {}
    open_calls = [(return_address - 1, frozenset(("rsp",)), MAX_DEPTH)]
    seen: set[tuple[int, frozenset[str]]] = set()
    while open_calls and len(seen) < MAX_CALLEES:
        pc, holders, depth = open_calls.pop()
        function = bounds.function_at(pc)
        if function is None or (function.start, holders) in seen:
            continue
        seen.add((function.start, holders))
        for passed in _calls_passing_pointer(target, function.start, function.end, holders):
            instruction, end = passed.instruction, passed.end
            slot = got_slot_of_call(target, instruction, end)
            if slot is not None:
                goes_to = read_word(target, slot, dumped_only=False) or 0
                callee = modules.module_at_address(goes_to)
                path = "" if callee is None else callee.path or ""
                if callee is not None and callee != module and is_own_library(path):
                    name = imported.name_of_slot(slot)
                    borrowers.setdefault(CodeGivenStackAddress(name, path.rpartition("/")[2]))
                    continue
                if callee != module:
                    continue
            elif instruction.target is None:
                borrowers.setdefault(CodeGivenStackAddress("", ""))
                continue
            else:
                goes_to = end + instruction.target
            if depth:
                open_calls.append((goes_to, passed.arguments, depth - 1))
    return list(borrowers)


def _calls_passing_pointer(
    target: Target, start: int, end: int, holders: frozenset[str]
) -> Iterator[_CallPassingStackAddress]:
    """Yield the calls of a function with a pointer that lies in some registers at its start.

    "rsp" stands for its own frame. Code is read from the start to the end, branches are not
    followed: compilers set the arguments of a call right before it.
    """
    held, slots = set(holders), set[_Slot]()
    code = read_up_to(target, start, min(end - start, MAX_FUNCTION))
    for at, instruction in decode_instructions(code):
        if instruction is None:
            return
        behind = at + instruction.length
        leaves = instruction.flow == JUMP and instruction.target is not None
        leaves = leaves and not 0 <= behind + (instruction.target or 0) < end - start
        arguments = frozenset(held.intersection(ARGUMENTS))
        if arguments and (instruction.flow == CALL or leaves):
            yield _CallPassingStackAddress(instruction, start + behind, arguments)
        stored, place = stored_register(instruction), instruction.memory
        if stored is not None and place is not None:
            slot = (place.base, place.index_register, place.displacement)
            slots.discard(slot)
            if stored in held:
                slots.add(slot)
        changed = changed_registers(instruction)
        made = {name for name in changed or () if _holds_pointer(instruction, name, held, slots)}
        held = {name for name in held if changed is not None and name not in changed} | made
        held |= holders & {"rsp"}


def _holds_pointer(
    instruction: Instruction, register: str, held: set[str], slots: set[_Slot]
) -> bool:
    """Whether an instruction makes a pointer of the same kind in a register that it changes."""
    how = value_source(instruction, register)
    if how.kind == COPY:
        return how.source in held
    place = instruction.memory
    if how.kind in (ADDRESS, LOAD) and place is not None:
        if how.kind == ADDRESS:
            return place.base in held
        return (place.base, place.index_register, place.displacement) in slots
    by_number = instruction.opcode in _ADD_NUMBER and instruction.modrm_reg in (0, 5)
    return by_number and instruction.opcode_map == 0 and register in held


def files_of_code_that_ran_below_frame(target: Target, innermost: int, frame: int) -> list[str]:
    """Return files of others whose return addresses are left below a frame, nearest first.

    They ran in calls that have returned, of that frame or of earlier ones. `innermost` is the
    stack pointer of the innermost frame. ctypes and cffi count: they run callbacks in Python.
    """
    region = target.region_at(frame)
    if region is None:
        return []
    start = max(region.start, innermost - STALE) & -WORD
    words = split_into_words(read_up_to(target, start, max(0, min(frame - start, 4 * STALE))))
    files: dict[str, None] = {}
    modules = ModulesByAddress(target.modules())
    for word in dict.fromkeys(reversed(words)):
        module = modules.module_at_address(word)
        path = "" if module is None else module.path or ""
        name = path.rpartition("/")[2]
        counts = is_own_library(path) or name.startswith(CALLERS)
        if counts and name not in files and call_returning_to(target, word) is not None:
            files.setdefault(name)
    return list(files)
