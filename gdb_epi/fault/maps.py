# SPDX-License-Identifier: Apache-2.0
"""Questions to the map of a process: canonical, permitted, guard page, beside a mapping."""

from __future__ import annotations

from bisect import bisect_left

from gdb_epi.fault import SI_KERNEL, Fault
from gdb_epi.sizes import USER_TOP
from gdb_epi.target.api import Region, Target
from gdb_epi.typing_lite import NamedTuple

LARGE_TOP = 1 << 56  # with five
VSYSCALL = 0xFFFF_FFFF_FF60_0000
MAX_GUARD = 32 << 10  # bytes; a larger inaccessible mapping is a reservation


class Beside(NamedTuple):
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
    last = next((one for one in reversed(regions) if one.start < VSYSCALL), None)
    if last is not None and USER_TOP < last.end <= LARGE_TOP:
        return LARGE_TOP
    address = fault.address if fault is not None and fault.code != SI_KERNEL else None
    return LARGE_TOP if address and USER_TOP <= address < LARGE_TOP else USER_TOP


def canonical(address: int, top: int = USER_TOP) -> bool:
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


def guard_page(target: Target, address: int) -> Region | None:
    """Return the guard page that holds an address: small, inaccessible, beside memory."""
    here = target.region_at(address)
    if here is None or here.size > MAX_GUARD or permits(here, None) or "?" in here.perms:
        return None
    before, behind = target.region_at(here.start - 1), target.region_at(here.end)
    return here if permits(before, None) or permits(behind, None) else None


def beside(target: Target, address: int, reach: int, access: str | None = None) -> Beside | None:
    """Return the permitted mapping that ends or begins at most `reach` bytes away."""
    regions = target.regions()
    at = bisect_left(regions, address, key=_end)
    found: list[Beside] = []
    for number in range(max(at - 3, 0), min(at + 3, len(regions))):
        region = regions[number]
        if not permits(region, access) or region.start <= address < region.end:
            continue
        if region.end <= address:
            found.append(Beside(region, address - region.end, True))
        else:
            found.append(Beside(region, region.start - address, False))
    near = [one for one in found if one.distance <= reach]
    return min(near, key=lambda one: one.distance, default=None)


def _end(region: Region) -> int:
    return region.end
