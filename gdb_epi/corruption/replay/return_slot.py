# SPDX-License-Identifier: Apache-2.0
"""What a return took from the stack, and what it should have taken."""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import RETURN
from gdb_epi.fault.instructions import call_returning_to
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import read_up_to, read_word, try_read
from gdb_epi.sizes import ADDRESS_BITS
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

ALIGNMENT = 16  # System V ABI, x86-64 3.2.2: rsp + 8 is a multiple of 16 on entry
BELOW = 64 << 10  # bytes below rsp that are searched for a signal frame
# struct rt_sigframe of the kernel: the restorer's address, then the ucontext, whose registers
# begin after 40 bytes in the order of struct sigcontext (rsp 15, rip 16, segments 18).
_RSP, _RIP, _SEGMENTS = 8 + 40 + 8 * 15, 8 + 40 + 8 * 16, 8 + 40 + 8 * 18
_USER_SEGMENTS = bytes((0x33, 0, 0, 0, 0, 0, 0x2B, 0))
_RESTORER = bytes.fromhex("48c7c00f0000000f05")  # mov $15,%rax; syscall (rt_sigreturn)


class ReturnSlot(NamedTuple):
    """A return's slot: `found` was taken from `address`, `corrected` should have been.

    `direct`: the call before the right return address is a direct one. `bit` is the one that
    differs, None when another slot is the right one.
    """

    address: int
    found: int
    corrected: int
    bit: int | None
    direct: bool
    summary: str


def popped_slot_and_word(context: Context) -> tuple[int, int] | None:
    """Return (address, value) of the stack word that a failed return took; None for no return."""
    site = context.site
    if isinstance(site, Absent) or site.kind != RETURN or site.slot is None:
        return None
    value = read_word(context.target, site.slot)
    return None if value is None else (site.slot, value)


def return_slot_above(context: Context) -> ReturnSlot | None:
    """Return the slot above when it holds a return address and is where one belongs.

    On entry of a function rsp + 8 is a multiple of 16, so return addresses lie at 8 modulo 16.
    """
    slot = popped_slot_and_word(context)
    if slot is None:
        return None
    address, value = slot
    above = read_word(context.target, address + 8)
    if above is None or (address + 8) % ALIGNMENT != ALIGNMENT - 8:
        return None
    call = call_returning_to(context.target, above)
    if call is None:
        return None
    direct = call.target is not None
    kind = "a direct" if direct else "an indirect"
    summary = (
        f"a return took {value:#018x} from {address:#x}; the word above it, {above:#018x}, is the "
        f"return address of {kind} call and lies where the ABI wants one (8 modulo 16)"
    )
    return ReturnSlot(address + 8, value, above, None, direct, summary)


def one_bit_return_slots(context: Context) -> list[ReturnSlot]:
    """Return what the popped word may have been before one bit of it changed.

    Only words at whose exact address a call ends; the fewer the better.
    """
    slot = popped_slot_and_word(context)
    if slot is None or not slot[1]:
        return []
    address, value = slot
    if value < NEAR_NULL:  # a small number is one bit from any image at 0x400000
        return []
    candidates = []
    for bit in range(64):
        corrected = value ^ (1 << bit)
        if corrected >> ADDRESS_BITS:
            continue
        call = call_returning_to(context.target, corrected)
        if call is not None:
            summary = (
                f"the return address at {address:#x}, {value:#018x}, is one bit (bit {bit}) from "
                f"{corrected:#018x}, which lies behind a call"
            )
            direct = call.target is not None
            candidates.append(ReturnSlot(address, value, corrected, bit, direct, summary))
    return sorted(candidates, key=lambda candidate: not candidate.direct)


def libunwind_setcontext_race(context: Context) -> str | None:
    """Return the sentence that tells libunwind's race, or None.

    `_Ux86_64_setcontext` before 1.8.3 read its ucontext after it had moved rsp off it; a signal
    in between wrote its frame over the context, and the return address that it read was 0
    (libunwind issue 927). The frame is still there: it says that libunwind was interrupted with
    rsp where the return then happened.
    """
    fault = context.fault
    if isinstance(fault, Absent) or fault.pc != 0:
        return None
    target = context.target
    if not any("libunwind" in module.path.rpartition("/")[2] for module in target.modules()):
        return None
    for frame in _possible_signal_frame_addresses(target, fault.sp):
        rip, rsp = read_word(target, frame + _RIP), read_word(target, frame + _RSP)
        region = target.region_at(rip) if rip else None
        name = (region.path or "").rpartition("/")[2] if region is not None else ""
        if "libunwind" in name and rsp is not None and abs(rsp - fault.sp) <= ALIGNMENT:
            return (
                f"a return took 0; the signal frame at {frame:#x}, below rsp, interrupted "
                f"{name} at {rip:#x} with rsp {rsp:#x}: the race of _Ux86_64_setcontext"
            )
    return None


def _possible_signal_frame_addresses(target: Target, sp: int) -> list[int]:
    """Return the addresses of what looks like kernel signal frames below a stack pointer."""
    region = target.region_at(sp - 8)
    if region is None:
        return []
    start = max(region.start, sp - BELOW)
    stack = try_read(target, start, sp - start)
    frames: list[int] = []
    at = stack.find(_USER_SEGMENTS)
    while at >= 0 and len(frames) < 64:
        frame = start + at - _SEGMENTS
        restorer = read_word(target, frame)
        if restorer and read_up_to(target, restorer, len(_RESTORER)) == _RESTORER:
            frames.append(frame)
        at = stack.find(_USER_SEGMENTS, at + 1)
    return frames
