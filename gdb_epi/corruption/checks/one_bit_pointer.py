# SPDX-License-Identifier: Apache-2.0
"""P: a word of the failed access is one bit from one that would have worked."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import MEMORY, REGISTER, UNKNOWN, Evidence, Skipped, word_evidence
from gdb_epi.corruption.heap.address_descriptions import describe_address
from gdb_epi.corruption.heap.address_index import FREE, FUNCTION, OBJECT, Pointee
from gdb_epi.corruption.heap.popped_frames import (
    find_code_of_popped_frame,
    find_link_of_popped_frame,
)
from gdb_epi.corruption.pointers.one_bit_neighbours import (
    MAX_COPIES,
    Correction,
    is_far_flip,
    rank_neighbours,
    registers_holding,
)
from gdb_epi.corruption.registry import check
from gdb_epi.detectors.pointer_one_bit_off import copies_clause
from gdb_epi.errors import Absent
from gdb_epi.fault.signals import SIGBUS, SIGSEGV

MAX_REPORTED = 8
OF_OBJECT = "into an object of type"


@check(
    "P",
    needs="crash",
    innocent_causes=(
        "an abort or a signal that was sent (nothing is tested); near NULL; several high bits "
        "(tags, boxed values); an index of 2^k and a single tag bit come out as ambiguous; many "
        "neighbours argue against each (5 to 11 lie just past a mapping, 1 near a true flip); "
        "text, poison and so on are the checks of software's own patterns."
    ),
)
def one_bit_pointer(context: Context) -> Iterator[Evidence | Skipped]:
    """Rank the one-bit neighbours of the words that made the failed access."""
    fault = context.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap:
        return
    if fault.signo not in (SIGSEGV, SIGBUS):
        return
    site = context.site
    if not isinstance(site, Absent) and site.instruction is None and not site.arrived:
        yield Skipped("P", f"only registers near the address were tested: {site.why}")
    best = rank_neighbours(context)
    if context.searches_skipped:
        why = f"{context.searches_skipped} words were not looked for elsewhere: too much memory"
        yield Skipped("P", why)
    innocent = any(evidence.id.startswith("S:") for evidence in context.evidence)
    for neighbour in best[:MAX_REPORTED]:
        if not (innocent and neighbour.ambiguous):  # else nothing is left to doubt
            yield _evidence(context, neighbour)


def _evidence(context: Context, neighbour: Correction) -> Evidence:
    suspect = neighbour.suspect
    where, path = _origin(context, neighbour)
    evidence = word_evidence(
        _id(context, neighbour),
        where,
        suspect.value,
        neighbour.corrected,
        _sentence(context, neighbour),
        path=path,
        rivals=neighbour.rivals,
        copies=neighbour.copies,
        object_type=neighbour.pointee.name if neighbour.pointee is not None else None,
        near=neighbour.near,
        around=neighbour.objects,
        depth=suspect.depth,
    )
    return evidence._replace(ambiguous=neighbour.ambiguous)


def _origin(context: Context, neighbour: Correction) -> tuple[int | str, str]:
    """Return where the wrong word is, or was, and whether memory held it."""
    suspect = neighbour.suspect
    if suspect.slots:
        link = (
            find_link_of_popped_frame(context, suspect.value) if neighbour.pointee is None else None
        )
        return link or suspect.slots[0], MEMORY
    if neighbour.pointee is not None and neighbour.pointee.name == "code":
        cleared = find_code_of_popped_frame(context, neighbour.corrected)
        if cleared is not None:  # it was there, or was loaded wrongly from there
            return cleared, UNKNOWN
    return suspect.source, REGISTER


def _id(context: Context, neighbour: Correction) -> str:
    may_be_far = not neighbour.suspect.depth and neighbour.level not in ("P5", "P14", "P16", "R17")
    far = may_be_far and is_far_flip(context, neighbour.suspect, neighbour.bit)
    return f"{neighbour.level}:far" if far else neighbour.level


def _sentence(context: Context, neighbour: Correction) -> str:
    suspect = neighbour.suspect
    held = "which was called" if suspect.source == "target" else f"in {suspect.source}"
    if suspect.slots:
        owner = describe_address(context, suspect.slots[0])
        held += f", and in memory at {suspect.slots[0]:#018x}"
        held += f", {owner}" if OF_OBJECT in owner else ""
    how_far = f"one bit (bit {neighbour.bit})" if neighbour.bit >= 0 else "one byte, which is 0,"
    role = "" if not suspect.depth else ", which was read through,"
    what = f", where {_pointee(neighbour.pointee)} begins" if neighbour.pointee is not None else ""
    return (
        f"pointer {suspect.value:#018x} ({held}){role} is {how_far} from "
        f"{neighbour.corrected:#018x}{what}{_who_else(context, neighbour)}"
    )


def _who_else(context: Context, neighbour: Correction) -> str:
    """Tell who holds the corrected word, as far as memory was searched for it by any check."""
    skipped = context.searches_skipped
    in_memory: tuple[int, ...] = ()
    searched = context.was_searched(neighbour.corrected)
    if searched:
        in_memory = context.places_of(neighbour.corrected, MAX_COPIES)
        searched = context.searches_skipped == skipped
    in_registers = registers_holding(context, neighbour.suspect, neighbour.corrected)
    more = not searched or len(in_memory) == MAX_COPIES
    count = max(neighbour.copies, in_registers + len(in_memory))
    return copies_clause(count, searched=searched, more=more)


def _pointee(pointee: Pointee) -> str:
    if pointee.kind == OBJECT:
        return f"an object of type {pointee.name}"
    if pointee.kind == FUNCTION:
        return "a function"
    if pointee.kind == FREE:
        return f"a freed block (of {pointee.name})"
    return pointee.name if pointee.name.startswith("data ") else f"a block of {pointee.name}"
