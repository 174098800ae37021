# SPDX-License-Identifier: Apache-2.0
"""Possible bit flips by the rule of rust-minidump, under its names: what others can compare with.

It does not count as evidence here: it sees one instruction, the registers and the map, no memory,
no permissions on Linux, and the core's own signal (an abort's si_addr is pid and uid). Read as of
2026-07 with its pull request 1164 (distances); the numbers are that project's own and ad hoc.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.errors import Absent
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.fault.signals import SI_KERNEL, SIGBUS, SIGSEGV
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import CrashInfo, Region, Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, Instruction, MemoryOperand, decode
from gdb_epi.x86.instruction import CALL, JUMP, RETURN

ALL_BITS = range(48)  # of an address that the CPU accepted
HIGH_BITS = range(48, 64)  # of one that it did not
FIRST_NON_CANONICAL, LAST_NON_CANONICAL = 0x0000_8000_0000_0000, 0xFFFF_7FFF_FFFF_FFFF
NEAR = 4096  # bytes between a register and the corrected value
LOW = 8192  # values up to it are small numbers
FULL_TRUST = 64  # access sizes away from a mapping
MIN_TRUST = 0.05  # candidates below it are dropped
POISON = bytes.fromhex("2b2d2f494b4d4f6b8b9b9fa5bbcccddbe5") + b"\xce"
BASELINE, NON_CANONICAL, NULL = 0.25, 0.90, 0.50
BY_NEAR = (0.0, 0.50, 0.55, 0.60, 0.65)  # by registers near the corrected value


class ConfidenceDetails(NamedTuple):
    """What the confidence rests on; the names are rust-minidump's."""

    was_non_canonical: bool
    is_null: bool
    was_low: bool
    nearby_registers: int
    poison_registers: bool
    memory_access_size: int | None
    distance_to_closest_mapping: int | None


class PossibleFlip(NamedTuple):
    """One value that is one bit away; `address` is the corrected one.

    `source_register` is None for the address of the access itself.
    """

    address: int
    details: ConfidenceDetails
    confidence: float
    source_register: str | None
    bit: int  # not among rust-minidump's fields


class InstructionAccess(NamedTuple):
    """A memory access of the instruction; `size` None when it is not known."""

    address: int
    size: int | None
    operand: MemoryOperand

    def touches_address(self, address: int) -> bool:
        """Tell whether the access touches an address."""
        return self.address <= address < self.address + (self.size or 1)


class Mappings:
    """The map, whatever its permissions. Ranges are half-open: the end is not mapped."""

    def __init__(self, regions: Sequence[Region]) -> None:
        self._ranges = sorted((region.start, region.end) for region in regions)
        self._starts = [start for start, _ in self._ranges]

    def is_mapped(self, address: int) -> bool:
        """Tell whether anything is mapped at an address."""
        at = bisect_right(self._starts, address) - 1
        return at >= 0 and address < self._ranges[at][1]

    def distance_to_closest(self, address: int) -> int | None:
        """Return the bytes between an address and the closest mapping; None without any."""
        at = bisect_right(self._starts, address)
        gaps = []
        if at > 0:
            gaps.append(max(0, address - self._ranges[at - 1][1]))
        if at < len(self._ranges):
            gaps.append(self._starts[at] - address)
        return min(gaps, default=None)


def possible_bit_flips(state: ProcessState) -> tuple[PossibleFlip, ...]:
    """Return the candidates in the order of their bits, the access before the registers."""
    crash = state.crash
    if isinstance(crash, Absent):
        return ()
    target = state.target
    thread = next((candidate for candidate in target.threads() if candidate.tid == crash.tid), None)
    if thread is None or crash.si_code is None:
        return ()
    if not thread.architecture.decodes:
        return ()
    code = read_up_to(target, thread.registers.get("rip", 0), MAX_LENGTH)
    instruction = decode(code) if code else None
    accesses = []
    for operand in instruction.operands if instruction is not None else ():
        address = operand.address(thread.registers)
        if address is not None:
            accesses.append(InstructionAccess(address, operand.size or None, operand))
    following = _next_rip(target, instruction, accesses, thread.registers)
    if following == 0 or any(
        _is_base_register_null(access, thread.registers) for access in accesses
    ):
        return ()
    value, non_canonical = _address_to_test(crash, accesses, following)
    access = next((access for access in accesses if access.touches_address(value)), None)
    values: list[tuple[int, str | None]] = [(access.address if access else value, None)]
    names = dict.fromkeys(name for access in accesses for name in access.operand.registers())
    values += [(thread.registers[name], name) for name in names if name in thread.registers]
    size = access.size if access else None
    maps = Mappings(target.regions())
    flips = (
        flip
        for value, source in values
        for flip in possible_flips_of_value(
            value, source, size, non_canonical, maps, thread.registers
        )
    )
    return tuple(flips)


