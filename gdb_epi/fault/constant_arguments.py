# SPDX-License-Identifier: Apache-2.0
"""The constants that a caller passed: what the code before a call put into argument registers.

The function that was called has used the registers since; the code of the caller has not changed.
Only constants and addresses relative to the code are returned, no value of the program.
Source: System V ABI x86-64, 3.2.3 (arguments in rdi, rsi, rdx, rcx, r8, r9).
"""

from __future__ import annotations

from gdb_epi.fault.instructions import call_before, instructions_before
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.fault.memory_reads import c_string
from gdb_epi.target.api import Target, get_architecture
from gdb_epi.x86.instruction import NEXT, MemoryOperand
from gdb_epi.x86.register_changes import ADDRESS, CONSTANT, changed_registers, value_source

ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
MAX_TEXT = 512
WINDOW = 96  # bytes of code before the call


def constant_arguments(target: Target, return_address: int) -> dict[str, int]:
    """Return the argument registers that hold a constant at the call before a return address.

    Registers that the straight-line code before the call does not set to constants are left out;
    empty when the code cannot be read.
    """
    call = call_before(target, return_address) if get_architecture(target).decodes else None
    if call is None:
        return {}
    steps = instructions_before(target, return_address - call.length, WINDOW)
    constants: dict[str, int] = {}
    open_registers = set(ARGUMENTS)
    for step in reversed(steps or ()):
        if step.instruction.flow != NEXT or not open_registers:
            break
        changed = changed_registers(step.instruction)
        if changed is None:
            break
        for name in changed & open_registers:
            how = value_source(step.instruction, name)
            if how.kind == CONSTANT and isinstance(how.source, int):
                constants[name] = how.source
            elif how.kind == ADDRESS and isinstance(how.source, MemoryOperand):
                at = how.source.address({"rip": step.address}) if how.source.rip_relative else None
                if at is not None:
                    constants[name] = at
        open_registers -= changed
    return constants


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
