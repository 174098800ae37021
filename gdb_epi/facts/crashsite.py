# SPDX-License-Identifier: Apache-2.0
"""What the registers and the top of the stack say where the process failed.

Facts, no judgement: a population of them separates a stack pointer that a CPU got wrong from a
return slot that a race set to 0.
"""

from __future__ import annotations

from gdb_epi.fault import NEAR_NULL, NULL_PAGE, is_canonical, may_execute, read_word
from gdb_epi.fault.site import CALL, RETURN, Site
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
    """The memory operand that failed; `register` is the one it rests on."""

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


def return_slot(target: Target, site: Site) -> Slot | None:
    """Return the word on the stack by which control came to a wild program counter.

    A return leaves the word it took just below rsp; a call has pushed the way back to rsp. None
    when the program counter is in code, or when it cannot be told how control left it.
    """
    if site.kind == RETURN and site.slot is not None:
        how, address = RETURN, site.slot
    elif site.kind == CALL and site.arrived:
        how, address = CALL, site.fault.sp
    else:
        return None
    value = read_word(target, address)
    if value is None:
        return None
    return Slot(how, address, value, kind_of_address(target, value))


def failing_access(target: Target, site: Site) -> Access | None:
    """Return the memory access that failed; None when it is not known."""
    operand = site.operand
    if operand is None:
        return None
    registers = site.fault.registers
    register = next(iter(operand.registers()), None)
    value = registers.get(register) if register else None
    kind = None if value is None else kind_of_address(target, value)
    return Access(operand, operand.address(registers), register, value, kind)
