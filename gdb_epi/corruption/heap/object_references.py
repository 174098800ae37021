# SPDX-License-Identifier: Apache-2.0
"""Which words refer to an object, and which software errors look like a flipped bit in a slot."""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.address_descriptions import find_malloc_chunk
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.corruption.heap.malloc_chunks import is_in_free_chunk
from gdb_epi.corruption.heap.never_mapped import was_never_mapped
from gdb_epi.corruption.heap.object_walk import ObjectWalk
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.heap.readers import is_on_stack
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import HALF_MASK, WORD
from gdb_epi.target.memory_search import find_word

FAR_BIT = 24  # as for pointers: near misses of software differ in lower bits
ARENA_BIT = 20  # ARENA_SIZE, Objects/obmalloc.c: 256 KB up to 3.9, 1 MB from 3.10 on
ALIGNED = 16  # objects and blocks begin there (ALIGNMENT, Objects/obmalloc.c, 3.8 to 3.15)
INCREMENTS = 16  # one stale pointer raises a count fewer times than this
WILD_INCREMENTS = 4  # and a wild one, read from past the end of a list, fewer than this
MAX_COUNTED = 64  # more than a raised count is too large by, which is no power of two
MAX_STALE = 16  # words on stacks that still hold the address; most are not references
BYTE = 8  # bits
LOW_PARTS = (BYTE, 16, 32)  # bits that a store of one, two or four bytes clears


def has_lost_reference(context: Context, address: int, wrong: int) -> bool:
    """Tell whether all references to an object but one are accounted for.

    A leaked object may lack any number of them. A word on a stack or in a register may be stale, or
    may be the very reference that seems to be missing; then this cannot be told.
    """
    count = _reference_count(context, address, address ^ wrong)
    return count is not None and count_references(context, address, count) == count - 1


def _reference_count(context: Context, address: int, flip: int) -> int | None:
    """Return the reference count of an object reached through a pointer with that bit changed."""
    return address_index(context).reference_count(address, flip if 0 < flip < WORD else WORD)


def count_references(context: Context, address: int, limit: int) -> int:
    """Return how many words of memory (at most `limit`) and registers hold an address.

    Words that are left over do not count.
    """
    places = find_word(context.target, address, limit=limit + MAX_STALE).addresses
    if len(places) >= limit:
        places = tuple(at for at in places if not is_reference_left_over(context, at))
    return min(len(places), limit) + _count_in_registers(context, address)


def is_in_free_block(context: Context, place: int) -> bool:
    """Tell whether a word lies in a free block of pymalloc or a free chunk of glibc's main heap."""
    return address_index(context).in_free_block(place) or is_in_free_chunk(context, place)


def is_reference_left_over(context: Context, place: int) -> bool:
    """Tell whether a word refers to nothing: it lies in free memory, or in a frame that is unused.

    Up to 3.10 a code object keeps the frame of its last call, with a count of 0 and what stood on
    its stack of values (co_zombieframe: frame_dealloc() in Objects/frameobject.c).
    """
    if is_in_free_block(context, place):
        return True
    index = address_index(context)
    within = index.offset_in_pool_block(place)
    chunk = find_malloc_chunk(context, place) if within is None else None
    start = place - within if within is not None else chunk[0] if chunk is not None else 0
    owners = (start + head for head in HEADS if start)
    return any(
        owner < place
        and read_word(context.target, owner) == 0
        and index.type_name(read_word(context.target, owner + WORD) or 0) == "frame"
        for owner in owners
    )


def are_references_accounted_for(
    context: Context, walk: ObjectWalk, address: int, flip: int = 0
) -> bool:
    """Tell whether words outside stacks and free blocks account for all references to an object.

    `flip` is what differs in the word that should name it.
    """
    count = _reference_count(context, address, flip)
    if count is None:
        return False
    places = find_word(context.target, address, limit=count + MAX_STALE).addresses
    live = [
        at
        for at in places
        if not (
            is_on_stack(context, at) or walk.is_left_over(at) or is_reference_left_over(context, at)
        )
    ]
    return len(live) >= count


