# SPDX-License-Identifier: Apache-2.0
"""Code around an address: instruction boundaries, return addresses, straight-line predecessors.

The constants that a caller passed: what the code before a call put into argument registers.

The function that was called has used the registers since; the code of the caller has not changed.
Without registers of its frame only constants and addresses relative to the code are returned.
Source: System V ABI x86-64, 3.2.3 (arguments in rdi, rsi, rdx, rcx, r8, r9).
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.mapping_checks import may_execute, permits
from gdb_epi.fault.memory_reads import c_string, read_up_to
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target, get_architecture, try_read
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, Instruction, MemoryOperand, decode, first_memory_operand
from gdb_epi.x86.decode import decode_instructions, instruction_length
from gdb_epi.x86.instruction import CALL, NEXT
from gdb_epi.x86.register_changes import (
    ADDRESS,
    CONSTANT,
    COPY,
    LOAD,
    changed_registers,
    value_source,
)

WINDOW = 64  # decoded bytes before an address
CLOSEST = 20  # decoding from nearer than this may not have synchronised yet
MIN_SHARE = 0.6  # of decodings that must reach an address for it to be a boundary
MIN_CHAINS = 8
MAX_FUNCTION = 8 << 10  # decoded bytes of a function before the instruction
CALL_LENGTHS = (5, 2, 3, 6, 7, 4, 8)  # of call instructions, the most frequent first
ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")  # for the caller, by the ABI
MAX_TEXT = 512
BYTES_BEFORE_CALL = 96  # bytes of code before the call


class InstructionAtAddress(NamedTuple):
    """One instruction at its address."""

    address: int
    instruction: Instruction


def memory_operand_of_fault(target: Target, fault: Fault) -> MemoryOperand | None:
    """Return the memory operand of the faulting instruction; None when the text is absent."""
    code = read_up_to(target, fault.pc, MAX_LENGTH)
    return first_memory_operand(code) if code else None


def instructions_before(
    target: Target, address: int, window: int = WINDOW
) -> list[InstructionAtAddress] | None:
    """Return the instructions before an address, the nearest last.

    Decoding from any start synchronises within a few instructions; the most frequent chain counts.
    None when the address is no boundary or the code cannot be read.
    """
    code = _code_before(target, address, window)
    if code is None:
        return None
    lengths, ends = _decoding_chains(code, window)
    starts = [start for start in range(window - CLOSEST + 1) if start in ends]
    landed = [start for start in starts if ends[start] == window]
    if len(starts) < MIN_CHAINS or len(landed) < MIN_SHARE * len(starts):
        return None
    counts: dict[int, int] = {}
    for at in landed:
        while at < window:
            counts[at] = counts.get(at, 0) + 1
            at += lengths[at]
    shared = [place for place, count in counts.items() if count >= MIN_SHARE * len(landed)]
    if not shared:
        return None
    first = min(shared)
    return [
        InstructionAtAddress(address - window + first + at, instruction)
        for at, instruction in decode_instructions(code[first:window])
        if instruction is not None  # its length is known
    ]


def is_instruction_boundary(target: Target, address: int) -> bool | None:
    """Whether an instruction begins at an address; None when the text before cannot be read."""
    if _code_before(target, address, WINDOW) is None:
        return None
    return instructions_before(target, address) is not None


def is_instruction_start(target: Target, at: int) -> bool:
    """Whether decoding leads to an address: from the start of its function, or from before it."""
    function = FunctionBounds(target).function_at(at)
    if function is not None and at - function.start <= MAX_FUNCTION:
        code, reached = read_up_to(target, function.start, at - function.start), 0
        while reached < len(code) and (length := instruction_length(code, reached)):
            reached += length
        if reached == at - function.start:
            return True
    return bool(is_instruction_boundary(target, at))


def _code_before(target: Target, address: int, window: int) -> bytes | None:
    if address < window or not may_execute(target.region_at(address)):
        return None
    code = read_up_to(target, address - window, window + MAX_LENGTH)
    return code if len(code) >= window else None


def _decoding_chains(code: bytes, window: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return the instruction's length at each offset and where decoding from there ends up.

    A chain ends at `window` if it reaches it exactly, and after it otherwise.
    """
    lengths: dict[int, int] = {}
    ends: dict[int, int] = {}
    for at in range(window - 1, -1, -1):
        length = instruction_length(code, at)
        if not length:
            continue
        lengths[at] = length
        following = at + length
        if following >= window:
            ends[at] = following
        elif following in ends:
            ends[at] = ends[following]
    return lengths, ends


