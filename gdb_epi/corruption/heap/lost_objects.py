# SPDX-License-Identifier: Apache-2.0
"""What containers take for an object and is none, and whether anything else can have its memory.

A block that was freed and given out again has another user, who keeps its start. One that nothing
names but the items of containers was not given to anybody: it was written over. So it is asked who
uses a block of pymalloc's that held an object: that object, another one, or other data.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.address_descriptions import find_malloc_chunk
from gdb_epi.corruption.heap.address_index import HEADS, AddressIndex, address_index
from gdb_epi.corruption.heap.cpython_fields import is_in_data_stack
from gdb_epi.corruption.heap.item_tables import find_member_offset, find_table_owner
from gdb_epi.corruption.heap.object_references import is_in_free_block
from gdb_epi.corruption.heap.object_types import INSTANCE
from gdb_epi.corruption.heap.object_walk import FRAME, ContainerSlot, object_walk
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.heap.readers import is_on_stack
from gdb_epi.errors import Absent
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import WORD, WORD_MASK

_WITH_FRAMES = frozenset(("generator", "coroutine", "async_generator", "frame"))
MAX_TRIED = 16  # other objects that are none any more
LINK = WORD_MASK & -WORD  # _gc_prev without its flags
MAX_HOLDERS = 16  # places of one address that are looked at


def find_slots_without_object(
    context: Context, values: set[int] | None = None
) -> list[ContainerSlot]:
    """Return the slots, of containers that frames reach, with words that are no objects.

    Of `values` alone where some are given.
    """
    walk = object_walk(context)
    if isinstance(walk, Absent):
        return []
    return [
        slot
        for slot in walk.slots_without_object
        if (values is None or slot.value in values)
        and slot.kind != FRAME
        and not is_in_free_block(context, slot.place)
    ]


def find_objects_held_by_containers_alone(context: Context, address: int) -> list[int]:
    """Return an object and others that are none any more, and that nothing names but containers.

    Who is given a freed block for other data keeps its start: in a struct, in a table, or in a
    variable as long as it works on it. So three blocks, or one whose object does not begin it, were
    not freed.
    """
    if isinstance(object_walk(context), Absent) or not is_held_by_container_alone(context, address):
        return []
    index, head = address_index(context), address_index(context).offset_in_pool_block(address) or 0
    beside = [
        at + head for at in index.used_pool_blocks(address) if not has_object_in_block(index, at)
    ]
    beside.sort(key=lambda at: abs(at - address))
    reached = [bad.value for bad in find_slots_without_object(context)]
    others = [at for at in dict.fromkeys((*reached, *beside)) if at != address][:MAX_TRIED]
    context.search_words_together(others, MAX_HOLDERS)
    return [address, *(other for other in others if is_held_by_container_alone(context, other))]


def is_held_by_container_alone(context: Context, address: int) -> bool:
    """Whether a block in use holds no object, is the item of a container, and nothing else."""
    index, skipped = address_index(context), context.searches_skipped
    head = index.offset_in_pool_block(address)
    start = address - (head or 0)
    if head not in HEADS or is_in_free_block(context, address):
        return False
    if has_object_in_block(index, start) or any(find_pointers_to_block(context, start, address)):
        return False
    places = context.places_of_word(address, MAX_HOLDERS)
    slots = {slot.place for slot in find_slots_without_object(context, {address})}
    kept = [
        at
        for at in places
        if not is_on_stack(context, at)
        and not is_in_free_block(context, at)
        and not is_in_frame(context, at)
    ]
    items = [at for at in kept if at in slots or is_item_of_container(context, at)]
    complete = context.searches_skipped == skipped and len(places) < MAX_HOLDERS
    return complete and bool(items) and len(items) == len(kept)


def is_in_frame(context: Context, place: int) -> bool:
    """Whether a word lies in a frame of Python's, which holds nothing but objects."""
    index = address_index(context)
    start = place - (index.offset_in_pool_block(place) or 0)
    kinds = {index.object_type(start + head) for head in HEADS} if start < place else set()
    return is_in_data_stack(context, place) or not kinds.isdisjoint(_WITH_FRAMES)


def is_item_of_container(context: Context, place: int) -> bool:
    """Whether a word is an item of a tuple, in an entry of a dict, or in a container's table.

    Or in an instance of a class: all its words are references.
    """
    index = address_index(context)
    owner, within = index.object_with_field(place), index.offset_in_pool_block(place)
    if owner is not None and owner[1] == "dict":  # of an entry the key's place is told
        return index.object_type(owner[0]) is None
    if owner is not None and owner[1] == "tuple":
        at = find_member_offset(context, "PyTupleObject", "ob_item") or 3 * WORD
        return place >= owner[0] + at
    walk = object_walk(context)
    if owner is not None and not isinstance(walk, Absent):
        return (
            walk.kinds.type_of_object(owner[0]).category == INSTANCE
            and place >= owner[0] + 2 * WORD
        )
    chunk = find_malloc_chunk(context, place) if within is None else (place - within, 0)
    return owner is None and chunk is not None and bool(find_table_owner(context, place, chunk[0]))


def has_object_in_block(index: AddressIndex, start: int) -> bool:
    """Tell whether an object begins in a block."""
    end = index.end_of_block(start) or 0
    return any(index.object_type(start + n) is not None for n in HEADS if start + n < end)


def find_pointers_to_block(context: Context, start: int, address: int) -> Iterator[int]:
    """Yield the places that name a block, and not as the collector's links before its object do."""
    for at in range(start, address, 2 * WORD):
        for place in context.places_of_word(at, MAX_HOLDERS):
            if not _is_gc_link(context, place, at):
                yield place


def has_another_user(context: Context, address: int) -> bool:
    """Tell whether the block of a former object has another user: an object, or by a name.

    What stacks and free blocks hold is left over.
    """
    start = address - (address_index(context).offset_in_pool_block(address) or 0)
    return has_object_in_block(address_index(context), start) or any(
        not is_on_stack(context, place) and not is_in_free_block(context, place)
        for place in find_pointers_to_block(context, start, address)
    )


def _is_gc_link(context: Context, place: int, named: int) -> bool:
    """Whether a word is one of the collector's links before an object: they name its neighbours.

    Of an object that was overwritten too nothing tells but the link back.
    """
    index, target = address_index(context), context.target
    heads = (place + GC_HEAD - at for at in (0, WORD))
    if any(index.object_type(head) is not None for head in heads):
        return True
    following, before = read_word(target, named), read_word(target, named + WORD)
    return following == place - WORD or (before is not None and before & LINK == place)
