# SPDX-License-Identifier: Apache-2.0
"""The faulting pointer is one bit away from a pointer that would have worked.

Three steps: which values of the fault to test, and the ordinary causes that exclude them; which
changes of one bit make the access legal; where else the corrected and the wrong pointer occur, and
what the corrected one points at.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding, detector, hex_word
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.address_place import exhausted_stack
from gdb_epi.fault.find_fault import GENERAL, Fault
from gdb_epi.fault.instructions import memory_operand_of_fault
from gdb_epi.fault.mapping_checks import NEAR_NULL, is_canonical
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.signals import SI_KERNEL, SIGBUS, SIGSEGV
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import ADDRESS_BITS, PAGE, WORD
from gdb_epi.target.api import Region, Target
from gdb_epi.target.memory_search import find_word
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted
from gdb_epi.x86 import MemoryOperand

MAX_CANDIDATES = 16  # more neighbours than this say nothing (5 to 11 lie just past a mapping)
MAX_REPORTED = 4
NEAR = 16384  # bytes: a pymalloc pool
LOW = 1 << 32  # below: integers, truncated pointers, non-PIE images
REACH = 4096  # bytes: how far a member may lie from the pointer to its struct
CANONICAL_BITS = range(ADDRESS_BITS)
HIGH_BITS = range(ADDRESS_BITS, 64)


TAG_BIT = "a single tag bit in the top byte"
MAX_PLACES = 8


class WrongValue(NamedTuple):
    """A value to test: where it is (register or "fault address"), and the access it led to.

    `distance` is what the instruction added to the value.
    """

    source: str
    value: int
    distance: int


class BitFlipCandidate(NamedTuple):
    """One flip that makes the access legal; `ambiguous` says what software does the same."""

    wrong: WrongValue
    corrected: int
    bit: int
    access: str | None
    ambiguous: str | None


class CopiesOfValues(NamedTuple):
    """Occurrences of the corrected value (registers, memory) and of the wrong one (memory).

    `object_type` is the Python type that the corrected value points at, None when it is no object.
    `neighbours`: the words before and after the wrong word point at objects of that type too.
    """

    registers: tuple[str, ...]
    places: tuple[int, ...]
    wrong_places: tuple[int, ...]
    object_type: str | None
    neighbours: bool
    complete: bool

    @property
    def corrected_count(self) -> int:
        """Return the number of copies of the corrected value."""
        return len(self.registers) + len(self.places)


@detector("pointer_one_bit_off", needs="crash")
def pointer_one_bit_off(state: ProcessState) -> Iterator[Finding]:
    """Find a one-bit change of the faulting pointer that makes the access legal.

    Innocent causes, tested first and then nothing is found: an abort or a signal sent by a process
    (si_addr is pid and uid); near NULL below 64 KiB; a value below 4 GiB (integers, truncated
    pointers, and all of them are one bit from a non-PIE image); stack overflow; an access within a
    page of a permitted mapping (off by one); poison bytes; text; a value with several high bits
    (tags, NaN boxing). An index of 2^k and a single tag bit cannot be told from a flip and are
    found as ambiguous. A "P2" copy of the corrected pointer elsewhere is what distinguishes flips
    from indices; only dumped bytes count. Reference: rust-minidump minidump-processor
    (possible_bit_flips); the study in facts 4 and 5.
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap:
        return
    if fault.signo not in (SIGSEGV, SIGBUS) or not fault.architecture.decodes:
        return
    operand = memory_operand_of_fault(state.target, fault)
    legal: list[BitFlipCandidate] = []
    for wrong in find_wrong_values(fault, operand):
        if innocent_cause_of_wrong_value(state.target, fault, wrong) is None:
            legal += find_bit_flips(state.target, wrong, operand)
    distinct = list({(c.corrected, c.wrong.value): c for c in legal}.values())
    if not distinct or len(distinct) > MAX_CANDIDATES:
        return
    scored = [(candidate, count_copies(state, candidate)) for candidate in distinct]
    scored.sort(key=lambda pair: (-len(_evidence_ids(fault, *pair)), pair[0].corrected))
    for candidate, copies in scored[:MAX_REPORTED]:
        yield _finding(fault, candidate, copies, len(distinct))


