# SPDX-License-Identifier: Apache-2.0
"""What lies at the address of a failed access: one answer from a closed list.

An access may have run out of its stack: just below it, into its guard, or by one large frame. The
kernel grows the main stack down to RLIMIT_STACK wherever rsp is (Linux 5.0 and later,
arch/x86/mm/fault.c); stacks of threads end in a guard whose size their maker chose
(pthread_attr_setguardsize). A function that makes its frame in one step jumps over either.
"""

from __future__ import annotations

from gdb_epi.fault.fault_site import DATA, FaultSite
from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.mapping_checks import (
    NEAR_NULL,
    RED_ZONE,
    STACK_REACH,
    guard_page,
    is_canonical,
    may_execute,
    nearest_mapping,
    permits,
)
from gdb_epi.fault.memory_reads import NULL_PAGE, read_up_to, read_word
from gdb_epi.sizes import PAGE, USER_TOP, WORD
from gdb_epi.target.api import Region, Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86.decode import decode_instructions

PAST_END = 64 << 10  # bytes after a mapping that still count as past its end

NULL, LOW, NULL_BASE = "null", "low", "null-base"
OR_A_NUMBER = "or a number that was taken for a pointer"  # of a low address whose NULL nobody saw
STACK_ENDED, GUARD, RESERVED = "stack-ended", "guard", "reserved"
READ_ONLY, FORBIDDEN, PERMITTED = "read-only", "forbidden", "permitted"
BEHIND, HOLE, KERNEL, NON_CANONICAL, UNKNOWN = (
    "behind-a-mapping", "hole", "kernel", "non-canonical", "unknown",
)  # fmt: skip

PLACES = {
    NULL: "the first page, which is never mapped",
    LOW: "the first 64 KiB, which are never mapped",
    NULL_BASE: "a NULL pointer and a displacement that leads out of the first 64 KiB",
    STACK_ENDED: "below the stack that the thread ran out of",
    GUARD: "an inaccessible mapping of at most 1 MiB beside memory",
    RESERVED: "another inaccessible mapping",
    READ_ONLY: "memory that may be read, and not written",
    FORBIDDEN: "memory that permits other accesses than this one",
    PERMITTED: "memory that permits this access, as the core has the map",
    BEHIND: "nothing; less than 64 KiB before it a mapping ends that permits the access",
    HOLE: "nothing",
    KERNEL: "the kernel's half of the address space",
    NON_CANONICAL: "an address that the CPU does not allow",
    UNKNOWN: "the address is not known",
}
MAX_FRAME = 1 << 30  # bytes by which one frame may exceed the rest of its stack
MAX_PROLOGUE = 512  # bytes of a function that set up its frame
MAX_SAVED = 512  # bytes between the frame of a caller and what a function subtracts from rsp
# sub imm32,%rsp is REX.W 81 /5; sub %reg,%rsp is REX.W 29 with rsp as ModRM's r/m.
_SUB_IMMEDIATE, _SUB, _SUB_REGISTER = 0x81, 5, 0x29


class AddressPlace(NamedTuple):
    """What lies at an address: a key of PLACES, and the evidence for it.

    `region` is the mapping at the address, the guard, or the exhausted stack (`large`: by a single
    frame); for BEHIND, the mapping that ends `distance` bytes before the address.
    """

    kind: str
    region: Region | None = None
    distance: int = 0
    large: bool = False


def place_at_failed_address(target: Target, site: FaultSite, top: int) -> AddressPlace:
    """Return what lies at the address of a failed access or transfer.

    The order is: what the CPU refuses, the stack, NULL, then the mappings.
    """
    address = site.address
    if address is None:
        return AddressPlace(UNKNOWN)
    if not is_canonical(address, top):
        return AddressPlace(NON_CANONICAL)
    if site.kind == DATA:
        ended = exhausted_stack(target, site.fault, address)
        if ended is not None:
            distance = ended.region.start - address
            return AddressPlace(STACK_ENDED, ended.region, distance, ended.large)
    if address < NEAR_NULL:
        return AddressPlace(NULL if address < NULL_PAGE else LOW)
    if site.kind == DATA and _is_base_null(site):
        return AddressPlace(NULL_BASE)
    if address >= USER_TOP and address >= top:
        return AddressPlace(KERNEL, target.region_at(address))
    return _place_by_mappings(target, address, site.access)


def _is_base_null(site: FaultSite) -> bool:
    """Tell whether the only register in the address is 0: a member at a negative or huge offset."""
    operand = site.operand
    if operand is None or operand.base in (None, "rsp") or operand.segment is not None:
        return False
    alone = operand.index_register is None and not operand.rip_relative
    return alone and site.fault.registers.get(str(operand.base)) == 0


def _place_by_mappings(target: Target, address: int, access: str | None) -> AddressPlace:
    region = target.region_at(address)
    if region is not None and permits(region, None):
        if permits(region, access):
            return AddressPlace(PERMITTED, region)
        return AddressPlace(
            READ_ONLY if access == "w" and permits(region, "r") else FORBIDDEN, region
        )
    guard = guard_page(target, address)
    if guard is not None:
        return AddressPlace(GUARD, guard)
    near = nearest_mapping(target, address, PAST_END, access)
    if near is not None and near.after:
        return AddressPlace(BEHIND, near.region, near.distance)
    return AddressPlace(HOLE if region is None else RESERVED, region)


