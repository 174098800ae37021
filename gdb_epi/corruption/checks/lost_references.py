# SPDX-License-Identifier: Apache-2.0
"""S:lost-reference: containers in use hold an object more often than it counts references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence

from gdb_epi.corruption.checks.typed_slot import ITEMS
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import UNCOUNTED, Evidence, plain_evidence, require
from gdb_epi.corruption.heap.address_descriptions import start_of_block
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.corruption.heap.item_tables import find_table_owner
from gdb_epi.corruption.heap.lost_objects import MAX_HOLDERS, has_object_in_block
from gdb_epi.corruption.heap.object_references import has_lost_reference
from gdb_epi.corruption.heap.object_walk import FRAME, ContainerSlot, ObjectWalk, object_walk
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.heap.readers import is_on_stack, words_at_fault
from gdb_epi.corruption.pointers.read_place import find_read_place
from gdb_epi.corruption.pointers.suspects import find_fault_words
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.score import PROVEN, STRONG, WEAK, compute_score, is_sign_of_overwriting
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.own_native_code import own_library_names
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import FOREIGN_CALLS
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import add_article, counted

LOWEST_BIT, HIGHEST_BIT = 4, 24  # of addresses of objects near each other
MAX_OBJECTS = 256  # that are looked at; more were written over together


class _LostReference(NamedTuple):
    """An object, how many it counts (None: it was freed), and the slots that hold it."""

    address: int
    references: int | None
    slots: Sequence[ContainerSlot]


@check("S:lost-reference", costly=True, grows=True, needs="crash", order=59)
def lost_reference(context: Context) -> Iterator[Evidence]:
    """Look for an object that more words hold than it counts references, or that was freed.

    Innocent causes: this is one: code that gives back a reference that was not its own, or keeps an
    object without taking one. A flipped bit of a slot names another object once too often, so one
    reference too few counts only where none of the objects one bit away misses one; a size that is
    a bit too large adds items behind the last, all of which lack one. Nothing is said where damage
    was found, or memory that was written over. A flipped bit of the count does the same: where no
    native code but Python's own can have given references back, nothing is said of the cause. Of
    1,125 processes on 3.11 no sound one had such an object.
    """
    walk = require(object_walk(context))
    if compute_score(context.evidence).word in (PROVEN, STRONG, WEAK):
        return
    if any(map(is_sign_of_overwriting, context.evidence)):
        return  # counts too
    lost = [
        *_freed_object_that_was_read_through(context, walk),
        *_objects_lacking_references(context, walk),
    ]
    at_hand = set(words_at_fault(context))
    lost.sort(
        key=lambda each: (each.address not in at_hand, each.references is None, -len(each.slots))
    )
    if not lost or len(lost) > MAX_OBJECTS:
        return
    address, count, slots = lost[0]
    kinds = Counter("variable" if slot.kind == FRAME else slot.kind for slot in slots)
    holders = ", ".join(add_article(kind) for kind, _ in kinds.most_common(3))
    held = f"{counted(len(slots), 'place')} hold{'s' * (len(slots) == 1)} it ({holders})"
    if count is None:
        summary = f"the object at {address:#x} was freed, but {held}: somebody freed it too early"
        how = ", as one Py_DECREF() too many, a missing Py_INCREF() or a block freed twice does"
    else:
        kind = add_article(walk.type_name_at(address))
        summary = f"{kind} object at {address:#x} counts {counted(count, 'reference')}, but {held}"
        summary += ": somebody gave back a reference without having taken one"
        how = ", as one Py_DECREF() too many or a missing Py_INCREF() does"
    target = context.target
    foreign = any(FOREIGN_CALLS in (module.path or "") for module in target.modules())
    if foreign or own_library_names(target):
        yield plain_evidence("S:lost-reference", address, summary + how)
        return
    summary += (
        ", or its count was damaged. The program has no native code of its own that could have "
        "done it"
    )
    yield plain_evidence(UNCOUNTED, address, summary)


def _objects_lacking_references(context: Context, walk: ObjectWalk) -> Iterator[_LostReference]:
    """Yield the objects that lack references.

    From 3.14 on variables borrow them; free-threaded builds count elsewhere.
    """
    layout = walk.reader.layout
    if layout.free_threaded:
        return
    borrowing = layout.offset("_PyInterpreterFrame", "f_executable.bits") is not None
    held = walk.words_held_by_too_many_slots()
    slots: dict[int, dict[int, ContainerSlot]] = {}
    for slot in walk.slots_that_hold(held):
        if not (borrowing and slot.kind == FRAME):
            slots.setdefault(slot.value, {})[slot.place] = slot
    for address, by_place in slots.items():
        region = context.target.region_at(address)
        if len(by_place) < 2 or region is None or region.is_file_mapped:
            continue
        mine = [slot for slot in by_place.values() if _is_slot_of_container(walk, slot, slots)]
        count = _reference_count(context, walk, address)
        least = 2 + sum(slot.kind == FRAME for slot in mine) if count is None else 1
        lost = len(mine) - (count or 0)
        if lost < least or (count is None and not _was_object_freed(context, address)):
            continue
        if lost > least or not _may_slot_be_flipped(context, walk, address):
            yield _LostReference(address, count, mine)


def _freed_object_that_was_read_through(
    context: Context, walk: ObjectWalk
) -> Iterator[_LostReference]:
    """Yield the object, which was freed, at the address that the wrong word was read through.

    Or at its place itself: what was counted there is a word of the block's new user.
    """
    word = next(iter(find_fault_words(context)), None)
    read_from = None if word is None else find_read_place(context, word)
    for address in () if read_from is None else (read_from.base, read_from.slot):
        if walk.type_name_at(address) or not _was_object_freed(context, address):
            continue
        slots = list(_items_that_hold(context, address))
        if slots and not _may_slot_be_flipped(context, walk, address):
            yield _LostReference(address, None, slots)


def _items_that_hold(context: Context, address: int) -> Iterator[ContainerSlot]:
    """Yield the items of lists, dicts, sets and tuples in use that hold a word, wherever they are.

    Where an exception is printed that nobody caught, the frames are gone that led to them.
    """
    index = address_index(context)
    for place in context.places_of_word(address, MAX_HOLDERS):
        start = start_of_block(context, place)
        if start is None or is_on_stack(context, place) or index.in_free_block(place):
            continue
        owner = find_table_owner(context, place, start)
        if owner is None and index.object_type(start + GC_HEAD) == "tuple":
            owner = "tuple", start + GC_HEAD
        if owner is not None:
            yield ContainerSlot(place, address, owner[1], owner[0])


def _reference_count(context: Context, walk: ObjectWalk, address: int) -> int | None:
    """Return how many references an object counts; None of no object, many of an immortal one."""
    if not walk.type_name_at(address):
        return None
    if read_word(context.target, address) == 0:
        return 0
    count = address_index(context).reference_count(address)
    return WORD_MASK if count is None else count


def _is_slot_of_container(walk: ObjectWalk, slot: ContainerSlot, lost: Container[int]) -> bool:
    """Whether a slot is one of its container's, whichever one bit of its size was flipped.

    Behind the last item lie what were items: all of them count too few references.
    """
    if slot.kind not in ITEMS:
        return True
    items = sorted([*walk.other_slots_of_container(slot), (slot.place, slot.value)])
    lowest_bit = len(items) & -len(items)
    return any(word not in lost and walk.type_name_at(word) for _, word in items[-lowest_bit:])


def _was_object_freed(context: Context, address: int) -> bool:
    """Whether an object began there whose block is free, or that of another object."""
    index = address_index(context)
    within = index.offset_in_pool_block(address)
    if within not in HEADS:
        return False
    return index.in_free_block(address) or has_object_in_block(index, address - within)


def _may_slot_be_flipped(context: Context, walk: ObjectWalk, address: int) -> bool:
    """Whether a slot that holds an object may be one bit off another one, which misses it."""
    near = (address ^ 1 << bit for bit in range(LOWEST_BIT, HIGHEST_BIT))
    return any(
        has_lost_reference(context, other, address) for other in near if walk.type_name_at(other)
    )