def _evidence_ids(fault: Fault, candidate: BitFlipCandidate, copies: CopiesOfValues) -> list[str]:
    """Return what speaks for a flip, by the names that the check of a wrong pointer has for it.

    `choose_neighbour_evidence_id` in corruption/pointers answers the same from other memory; the
    two are settled together with the verdicts.
    """
    evidence_ids = ["P1"]
    if copies.corrected_count:
        evidence_ids.append("P2")
    if copies.corrected_count and copies.object_type:
        evidence_ids.append("P3")
    others = [fault.registers[name] for name in GENERAL if name in fault.registers]
    near = [value for value in others if abs(value - candidate.corrected) < NEAR]
    if any(abs(value - candidate.wrong.value) >= NEAR for value in near):
        evidence_ids.append("P4")
    if candidate.bit >= ADDRESS_BITS:
        evidence_ids.append("P5")
    if copies.neighbours:
        evidence_ids.append("P6")
    return evidence_ids


def _finding(
    fault: Fault, candidate: BitFlipCandidate, copies: CopiesOfValues, count: int
) -> Finding:
    set_bit = candidate.wrong.value >> candidate.bit & 1
    place = copies.wrong_places[0] if copies.wrong_places else None
    # CPython tags no high bits of object pointers: a copy of the untagged object decides.
    untagged = candidate.ambiguous == TAG_BIT and copies.corrected_count and copies.object_type
    facts = {
        "source": candidate.wrong.source,
        "found": hex_word(candidate.wrong.value),
        "corrected": hex_word(candidate.corrected),
        "bit": candidate.bit,
        "direction": "0->1" if set_bit else "1->0",
        "byte_lane": candidate.bit // 8,
        "where": [hex_word(address) for address in copies.wrong_places],
        "page_offset": place % PAGE if place is not None else None,
        "path": "memory" if copies.wrong_places else "register",
        "copies": copies.corrected_count,
        "copies_in": [*copies.registers, *(hex_word(address) for address in copies.places)],
        "object_type": copies.object_type,
        "items": _evidence_ids(fault, candidate, copies),
        "candidates": count,
        "ambiguous": None if untagged else candidate.ambiguous,
        "access": candidate.access,
        "search_complete": copies.complete,
    }
    held = (
        f"in memory at {place:#018x}" if place is not None else f"in {candidate.wrong.source} only"
    )
    kind = f", an object of type {copies.object_type}" if copies.object_type else ""
    return Finding(
        "pointer_one_bit_off",
        f"thread {fault.tid}",
        facts,
        f"pointer {candidate.wrong.value:#018x} ({held}) is one bit (bit {candidate.bit}) from "
        f"{candidate.corrected:#018x}{kind}{_copies_clause(copies)}",
    )


def _copies_clause(copies: CopiesOfValues) -> str:
    more = len(copies.places) == MAX_PLACES or not copies.complete
    return copies_clause(copies.corrected_count, searched=copies.complete, more=more)


def find_wrong_values(fault: Fault, operand: MemoryOperand | None) -> list[WrongValue]:
    """Return the values to test.

    With an address: it, and the registers it was made from (the operand's when the instruction can
    be read, else those at most 4 KiB below it). A general protection fault reports no address: then
    the non-canonical registers of the operand, else all non-canonical ones.
    """
    named = (operand.base, operand.index_register) if operand is not None else ()
    registers = tuple(name for name in named if name is not None)
    if fault.address is None or fault.code == SI_KERNEL:
        distance = operand.displacement if operand is not None and operand.base else 0
        return [
            WrongValue(name, fault.registers[name], distance)
            for name in registers or GENERAL
            if name in fault.registers and not is_canonical(fault.registers[name])
        ]
    address = fault.address
    if address == fault.pc:
        return [WrongValue("rip", address, 0)]
    exact = operand is not None and operand.address(fault.registers) == address
    values = []
    for name in registers if exact else GENERAL:
        value = fault.registers.get(name)
        if value is not None and 0 <= address - value <= REACH:
            values.append(WrongValue(name, value, address - value))
    # The register is the pointer itself; the sum says the same again, so leave it out then.
    return values if exact and values else [WrongValue("fault address", address, 0), *values]