def lacks_one_holder(context: Context, address: int) -> bool:
    """Tell whether all but one of the references to an object stand outside of stacks.

    Less than has_lost_reference(): a word on a stack may be the very reference. The interpreter's
    caches of functions and methods own none (func_version_cache in pycore_function.h, the type
    cache in Objects/typeobject.c); it may be part of the library's own data.
    """
    count = _reference_count(context, address, 0)
    if count is None:
        return False
    borrowed = address_index(context).object_type(address) == "function"
    kept = 0
    for at in find_word(context.target, address, limit=count + MAX_STALE).addresses:
        region = context.target.region_at(at)
        cached = borrowed and region is not None and region.is_file_mapped
        kept += not (cached or is_on_stack(context, at) or is_reference_left_over(context, at))
    return kept == count - 1


def _count_in_registers(context: Context, address: int) -> int:
    threads = context.target.threads()
    return sum(t.registers.get(name) == address for t in threads for name in GENERAL)


def can_software_have_written_word(context: Context, place: int, value: int, right: int) -> bool:
    """Tell whether software can have made the wrong word, though only one bit differs.

    It writes the zero that ends a text, or a zero of two or four bytes, one too far; it truncates
    an address; it raises a reference count by a few through a wild pointer, or by more through a
    stale one, where an object can have begun. Whoever took that reference still holds the address,
    and so does the slot that a wild pointer was loaded from; where nothing does, no count was
    raised.
    """
    flip = value ^ right
    zeroed = [part for part in LOW_PARTS if flip < 1 << part and not value & (1 << part) - 1]
    if zeroed and not (zeroed == [BYTE] and _is_amid_object_pointers(context, place)):
        return True
    if value == right & HALF_MASK:
        return True
    if flip >= INCREMENTS or value < right:
        return False
    wild = flip < WILD_INCREMENTS or may_be_freed_object(context, place)
    return wild and _does_any_word_name_place(context, place)


def _is_amid_object_pointers(context: Context, place: int) -> bool:
    """Tell whether an object's address, and no text, ends right before a place.

    It is one or two words before, as there may be a hash in between; the byte before is 0.
    """
    before = [read_word(context.target, place - n * WORD) for n in (1, 2)]
    if before[0] is None or before[0] >> 64 - BYTE:
        return False
    return any(address_index(context).object_type(word) for word in before if word)


def _does_any_word_name_place(context: Context, place: int) -> bool:
    """Tell whether a word or register holds the address of a place: whoever raises a count has it.

    Where memory was not searched, the answer is yes.
    """
    if _count_in_registers(context, place) > 0 or context.places_of_word(place, 1):
        return True
    return not context.was_searched(place)


def may_be_old_reference_count(context: Context, owner: int, place: int, more: int) -> bool:
    """Whether a field may have counted references to an object that is gone, whose head it became.

    Of two objects in one block, one after the other, the collected one began after its links.
    `more`: by how much the field is too large; what a count was raised by is less.
    """
    return (
        place - owner == GC_HEAD
        and 0 < more <= MAX_COUNTED
        and any(
            not is_on_stack(context, at) and not is_in_free_block(context, at)
            for at in context.places_of_word(place, MAX_STALE)
        )
    )


def may_be_freed_object(context: Context, value: int, right: int | None = None) -> bool:
    """Tell whether a word can be the address of an object that was freed, whatever is there now.

    Any aligned address in writable memory can: the memory may since have gone to blocks of another
    size. So can one in unmapped memory less than an arena (1 MB) from `right`: arenas are given
    back as a whole. Farther away, an object that lacks just one reference is one bit off only by
    chance.
    """
    if value % ALIGNED:
        return False
    region = context.target.region_at(value)
    if region is None:
        return right is not None and value ^ right < 1 << ARENA_BIT
    return "w" in region.perms and not region.is_file_mapped


def may_be_unmapped_object(context: Context, value: int) -> bool:
    """Tell whether a word can be the address of an object whose memory went back to the kernel."""
    return (
        not value % ALIGNED
        and context.target.region_at(value) is None
        and not was_never_mapped(context, value)
    )
