# SPDX-License-Identifier: Apache-2.0
"""What the registers and the top of the stack say where the process failed.

Facts, no judgement: a population of them separates a stack pointer that a CPU got wrong from a
return slot that a race set to 0.
"""

from __future__ import annotations

from gdb_epi.fault import (
    NEAR_NULL,
    NULL_PAGE,
    Fault,
    is_canonical,
    may_execute,
    operand_of,
    read_word,
)
from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import Region, Target
from gdb_epi.x86 import Operand

ALIGNMENT = 16  # System V ABI, x86-64 3.2.2: rsp mod 16 is 8 on entry, 0 at a call


class Slot(NamedTuple):
    """The word that a return took (`how` "return"), or that a call pushed ("call")."""

    how: str
    address: int
    value: int
    points_to: str


class Access(NamedTuple):
    """The memory operand of the failing instruction; `register` is the one it rests on."""

    operand: Operand
    address: int | None
    register: str | None
    value: int | None
    points_to: str | None


def kind_of_address(target: Target, address: int) -> str:
    """Return null, near-null, non-canonical, unmapped, code, stack, file or memory."""
    if address < NULL_PAGE:
        return "null"
    if not is_canonical(address):
        return "non-canonical"
    region = target.region_at(address)
    if region is None:
        return "near-null" if address < NEAR_NULL else "unmapped"
    if may_execute(region) and "?" not in region.perms:
        return "code"
    if _is_stack(target, region):
        return "stack"
    return "file" if region.path else "memory"


def _is_stack(target: Target, region: Region) -> bool:
    pointers = (thread.registers.get("rsp", 0) for thread in target.threads())
    return any(region.start <= pointer < region.end for pointer in pointers)


def return_slot(target: Target, fault: Fault) -> Slot | None:
    """Return the word on the stack that goes with a wild program counter.

    After a return the word just below rsp holds the address that was jumped to; after a call
    the word at rsp is the way back to the caller. None when the program counter is in code.
    """
    if may_execute(target.region_at(fault.pc)):
        return None
    below, top = read_word(target, fault.sp - 8), read_word(target, fault.sp)
    if below == fault.pc:
        return Slot("return", fault.sp - 8, below, kind_of_address(target, below))
    if top and may_execute(target.region_at(top)):
        return Slot("call", fault.sp, top, kind_of_address(target, top))
    return None


def failing_access(target: Target, fault: Fault) -> Access | None:
    """Return the memory access of the failing instruction; None when it is not known."""
    operand = operand_of(target, fault)
    if operand is None:
        return None
    register = operand.base or operand.index_register
    value = fault.registers.get(register) if register else None
    kind = None if value is None else kind_of_address(target, value)
    return Access(operand, operand.address(fault.registers), register, value, kind)
