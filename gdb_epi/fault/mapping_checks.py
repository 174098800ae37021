# SPDX-License-Identifier: Apache-2.0
"""Questions about the mappings of a process: canonical, permitted, guard page, near a mapping."""

from __future__ import annotations

from bisect import bisect_left

from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.signals import SI_KERNEL
from gdb_epi.sizes import ADDRESS_BITS, PAGE, USER_TOP, WORD
from gdb_epi.target.api import DUMPED, Region, Target, get_architecture, module_at, try_read
from gdb_epi.target.elf import PT_LOAD, base_and_headers
from gdb_epi.typing_lite import NamedTuple

VSYSCALL = 0xFFFF_FFFF_FF60_0000
MAX_GUARD = 1 << 20  # bytes; a larger inaccessible mapping is a reservation, but below a stack
NEAR_NULL = 65536
# Any small number is an address below: there only blocks of a heap are pointers under a mark, as
# the heap of an executable at a fixed address is (Debian 13's python3.13).
SMALL_NUMBERS = 1 << 32
STACK_REACH = 65536  # bytes between fault address, rsp and the low end of the stack mapping
RED_ZONE = 128  # bytes below rsp that a function may use (System V ABI)


class NearbyMapping(NamedTuple):
    """The nearest permitted mapping: `distance` bytes from its end (or to its start)."""

    region: Region
    distance: int
    after: bool  # the address lies after its end


def user_space_end(target: Target, fault: Fault | None = None) -> int:
    """Return where user space ends.

    The largest page tables (five levels on x86-64) show in a mapping above what the others reach
    (2^47 there), or in an address up there that the kernel reported, as it reports no non-canonical
    address.
    """
    regions, machine = target.regions(), get_architecture(target)
    top, large = machine.user_top, machine.large_user_top
    last = next((region for region in reversed(regions) if region.start < VSYSCALL), None)
    if last is not None and top < last.end <= large:
        return large
    if fault is None or fault.code == SI_KERNEL or machine.reports_wild:
        return top
    address = fault.address
    return large if address and top <= address < large else top


def is_canonical(address: int, top: int = USER_TOP) -> bool:
    """Whether the CPU accepts an address at all; the last byte of user space is not checked."""
    return address < top or address >= (1 << 64) - top


def permits(region: Region | None, access: str | None) -> bool:
    """Tell whether a mapping allows "r", "w" or "x"; any of them when the access is not known."""
    if region is None:
        return False
    if "?" in region.perms:
        return access != "w" or "w" in region.perms
    if access is None:
        return any(letter in region.perms for letter in "rwx")
    return access in region.perms


def may_execute(region: Region | None) -> bool:
    """Tell whether code may run there; True if the core does not hold the permissions."""
    return region is not None and ("x" in region.perms or "?" in region.perms)


def stack_is_dumped(target: Target, sp: int) -> bool:
    """Tell whether the core holds the stack at `sp`: False if the core was cut off before it.

    A wild rsp counts as dumped: the stack is then damaged, not missing.
    """
    for region in target.regions():
        if region.end <= sp:
            continue
        start = max(region.start, sp)
        if "w" not in region.perms or region.start - sp > STACK_REACH:
            return True
        return target.provenance(start, 8) == DUMPED
    return True


def guard_page(target: Target, address: int) -> Region | None:
    """Return the guard page at an address: small, inaccessible, next to other memory."""
    region = target.region_at(address)
    if region is None or region.size > MAX_GUARD or permits(region, None) or "?" in region.perms:
        return None
    before, behind = target.region_at(region.start - 1), target.region_at(region.end)
    return region if permits(before, None) or permits(behind, None) else None


def untagged_address(target: Target, value: int) -> int | None:
    """Return a word without its top bits where that is a mapped address; None without top bits."""
    plain = value & USER_TOP - 1
    if plain == value:
        return None
    region = target.region_at(plain)
    if region is None or not permits(region, "r"):
        return None
    in_heap = not region.is_file_mapped and permits(region, "w") and plain % WORD == 0
    return plain if plain >= SMALL_NUMBERS or in_heap else None


def has_same_tag(target: Target, word: int, other: int) -> bool:
    """Tell whether a word is a mapped address under the same top bits as another word."""
    same_top = word >> ADDRESS_BITS == other >> ADDRESS_BITS
    return same_top and untagged_address(target, word) is not None


def is_past_segment(target: Target, address: int) -> bool:
    """Tell whether an address lies in a page of an object's file, and in none of its segments.

    Whole pages are mapped: what follows a segment in its last page is what follows it in the file,
    and no data of the process.
    """
    module = module_at(target, address)
    image = base_and_headers(try_read(target, module.start, PAGE), module.start) if module else None
    if image is None:
        return False
    base, segments = image
    loads = [segment for segment in segments if segment.type == PT_LOAD]
    return not any(0 <= address - base - load.vaddr < load.memsz for load in loads)


def nearest_mapping(
    target: Target, address: int, reach: int, access: str | None = None
) -> NearbyMapping | None:
    """Return the permitted mapping that ends or begins at most `reach` bytes away."""
    regions = target.regions()
    at = bisect_left(regions, address, key=lambda region: region.end)
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