class ExhaustedStack(NamedTuple):
    """The exhausted stack; `large`: one frame was larger than what was left of it."""

    region: Region
    large: bool


def exhausted_stack(target: Target, fault: Fault, address: int) -> ExhaustedStack | None:
    """Return the stack that an access to data at `address` ran out of, or None."""
    below = _stack_just_above_access(target, fault, address) or _stack_of_guard_page(
        target, fault, address
    )
    over = _stack_of_variable_frame(target, fault, address)
    if over is not None and over != below:  # what lies near the address is somebody else's
        return ExhaustedStack(over, True)
    if below is not None:
        return ExhaustedStack(below, False)
    stack = _stack_of_subtracted_frame(target, fault, address)
    if stack is None:
        stack = _stack_of_large_frame(target, fault, address)
        if stack is not None and permits(target.region_at(fault.sp), "w"):  # somebody else's memory
            guard = target.region_at(address)
            stack = stack if guard is not None and _is_guard_of(guard, stack) else None
    return ExhaustedStack(stack, True) if stack is not None else None


def _stack_just_above_access(target: Target, fault: Fault, address: int) -> Region | None:
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


def _stack_of_guard_page(target: Target, fault: Fault, address: int) -> Region | None:
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


def _stack_of_subtracted_frame(target: Target, fault: Fault, address: int) -> Region | None:
    """The address is in the frame that a function made by subtracting from rsp, below its stack.

    That function is the one that failed, or the caller of one without a frame of its own, as
    memset() and its like are: then rsp leads to the return address.
    """
    if not fault.architecture.decodes or permits(target.region_at(address), None):
        return None
    frames = [(fault.sp, fault.pc), (fault.sp + WORD, read_word(target, fault.sp) or 0)]
    for sp, pc in frames:
        if sp - RED_ZONE > address or not may_execute(target.region_at(pc)):
            continue
        subtracted = amount_subtracted_from_rsp(target, pc)
        if isinstance(subtracted, int):
            stack = target.region_at(sp + subtracted) or target.region_at(
                sp + subtracted + MAX_SAVED
            )
            if permits(stack, "w") and stack is not None and address < stack.start:
                return stack
    return None


def _stack_of_variable_frame(target: Target, fault: Fault, address: int) -> Region | None:
    """The address is in a frame of variable size that begins in a stack, and ends below it.

    Code with such a frame (alloca(), an array of variable length) keeps the frame's beginning in
    rbp. The stack needs not be the mapping nearest to the address: others may lie between.
    """
    frame, sp = fault.registers.get(fault.architecture.frame, 0), fault.sp
    stack = target.region_at(frame)
    if not fault.architecture.decodes or stack is None or not permits(stack, "w"):
        return None
    if not sp - RED_ZONE <= address < stack.start:
        return None
    if permits(target.region_at(address), None):
        return None
    return stack if has_frame_of_variable_size(target, fault) else None


def has_frame_of_variable_size(target: Target, fault: Fault) -> bool:
    """Tell whether the function that failed made its frame as large as a register said.

    Or its caller: memset() and its like have no frame of their own.
    """
    callers = (fault.pc, read_word(target, fault.sp) or 0)
    codes = (pc for pc in callers if may_execute(target.region_at(pc)))
    return any(isinstance(amount_subtracted_from_rsp(target, pc), str) for pc in codes)


def _stack_of_large_frame(target: Target, fault: Fault, address: int) -> Region | None:
    """One frame is larger than what is left of the stack: rsp has jumped over the guard.

    The frame's beginning, which rbp still holds, shows this. Not if one flipped bit of rsp would
    put it below rbp: rsp may then be damaged, where no function subtracted from it.
    """
    sp, frame = fault.sp, fault.registers.get(fault.architecture.frame, 0)
    if address < sp - RED_ZONE or permits(target.region_at(address), None):
        return None
    above = next((r for r in target.regions() if r.start > address and permits(r, None)), None)
    if above is None or above.start - sp > MAX_FRAME:
        return None
    if "w" not in above.perms or not above.start <= frame < above.end:
        return None
    damaged = any(0 <= frame - (sp ^ (1 << bit)) <= STACK_REACH for bit in range(64))
    if not damaged:
        return above
    decodes = fault.architecture.decodes
    return above if decodes and amount_subtracted_from_rsp(target, fault.pc) is not None else None


def amount_subtracted_from_rsp(target: Target, pc: int) -> int | str | None:
    """Return what the function at `pc` subtracts from rsp for its frame before `pc`.

    That is a number of bytes, or the register that holds it (alloca(), an array of variable
    length). None when it is less than a page, or when the code cannot be read.
    """
    function = FunctionBounds(target).function_at(pc)
    if function is None:
        return None
    reserved: int | str | None = None
    code = read_up_to(target, function.start, min(pc - function.start, MAX_PROLOGUE))
    for _, instruction in decode_instructions(code):
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
    return reserved