def innocent_cause_of_wrong_value(target: Target, fault: Fault, wrong: WrongValue) -> str | None:
    """Return the ordinary explanation of a wrong value, or None when there is none."""
    value, reached = wrong.value, wrong.value + wrong.distance
    if is_canonical(value):
        if reached < NEAR_NULL:
            return "near NULL"
        if reached < LOW:
            return "below 4 GiB: an integer or a truncated pointer"
        if exhausted_stack(target, fault, reached) is not None:
            return "stack overflow"
        # On a mapping itself: a permission fault, no wrong pointer.
        around = (target.region_at(reached + step) for step in (0, -PAGE, PAGE))
        if any(region is not None and _is_access_permitted(region, None) for region in around):
            return "within a page of a mapping: off by one"
    elif bin(value >> ADDRESS_BITS).count("1") > 1:
        return "several high bits: a tag, boxed or random value"
    low = value.to_bytes(WORD, "little")[:6]
    if any(byte and low.count(byte) >= 4 for byte in set(low)):
        return "repeated bytes: poison or a filled buffer"
    if all(0x20 <= byte < 0x7F for byte in low):
        return "text"
    return None


def find_bit_flips(
    target: Target, wrong: WrongValue, operand: MemoryOperand | None
) -> Iterator[BitFlipCandidate]:
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
        if region is not None and _is_access_permitted(region, access):
            yield BitFlipCandidate(
                wrong, corrected, bit, access, _software_with_same_value(wrong, operand, bit)
            )


def _is_access_permitted(region: Region, access: str | None) -> bool:
    if access is None:
        return any(letter in region.perms for letter in "rwx")
    return access in region.perms


def _software_with_same_value(
    wrong: WrongValue, operand: MemoryOperand | None, bit: int
) -> str | None:
    """Return what software makes the same value, or None."""
    if bit >= 56:
        return TAG_BIT
    if operand is None or operand.index_register is None:
        return None
    stride = wrong.source in ("fault address", operand.index_register)
    return f"an index of 2^{bit} gives the same address" if stride and bit >= 12 else None


def count_copies(state: ProcessState, candidate: BitFlipCandidate) -> CopiesOfValues:
    """Search registers and dumped memory for a candidate's corrected and wrong value."""
    fault = state.fault
    registers = {} if isinstance(fault, Absent) else fault.registers
    places_of_corrected = find_word(state.target, candidate.corrected, limit=MAX_PLACES)
    places_of_wrong = find_word(state.target, candidate.wrong.value, limit=MAX_PLACES)
    kind = _type_name_of_plausible_object(state, candidate.corrected)
    beside = kind is not None and any(
        _is_between_pointers_to_type(state, place, kind) for place in places_of_wrong.addresses
    )
    return CopiesOfValues(
        tuple(n for n in GENERAL if registers.get(n) == candidate.corrected),
        places_of_corrected.addresses,
        places_of_wrong.addresses,
        kind,
        beside,
        (places_of_corrected.complete or len(places_of_corrected.addresses) == MAX_PLACES)
        and (places_of_wrong.complete or len(places_of_wrong.addresses) == MAX_PLACES),
    )


def copies_clause(count: int, *, searched: bool, more: bool) -> str:
    """Return the end of a sentence on a corrected value: who else holds it.

    Nothing was found and not all was searched: then nothing is said. `more`: the search ended
    before all places were found.
    """
    if not count:
        return "; no other place that was looked at holds the right value" if searched else ""
    places = f"at least {counted(count, 'other place')}" if more else counted(count, "other place")
    return f"; {places} (memory, registers) {'holds' if count == 1 else 'hold'} the right value"


def _type_name_of_plausible_object(state: ProcessState, address: int) -> str | None:
    """Return the type name of a plausible PyObject."""
    python = state.python
    if not isinstance(python, PythonState) or address % 8:
        return None
    from gdb_epi.cpython.memory_reader import MemoryReader

    try:
        reader = MemoryReader(state.target, python.layout)
        kind = reader.type_of(address)
        # A type's own type is a type: three levels make a chance hit very unlikely.
        meta = reader.type_name(reader.type_of(kind)) if kind % 8 == 0 and kind else None
        if meta is None or isinstance(meta, Absent) or not reader.u64(address):
            return None
        name = reader.type_name(kind)
    except (UnreadableMemory, LayoutError):
        return None
    plausible = not isinstance(name, Absent) and name.replace(".", "_").isidentifier()
    is_metatype = meta.replace(".", "_").isidentifier() and len(meta) < 128
    return str(name) if plausible and is_metatype else None


def _is_between_pointers_to_type(state: ProcessState, place: int, kind: str) -> bool:
    """Tell whether both neighbours of a word point at objects of the same type."""
    for near in (place - 8, place + 8):
        value = read_word(state.target, near)
        if not value or _type_name_of_plausible_object(state, value) != kind:
            return False
    return True
