# SPDX-License-Identifier: Apache-2.0
"""The faulting pointer is one bit away from a pointer that would have worked."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, detector, hex_word
from gdb_epi.detectors.pointer_candidates import (
    TAG_BIT,
    Candidate,
    Wrong,
    candidates,
    ordinary_cause,
)
from gdb_epi.detectors.pointer_copies import Copies, copies_of, copies_told
from gdb_epi.errors import Absent
from gdb_epi.fault.find import GENERAL, Fault
from gdb_epi.fault.instructions import operand_of
from gdb_epi.fault.signals import SIGBUS, SIGSEGV
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import ADDRESS_BITS, PAGE

MAX_CANDIDATES = 16  # more neighbours than this say nothing (5 to 11 lie just past a mapping)
MAX_REPORTED = 4
NEAR = 16384  # bytes: a pymalloc pool


@detector("pointer_one_bit_off", needs="crash")
def pointer_one_bit_off(state: ProcessState) -> Iterator[Finding]:
    """Find a one-bit change of the faulting pointer that makes the access legal.

    Innocent causes, tested first and then nothing is found: an abort or a signal sent by a process
    (si_addr is pid and uid); near NULL below 64 KiB; a value below 4 GiB (integers, truncated
    pointers, and all of them are one bit from a non-PIE image); stack overflow; an access within a
    page of a permitted mapping (off by one); poison bytes; text; a value with several high bits
    (tags, NaN boxing). An index of 2^k and a single tag bit cannot be told from a flip and are
    found as ambiguous. A "P2" copy of the corrected pointer elsewhere is what tells flips from
    indices; only dumped bytes count.
    Reference: rust-minidump minidump-processor (possible_bit_flips); the study in facts 4 and 5.
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap:
        return
    if fault.signo not in (SIGSEGV, SIGBUS):
        return
    operand = operand_of(state.target, fault)
    legal: list[Candidate] = []
    for wrong in _wrong_values(state, fault):
        if ordinary_cause(state.target, fault, wrong) is None:
            legal += candidates(state.target, wrong, operand)
    distinct = list({(c.corrected, c.wrong.value): c for c in legal}.values())
    if not distinct or len(distinct) > MAX_CANDIDATES:
        return
    scored = [(candidate, copies_of(state, candidate)) for candidate in distinct]
    scored.sort(key=lambda pair: (-len(_items(fault, *pair)), pair[0].corrected))
    for candidate, copies in scored[:MAX_REPORTED]:
        yield _finding(fault, candidate, copies, len(distinct))


def _wrong_values(state: ProcessState, fault: Fault) -> list[Wrong]:
    from gdb_epi.detectors.pointer_candidates import wrong_values

    return wrong_values(fault, operand_of(state.target, fault))


def _items(fault: Fault, candidate: Candidate, copies: Copies) -> list[str]:
    items = ["P1"]
    if copies.total:
        items.append("P2")
    if copies.total and copies.object_type:
        items.append("P3")
    others = [fault.registers[name] for name in GENERAL if name in fault.registers]
    if any(
        abs(value - candidate.corrected) < NEAR and abs(value - candidate.wrong.value) >= NEAR
        for value in others
    ):
        items.append("P4")
    if candidate.bit >= ADDRESS_BITS:
        items.append("P5")
    if copies.neighbours:
        items.append("P6")
    return items


def _ambiguity(candidate: Candidate, copies: Copies) -> str | None:
    """CPython tags no high bits of object pointers: a copy of the untagged object decides."""
    untagged = candidate.ambiguous == TAG_BIT and copies.total and copies.object_type
    return None if untagged else candidate.ambiguous


def _finding(fault: Fault, candidate: Candidate, copies: Copies, count: int) -> Finding:
    set_bit = candidate.wrong.value >> candidate.bit & 1
    place = copies.wrong_places[0] if copies.wrong_places else None
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
        "copies": copies.total,
        "copies_in": [*copies.registers, *(hex_word(address) for address in copies.places)],
        "object_type": copies.object_type,
        "items": _items(fault, candidate, copies),
        "candidates": count,
        "ambiguous": _ambiguity(candidate, copies),
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
        f"{candidate.corrected:#018x}{kind}{copies_told(copies.total, copies.complete)}",
    )
