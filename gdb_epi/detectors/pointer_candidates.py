# SPDX-License-Identifier: Apache-2.0
"""Which values of a fault to test for a flipped bit, and the ordinary causes that exclude them.

Part of pointer_one_bit_off; registers no detector itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.fault.find import GENERAL, Fault
from gdb_epi.fault.maps import NEAR_NULL, is_canonical, stack_below
from gdb_epi.fault.signals import SI_KERNEL
from gdb_epi.sizes import ADDRESS_BITS, PAGE
from gdb_epi.target.api import Region, Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import Operand

LOW = 1 << 32  # below: integers, truncated pointers, non-PIE images
REACH = 4096  # bytes: how far a member may lie from the pointer to its struct
CANONICAL_BITS = range(ADDRESS_BITS)
HIGH_BITS = range(ADDRESS_BITS, 64)


TAG_BIT = "a single tag bit in the top byte"


class Wrong(NamedTuple):
    """A value to test: where it is (register or "fault address"), and the access it led to.

    `distance` is what the instruction added to the value.
    """

    source: str
    value: int
    distance: int


class Candidate(NamedTuple):
    """One flip that makes the access legal; `ambiguous` says what software does the same."""

    wrong: Wrong
    corrected: int
    bit: int
    access: str | None
    ambiguous: str | None


def wrong_values(fault: Fault, operand: Operand | None) -> list[Wrong]:
    """Return the values to test.

    With an address: it, and the registers it was made from (the operand's when the instruction can
    be read, else those at most 4 KiB below it). A general protection fault reports no address: then
    the non-canonical registers of the operand, else all non-canonical ones.
    """
    if fault.address is None or fault.code == SI_KERNEL:
        return _noncanonical(fault, operand)
    address = fault.address
    values = [Wrong("fault address", address, 0)]
    if address == fault.pc:
        return [Wrong("rip", address, 0)]
    exact = operand is not None and operand.address(fault.registers) == address
    names = _operand_names(operand) if exact else GENERAL
    for name in names:
        value = fault.registers.get(name)
        if value is not None and 0 <= address - value <= REACH:
            values.append(Wrong(name, value, address - value))
    # The register is the pointer itself; the sum says the same again, so drop it then.
    return values[1:] if exact and len(values) > 1 else values


def _operand_names(operand: Operand | None) -> tuple[str, ...]:
    if operand is None:
        return ()
    return tuple(name for name in (operand.base, operand.index_register) if name is not None)


def _noncanonical(fault: Fault, operand: Operand | None) -> list[Wrong]:
    names = _operand_names(operand) or GENERAL
    distance = operand.displacement if operand is not None and operand.base else 0
    return [
        Wrong(name, fault.registers[name], distance)
        for name in names
        if name in fault.registers and not is_canonical(fault.registers[name])
    ]


def ordinary_cause(target: Target, fault: Fault, wrong: Wrong) -> str | None:
    """Return the ordinary explanation of a wrong value, or None when there is none."""
    value, reached = wrong.value, wrong.value + wrong.distance
    if is_canonical(value):
        if reached < NEAR_NULL:
            return "near NULL"
        if reached < LOW:
            return "below 4 GiB: an integer or a truncated pointer"
        if stack_below(target, fault, reached) is not None:
            return "stack overflow"
        if _beside_mapping(target, reached, fault):
            return "within a page of a mapping: off by one"
    elif bin(value >> ADDRESS_BITS).count("1") > 1:
        return "several high bits: a tag, boxed or random value"
    return _pattern(value)


def _beside_mapping(target: Target, address: int, fault: Fault) -> bool:
    here = target.region_at(address)
    if here is not None and _permitted(here, None):
        return True  # mapped and readable: a permission fault, no wrong pointer
    for near in (address - PAGE, address + PAGE):
        region = target.region_at(near)
        if region is not None and _permitted(region, None):
            return True
    return False


def _pattern(value: int) -> str | None:
    low = value.to_bytes(8, "little")[:6]
    if any(byte and low.count(byte) >= 4 for byte in set(low)):
        return "repeated bytes: poison or a filled buffer"
    if all(0x20 <= byte < 0x7F for byte in low):
        return "text"
    return None


def candidates(target: Target, wrong: Wrong, operand: Operand | None) -> Iterator[Candidate]:
    """Yield the one-bit changes of a value that make its access legal for its direction."""
    access = operand.access if operand is not None else None
    if wrong.source == "rip":
        access = "x"
    bits = CANONICAL_BITS if is_canonical(wrong.value) else HIGH_BITS
    for bit in bits:
        corrected = wrong.value ^ (1 << bit)
        reached = corrected + wrong.distance
        if reached < LOW or not is_canonical(corrected):
            continue
        region = target.region_at(reached)
        if region is not None and _permitted(region, access):
            yield Candidate(wrong, corrected, bit, access, _ambiguity(wrong, operand, bit))


def _permitted(region: Region, access: str | None) -> bool:
    if access is None:
        return any(letter in region.perms for letter in "rwx")
    return access in region.perms


def _ambiguity(wrong: Wrong, operand: Operand | None, bit: int) -> str | None:
    """Return what software makes the same value, or None."""
    if bit >= 56:
        return TAG_BIT
    if operand is None or operand.index_register is None:
        return None
    stride = wrong.source in ("fault address", operand.index_register)
    return f"an index of 2^{bit} gives the same address" if stride and bit >= 12 else None