def call_before(target: Target, address: int) -> Instruction | None:
    """Return the call instruction that ends at an address in executable memory, or None."""
    if not may_execute(target.region_at(address - 1)):
        return None
    code = read_up_to(target, address - 8, 8)
    if len(code) < 8:
        return None
    for length in CALL_LENGTHS:
        instruction = decode(code[8 - length :])
        if instruction is not None and instruction.flow == CALL and instruction.length == length:
            return instruction
    return None


def call_returning_to(target: Target, address: int) -> Instruction | None:
    """Return the call to which a word is the return address; None when it is no such address.

    The bytes before it must be a call that decoding from further back reaches, and a direct call
    must lead to executable memory. About 1 in 10^4 random code addresses passes.
    """
    call = call_before(target, address)
    if call is None:
        return None
    if call.target is not None and not may_execute(target.region_at(address + call.target)):
        return None
    return call if is_instruction_boundary(target, address) is not False else None


def constant_arguments(
    target: Target, return_address: int, registers: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Return the argument registers that hold a constant at the call before a return address.

    Registers that the straight-line code before the call does not set to constants are left out;
    empty when the code cannot be read. Compilers that do not optimize set one through another.

    With the `registers` of the calling frame, as unwound, also those that were set from its own
    variables: a register that a function keeps for its caller, or a word of its part of the stack.
    """
    call = call_before(target, return_address) if get_architecture(target).decodes else None
    if call is None:
        return {}
    steps = instructions_before(target, return_address - call.length, BYTES_BEFORE_CALL)
    constants: dict[str, int] = {}
    waiting = {name: {name} for name in ARGUMENTS}  # register -> the arguments set through it
    changed_since: set[str] = set()
    for step in reversed(steps or ()):
        if step.instruction.flow != NEXT or not waiting:
            break
        changed = changed_registers(step.instruction)
        if changed is None:
            break
        copied: dict[str, set[str]] = {}
        for name in changed & waiting.keys():
            arguments = waiting.pop(name)
            how, value = value_source(step.instruction, name), None
            if how.kind == COPY and isinstance(how.source, str):
                if how.source in KEPT and how.source not in changed_since:
                    value = (registers or {}).get(how.source)
                if value is None:
                    copied.setdefault(how.source, set()).update(arguments)
            elif how.kind == CONSTANT and isinstance(how.source, int):
                value = how.source
            elif how.kind == ADDRESS and isinstance(how.source, MemoryOperand):
                is_fixed = how.source.rip_relative
                value = how.source.address({"rip": step.address}) if is_fixed else None
            elif how.kind == LOAD and registers and isinstance(how.source, MemoryOperand):
                value = (
                    _read_stack_variable(target, how.source, registers)
                    if how.size == WORD
                    else None
                )
            if value is not None:
                constants.update(dict.fromkeys(arguments, value))
        for name, arguments in copied.items():
            waiting.setdefault(name, set()).update(arguments)
        changed_since |= changed
    return constants


def _read_stack_variable(
    target: Target, operand: MemoryOperand, registers: Mapping[str, int]
) -> int | None:
    """Return a variable that a function has on its stack; None for other memory."""
    address = operand.address(registers) if operand.base in ("rsp", "rbp") else None
    if address is None or operand.index_register:
        return None
    word = try_read(target, address, WORD)
    return int.from_bytes(word, "little") if word else None


def is_register_loaded_from_non_stack(target: Target, pc: int, register: str) -> bool:
    """Whether the straight-line code before an address loads a register from outside of the stack.

    Then others can have written the value; an argument or a local variable is the function's own.
    """
    for step in reversed(instructions_before(target, pc) or ()):
        changed = changed_registers(step.instruction)
        if changed is None or step.instruction.flow != NEXT:
            return False
        if register not in changed:
            continue
        how = value_source(step.instruction, register)
        if how.kind != COPY or not isinstance(how.source, str):
            place = how.source if how.kind == LOAD else None
            return isinstance(place, MemoryOperand) and place.base not in ("rsp", "rbp")
        register = how.source
    return False


def constant_text(target: Target, address: int) -> str | None:
    """Return the text at an address of memory that the program cannot write; None when none is.

    It is a constant of the program or its libraries, no data.
    """
    region = target.region_at(address)
    if region is None or region.path is None or permits(region, "w"):
        return None
    sizes = (min(size, region.end - address) for size in (MAX_TEXT, 64))
    text = c_string(target, address, *sizes).decode("utf-8", "replace")
    return text if text and text.replace("\n", " ").isprintable() else None
