# SPDX-License-Identifier: Apache-2.0
"""What lies at the address of a failed access: one answer from a closed list."""

from __future__ import annotations

from gdb_epi.fault.exhausted_stack import exhausted_stack
from gdb_epi.fault.fault_site import DATA, FaultSite
from gdb_epi.fault.mapping_checks import (
    NEAR_NULL,
    guard_page,
    is_canonical,
    nearest_mapping,
    permits,
)
from gdb_epi.fault.memory_reads import NULL_PAGE
from gdb_epi.sizes import USER_TOP
from gdb_epi.target.api import Region, Target
from gdb_epi.typing_lite import NamedTuple

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
    if site.kind == DATA and _base_is_null(site):
        return AddressPlace(NULL_BASE)
    if address >= USER_TOP and address >= top:
        return AddressPlace(KERNEL, target.region_at(address))
    return _map_place(target, address, site.access)


def _base_is_null(site: FaultSite) -> bool:
    """Tell whether the only register in the address is 0: a member at a negative or huge offset."""
    operand = site.operand
    if operand is None or operand.base in (None, "rsp") or operand.segment is not None:
        return False
    alone = operand.index_register is None and not operand.rip_relative
    return alone and site.fault.registers.get(str(operand.base)) == 0


def _map_place(target: Target, address: int, access: str | None) -> AddressPlace:
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
