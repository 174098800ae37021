# SPDX-License-Identifier: Apache-2.0
"""R15: a container's slot holds no object of its own, and one bit away one lost a reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.pointers import on_stack
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.typed_walk import Slot, Walk, walk_of
from gdb_epi.corruption.types import MEMORY, Evidence, Skipped, word_evidence
from gdb_epi.errors import Absent
from gdb_epi.fault import read_word
from gdb_epi.search import find_word

BITS = 64
LINE = 64  # bytes of a cache line
WORD = 8
FAR_BIT = 24  # as for pointers: software's near misses differ in lower bits
MAX_BAD = 24  # slots without an object; more are an overwrite, or freed memory
MAX_REPORTED = 8
MAX_STALE = 16  # words on stacks that hold the address still; most are no references


@check("R15", needs="python", order=55)
def typed_slot(context: Context) -> Iterator[Evidence | Skipped]:
    """Look at every slot of lists, dicts, tuples, sets and cells that the frames' globals reach.

    A slot must hold the address of an object, and no more slots than the object has references.
    One that does not is compared with the 64 words one bit away: an object among them whose
    reference count is higher than the number of words that hold its address has lost a
    reference, and this slot is it. Else an object 16 MB or more away is said (R15:far).
    Innocent causes: an object that was freed or overwritten while the slot still names it, and
    a reference that was not counted (then no object one bit away misses one); an object whose
    header was overwritten (several slots name it, and one flip changes one); a stray write over
    several slots (more than MAX_BAD, or neighbours that are damaged too).
    """
    walk = walk_of(context)
    if isinstance(walk, Absent):
        yield Skipped("R15", walk.detail)
        return
    slots = list(walk.run())
    times = Counter(slot.value for slot in slots)
    wrong = [slot for slot in slots if _is_bad(context, walk, slot)]
    places = {slot.place for slot in wrong}
    bad = [slot for slot in wrong if times[slot.value] == 1]
    context.counts["container slots"] = walk.slots
    if walk.cut:
        yield Skipped("R15", f"cut after {walk.slots} slots of containers")
    yield from _zeroed_lines(context, walk)
    if len(wrong) > MAX_BAD:
        yield Skipped("R15", f"{len(wrong)} slots of containers hold no object: an overwrite")
        return
    bad += _named_too_often(context, walk, slots, times)
    for slot in bad[:MAX_REPORTED]:
        if not places & {slot.place - 8, slot.place + 8}:
            same = sum(other.value == slot.value for other in bad)
            yield from _repairs(context, slot, same)


def _zeroed_lines(context: Context, walk: Walk) -> Iterator[Evidence]:
    """Find the one cache line of NULLs amid the items of a list: no list holds a NULL."""
    lines = [
        (start, owner)
        for owner, nulls in walk.nulls.items()
        for start in sorted({place & -LINE for place in nulls})
        if nulls == set(range(start, start + LINE, WORD))
        and walk.type_at(read_word(context.target, start - WORD) or 0)
        and walk.type_at(read_word(context.target, start + LINE) or 0)
    ]
    if len(lines) == 1 and len(walk.nulls) == 1:
        (start, owner) = lines[0]
        summary = (
            f"the items at {start:#018x} of the list at {owner:#018x} are NULL, exactly one cache "
            "line of them, and those before and behind are objects"
        )
        facts = {"slot": start}
        yield Evidence("M:items", start, None, None, (), MEMORY, summary, facts)


def _is_bad(context: Context, walk: Walk, slot: Slot) -> bool:
    """Whether a slot names nothing that can be an object; what was freed is another bug."""
    if walk.type_at(slot.value):
        return False
    things = context.things
    return not (things.begins_block(slot.value) and things.in_free_block(slot.value))


def _named_too_often(
    context: Context, walk: Walk, slots: list[Slot], times: Counter[int]
) -> list[Slot]:
    """Return slots of objects that more slots name than they have references."""
    found = []
    for value, count in times.items():
        known = count > 1 and walk.type_at(value)
        references = context.things.references(value) if known else None
        if references is not None and references < count:
            found += [slot for slot in slots if slot.value == value]
    return found if len(found) <= MAX_BAD else []


def _repairs(context: Context, slot: Slot, same: int) -> Iterator[Evidence]:
    flips = [slot.value ^ 1 << bit for bit in range(BITS)]
    objects = [(one, kind) for one in flips if (kind := context.things.object_type(one))]
    lost = [
        (one, kind) for one, kind in objects if _lost_a_reference(context, one, slot.value ^ one)
    ]
    far = [(one, kind) for one, kind in objects if one ^ slot.value >= 1 << FAR_BIT]
    for corrected, kind in lost or far:
        yield word_evidence(
            "R15" if lost else "R15:far",
            slot.place,
            slot.value,
            corrected,
            MEMORY,
            f"a slot of the {slot.kind} at {slot.owner:#018x} holds {slot.value:#018x}, which is "
            f"no object, or one with fewer references; one bit away is a {kind}"
            + (" that a reference is missing for" if lost else ""),
            rivals=same * len(lost or far),  # any of the slots that name it may be the wrong one
            object_type=kind,
        )


def _lost_a_reference(context: Context, address: int, flip: int) -> bool:
    count = context.things.references(address, flip if flip < WORD else WORD)
    if count is None:
        return False
    found = find_word(context.target, address, limit=count + MAX_STALE).addresses
    return sum(not on_stack(context, at) for at in found) < count