def possible_flips_of_value(
    value: int,
    source: str | None,
    size: int | None,
    non_canonical: bool,
    maps: Mappings,
    registers: Mapping[str, int],
) -> Iterator[PossibleFlip]:
    """Yield the candidates of one value; none for a value that is mapped or just beside."""
    distance = maps.distance_to_closest(value)
    if maps.is_mapped(value) or (distance is not None and distance < (size or 1)):
        return
    poisoned = any(_is_poison(registers[name]) for name in GENERAL if name in registers)
    for bit in HIGH_BITS if non_canonical else ALL_BITS:
        corrected = value ^ 1 << bit
        if corrected and not maps.is_mapped(corrected):
            continue
        details = ConfidenceDetails(
            was_non_canonical=non_canonical,
            is_null=corrected == 0,
            was_low=corrected == 0 and value <= LOW,
            nearby_registers=_count_nearby_registers(corrected, registers),
            poison_registers=poisoned,
            memory_access_size=size,
            distance_to_closest_mapping=distance,
        )
        trust = candidate_confidence(details)
        if trust >= MIN_TRUST:
            yield PossibleFlip(corrected, details, trust, source, bit)


def candidate_confidence(details: ConfidenceDetails) -> float:
    """Return the confidence of a candidate, between 0 and 1."""
    doubt = 1 - BASELINE
    if details.was_non_canonical:
        doubt *= 1 - NON_CANONICAL
    if details.is_null:
        doubt *= 1 - (NULL / 2 if details.was_low else NULL)
    doubt *= 1 - BY_NEAR[min(details.nearby_registers, len(BY_NEAR) - 1)]
    trust = 1 - doubt
    if details.poison_registers:
        trust *= 0.5
    return trust * distance_factor(details.distance_to_closest_mapping, details.memory_access_size)


def distance_factor(distance: int | None, size: int | None) -> float:
    """Return the factor for an address near a mapping (pull request 1164): 0 to 1."""
    if distance is None or size is None:
        return 1.0
    elements = distance / size
    if elements <= 1:
        return 0.0
    return min(1.0, float(((elements - 1) / (FULL_TRUST - 1)) ** 0.5))


def _next_rip(
    target: Target,
    instruction: Instruction | None,
    accesses: Sequence[InstructionAccess],
    registers: Mapping[str, int],
) -> int | None:
    """Return where a call, jump or return goes; None for other instructions or unread memory."""
    if instruction is None or instruction.flow not in (CALL, JUMP, RETURN):
        return None
    if instruction.target is not None:
        return (registers.get("rip", 0) + instruction.length + instruction.target) & WORD_MASK
    if instruction.target_register is not None:
        return registers.get(instruction.target_register)
    return read_word(target, accesses[0].address) if accesses else None


def _is_base_register_null(access: InstructionAccess, registers: Mapping[str, int]) -> bool:
    base = access.operand.base
    return base is not None and registers.get(base) == 0


def _address_to_test(
    crash: CrashInfo, accesses: Sequence[InstructionAccess], following: int | None
) -> tuple[int, bool]:
    """Return the address to test, and whether it is one that the CPU does not accept."""
    if crash.fault_address is not None:
        reported = crash.fault_address
    else:
        reported = (crash.sender_pid or 0) | (crash.sender_uid or 0) << 32
    hidden = crash.signo in (SIGSEGV, SIGBUS) and crash.si_code == SI_KERNEL and not reported
    if hidden:
        tried = [access.address for access in accesses] + ([] if following is None else [following])
        for candidate in tried:
            if FIRST_NON_CANONICAL <= candidate <= LAST_NON_CANONICAL:
                return candidate, True
    return reported, False


def _count_nearby_registers(corrected: int, registers: Mapping[str, int]) -> int:
    if corrected <= LOW:
        return 0
    names = [*GENERAL, "rip"]
    return sum(1 for name in names if abs(registers.get(name, 0) - corrected) <= NEAR)


def _is_poison(value: int) -> bool:
    raw = value.to_bytes(8, "little")
    return raw[0] in POISON and raw == raw[:1] * 8
