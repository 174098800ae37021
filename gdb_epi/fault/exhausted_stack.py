# SPDX-License-Identifier: Apache-2.0
"""Whether an access ran out of its stack: just below it, into its guard, or by one large frame.

The kernel grows the main stack down to RLIMIT_STACK wherever rsp is (Linux 5.0 and later,
arch/x86/mm/fault.c); stacks of threads end in a guard whose size their maker chose
(pthread_attr_setguardsize). A function that makes its frame in one step jumps over either.
"""

from __future__ import annotations

from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.mapping_checks import RED_ZONE, STACK_REACH, permits
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.sizes import PAGE
from gdb_epi.target.api import Region, Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, decode

MAX_FRAME = 1 << 30  # bytes by which one frame may exceed the rest of its stack
MAX_PROLOGUE = 512  # bytes of a function that set up its frame
MAX_SAVED = 512  # bytes between the frame of a caller and what a function subtracts from rsp
# sub imm32,%rsp is REX.W 81 /5; sub %reg,%rsp is REX.W 29 with rsp as ModRM's r/m.
_SUB_IMMEDIATE, _SUB, _SUB_REGISTER = 0x81, 5, 0x29


class ExhaustedStack(NamedTuple):
    """The exhausted stack; `large`: one frame was larger than what was left of it."""

    region: Region
    large: bool


def exhausted_stack(target: Target, fault: Fault, address: int) -> ExhaustedStack | None:
    """Return the stack that an access to data at `address` ran out of, or None."""
    below = _just_below(target, fault, address) or _in_guard(target, fault, address)
    if below is not None:
        return ExhaustedStack(below, False)
    stack = _below_large_frame(target, fault, address)
    if stack is not None and permits(
        target.region_at(fault.sp), "w"
    ):  # other memory, below the guard
        guard = target.region_at(address)
        stack = stack if guard is not None and _is_guard_of(guard, stack) else None
    return ExhaustedStack(stack, True) if stack is not None else None


def _just_below(target: Target, fault: Fault, address: int) -> Region | None:
    """The access is at most 64 KiB below a writable mapping, and rsp is at that mapping's end."""
    lowest = min(address, fault.sp)
    for region in target.regions():
        if region.end <= lowest or "w" not in region.perms:
            continue
        if region.start > lowest + STACK_REACH:
            return None
        near = abs(fault.sp - region.start) <= STACK_REACH
        return region if near and 0 < region.start - address <= STACK_REACH else None
    return None


def _in_guard(target: Target, fault: Fault, address: int) -> Region | None:
    """The access is in an inaccessible mapping right below a writable one, and rsp too or near."""
    guard = target.region_at(address)
    stack = None if guard is None else target.region_at(guard.end)
    if guard is None or stack is None or not _is_guard_of(guard, stack):
        return None
    inside = guard.start <= fault.sp < guard.end
    return stack if inside or 0 <= fault.sp - stack.start <= STACK_REACH else None


def _is_guard_of(guard: Region, stack: Region) -> bool:
    """Whether an inaccessible mapping lies right below a writable one."""
    inaccessible = not permits(guard, None) and "?" not in guard.perms
    return inaccessible and guard.end == stack.start and "w" in stack.perms


def _below_large_frame(target: Target, fault: Fault, address: int) -> Region | None:
    """One frame is larger than what is left of the stack: rsp has jumped over the guard.

    The frame's beginning, which rbp still holds, shows this, or what the function subtracted from
    rsp. Not rbp alone if one flipped bit of rsp would put it below rbp: rsp may then be damaged.
    """
    sp, frame = fault.sp, fault.registers.get(fault.architecture.frame, 0)
    if address < sp - RED_ZONE or permits(target.region_at(address), None):
        return None
    decodes = fault.architecture.decodes
    subtracted = subtracted_from_rsp(target, fault.pc) if decodes else None
    if isinstance(subtracted, int):
        stack = target.region_at(sp + subtracted) or target.region_at(sp + subtracted + MAX_SAVED)
        if permits(stack, "w") and stack is not None and address < stack.start:
            return stack
    above = next((r for r in target.regions() if r.start > address and permits(r, None)), None)
    if above is None or above.start - sp > MAX_FRAME:
        return None
    if "w" not in above.perms or not above.start <= frame < above.end:
        return None
    damaged = any(0 <= frame - (sp ^ (1 << bit)) <= STACK_REACH for bit in range(64))
    return None if damaged and subtracted is None else above


def subtracted_from_rsp(target: Target, pc: int) -> int | str | None:
    """Return what the function at `pc` subtracts from rsp for its frame before `pc`.

    That is a number of bytes, or the register that holds it (alloca(), an array of variable
    length). None when it is less than a page, or when the code cannot be read.
    """
    function = FunctionBounds(target).at(pc)
    if function is None:
        return None
    reserved: int | str | None = None
    code = read_up_to(target, function.start, min(pc - function.start, MAX_PROLOGUE))
    at = 0
    while at < len(code):
        instruction = decode(code[at : at + MAX_LENGTH])
        if instruction is None:
            break
        if (
            instruction.encoding == "legacy"
            and instruction.rm == "rsp"
            and instruction.opcode_map == 0
        ):
            if instruction.opcode == _SUB_REGISTER:
                reserved = instruction.reg
            elif instruction.opcode == _SUB_IMMEDIATE and instruction.modrm_reg == _SUB:
                size = instruction.immediate or 0
                reserved = size if size >= PAGE else reserved
        at += instruction.length
    return reserved
