# SPDX-License-Identifier: Apache-2.0
"""C1 to C4: where a return, call or jump went, and where it should have gone."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.stack_slot import Slot, off_by_8, one_bit_return, slot_of
from gdb_epi.corruption.types import MEMORY, REGISTER, UNKNOWN, Evidence, Skipped, word_evidence
from gdb_epi.errors import Absent
from gdb_epi.fault import GENERAL, NEAR_NULL, may_execute
from gdb_epi.fault.shapes import shape_of
from gdb_epi.fault.site import CALL, FETCH, JUMP

ADDRESS_BITS = 47
MAX_COPIES = 8
WORD = 8
NUMBERS = ("int-pair", "double")  # shapes of local variables


@check("C1", needs="crash")
def return_slot(context: Context) -> Iterator[Evidence]:
    """Look for a return address that is one bit from the popped word.

    Innocent causes: an overflow of a buffer on the stack (text, or neighbours that are no
    return addresses either: S:overwrite-run); a stale slot. Several candidates argue against each.
    """
    near = one_bit_return(context)
    for one in near:
        yield word_evidence(
            "C1", one.address, one.found, one.corrected, MEMORY, one.summary, rivals=len(near)
        )


@check("C2", needs="crash")
def stack_pointer(context: Context) -> Iterator[Evidence]:
    """Look for a return that took the word below its return address.

    Innocent causes: a wild indirect call leaves the same picture, but its call site is indirect
    and its target is at hand (then it counts as a call); hand-written assembly and setcontext
    keep no alignment; a function that ends with a jump through a pointer that was overwritten by
    numbers: they must stand nowhere else. C2:indirect is the weaker form, where the call site is
    an indirect one.
    """
    slot = off_by_8(context)
    if slot is None or not _may_be_local(context, slot):
        return
    fault = context.fault
    assert not isinstance(fault, Absent)
    wrong = slot.address - 8
    id = "C2" if slot.direct else "C2:indirect"
    yield Evidence(
        id, "rsp", wrong, slot.address, (), REGISTER, slot.summary, {"slot": hex(slot.address)}
    )


def _may_be_local(context: Context, slot: Slot) -> bool:
    """Whether the word that was popped may be a local variable's: no text, and no pattern.

    Numbers must stand nowhere else, or they may be a pointer that was jumped through.
    """
    shape = shape_of(slot.found)
    if shape is None or shape.name not in NUMBERS:
        return shape is None
    site = context.site
    assert not isinstance(site, Absent)
    held = any(site.fault.registers.get(name) == slot.found for name in GENERAL)
    return slot.direct and not held and context.places_of(slot.found, 2) == (slot.address - WORD,)


@check("C3", needs="crash")
def bad_return(context: Context) -> Iterator[Evidence]:
    """Note a return that took no return address: a feature for populations, of weight 0.

    Innocent causes: overflows, libunwind's setcontext race, the stack of a freed coroutine.
    """
    slot = slot_of(context)
    if slot is not None:
        address, value = slot
        what = "0" if not value else f"{value:#018x}"
        summary = f"a return took {what} from {address:#x}"
        yield Evidence("C3", address, None, None, (), UNKNOWN, summary, {"value": hex(value)})


@check("C4", needs="crash")
def function_pointer(context: Context) -> Iterator[Evidence | Skipped]:
    """Look for a function's start one bit from the target of a call or jump.

    Innocent causes: an object with function pointers that was freed and reused (text, doubles and
    poison are left out); many candidates argue against each. C4:copy when another word of memory
    holds the right pointer.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind not in (CALL, JUMP, FETCH) or site.address is None:
        return
    value = site.address
    if value < NEAR_NULL or shape_of(value) is not None or context.things.at(value) is not None:
        return
    found = []
    for bit in range(64):
        corrected = value ^ (1 << bit)
        if corrected >> ADDRESS_BITS or not may_execute(context.target.region_at(corrected)):
            continue
        function = context.functions.at(corrected)
        if function is not None and function.start == corrected:
            found.append(corrected)
    for corrected in found:
        yield _function(context, value, corrected, len(found))
    if not found and context.target.region_at(value) is None:
        yield Skipped("C4", "no function known by unwind tables starts one bit from the target")


def _function(context: Context, value: int, corrected: int, rivals: int) -> Evidence:
    """Return the evidence; memory that still holds the wrong pointer tells the path."""
    site = context.site
    assert not isinstance(site, Absent)
    copies = context.places_of(corrected, MAX_COPIES)
    held = context.places_of(value, MAX_COPIES)
    held = tuple(at for at in held if at != site.fault.sp - 8)
    where: int | str = held[0] if held else "target"
    summary = (
        f"control went to {value:#018x}, one bit from the function that starts at "
        f"{corrected:#018x}; {len(copies)} words of memory hold that address"
    )
    id = "C4:copy" if copies else "C4"
    path = MEMORY if held else REGISTER
    return word_evidence(
        id, where, value, corrected, path, summary, rivals=rivals, copies=len(copies)
    )
