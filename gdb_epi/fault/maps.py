# SPDX-License-Identifier: Apache-2.0
"""Questions to the map of a process: canonical, permitted, guard page, beside a mapping."""

from __future__ import annotations

from bisect import bisect_left

from gdb_epi.fault.find import Fault
from gdb_epi.fault.signals import SI_KERNEL
from gdb_epi.sizes import USER_TOP
from gdb_epi.target.api import DUMPED, Region, Target
from gdb_epi.typing_lite import NamedTuple

LARGE_TOP = 1 << 56  # with five
VSYSCALL = 0xFFFF_FFFF_FF60_0000
# Bytes; a larger inaccessible mapping is a reservation. The categories call one a guard up to 1 MiB
# (signature/categories/faults.py): two answers to one question, to be settled with the verdicts.
MAX_GUARD = 32 << 10
NEAR_NULL = 65536
STACK_REACH = 65536  # bytes between fault address, rsp and the low end of the stack mapping
MAX_FRAME = 1 << 30  # bytes that one frame may be larger than what is left of its stack
RED_ZONE = 128  # bytes below rsp that a function may use (System V ABI)


class NearbyMapping(NamedTuple):
    """The nearest permitted mapping: `distance` bytes from its end (or to its start)."""

    region: Region
    distance: int
    after: bool  # the address lies behind its end


def user_top(target: Target, fault: Fault | None = None) -> int:
    """Return where user space ends.

    Five levels of page tables are known by a mapping above 2^47, or by an address up there that
    the kernel reported: of a non-canonical one it reports none.
    """
    regions = target.regions()
    last = next((region for region in reversed(regions) if region.start < VSYSCALL), None)
    if last is not None and USER_TOP < last.end <= LARGE_TOP:
        return LARGE_TOP
    address = fault.address if fault is not None and fault.code != SI_KERNEL else None
    return LARGE_TOP if address and USER_TOP <= address < LARGE_TOP else USER_TOP


def is_canonical(address: int, top: int = USER_TOP) -> bool:
    """Whether the CPU accepts an address at all; the last byte of user space is not checked."""
    return address < top or address >= (1 << 64) - top


def permits(region: Region | None, access: str | None) -> bool:
    """Whether a mapping allows "r", "w" or "x"; any of them when the access is not known."""
    if region is None:
        return False
    if "?" in region.perms:
        return access != "w" or "w" in region.perms
    if access is None:
        return any(letter in region.perms for letter in "rwx")
    return access in region.perms


def may_execute(region: Region | None) -> bool:
    """Whether code may run there; a mapping whose permissions the core does not tell may."""
    return region is not None and ("x" in region.perms or "?" in region.perms)


def stack_is_dumped(target: Target, sp: int) -> bool:
    """Whether the core holds the stack at `sp`: False for a core that was cut before it.

    A wild rsp counts as dumped: then the stack is damaged, not missing.
    """
    for region in target.regions():
        if region.end <= sp:
            continue
        start = max(region.start, sp)
        if "w" not in region.perms or region.start - sp > STACK_REACH:
            return True
        return target.provenance(start, 8) == DUMPED
    return True


def stack_below(target: Target, fault: Fault, address: int) -> Region | None:
    """Return the stack mapping whose low end the access at `address` ran over, or None."""
    lowest = min(address, fault.sp)
    for region in target.regions():
        if region.end <= lowest or "w" not in region.perms:
            continue
        if region.start > lowest + STACK_REACH:
            return None
        near = abs(fault.sp - region.start) <= STACK_REACH
        return region if near and 0 < region.start - address <= STACK_REACH else None
    return None


def below_large_frame(target: Target, fault: Fault, address: int) -> Region | None:
    """Return the stack that one frame larger than what is left of it ran out of, or None.

    alloca(), a variable-length array: rsp has jumped over the guard, and rbp still is where the
    frame began. Not when one bit of rsp would put it below rbp: then rsp may be damaged.
    """
    frame, sp = fault.registers.get("rbp", 0), fault.sp
    above = next((region for region in target.regions() if region.end > sp), None)
    if above is None or above.start - sp > MAX_FRAME or not above.start > address >= sp - RED_ZONE:
        return None
    if "w" not in above.perms or not above.start <= frame < above.end:
        return None
    damaged = any(0 <= frame - (sp ^ (1 << bit)) <= STACK_REACH for bit in range(64))
    return None if damaged else above


def guard_page(target: Target, address: int) -> Region | None:
    """Return the guard page that holds an address: small, inaccessible, beside memory."""
    here = target.region_at(address)
    if here is None or here.size > MAX_GUARD or permits(here, None) or "?" in here.perms:
        return None
    before, behind = target.region_at(here.start - 1), target.region_at(here.end)
    return here if permits(before, None) or permits(behind, None) else None


def nearest_mapping(
    target: Target, address: int, reach: int, access: str | None = None
) -> NearbyMapping | None:
    """Return the permitted mapping that ends or begins at most `reach` bytes away."""
    regions = target.regions()
    at = bisect_left(regions, address, key=_end)
    nearby: list[NearbyMapping] = []
    for number in range(max(at - 3, 0), min(at + 3, len(regions))):
        region = regions[number]
        if not permits(region, access) or region.start <= address < region.end:
            continue
        if region.end <= address:
            nearby.append(NearbyMapping(region, address - region.end, True))
        else:
            nearby.append(NearbyMapping(region, region.start - address, False))
    near = [mapping for mapping in nearby if mapping.distance <= reach]
    return min(near, key=lambda mapping: mapping.distance, default=None)


def _end(region: Region) -> int:
    return region.end
