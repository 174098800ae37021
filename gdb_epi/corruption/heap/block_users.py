# SPDX-License-Identifier: Apache-2.0
"""Who uses a block of pymalloc's that held an object: that object, another one, or other data."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.address_index import HEADS, AddressIndex, address_index
from gdb_epi.corruption.heap.memory_readers import is_on_stack
from gdb_epi.corruption.heap.object_references import is_in_free_block
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import WORD, WORD_MASK

LINK = WORD_MASK & -WORD  # _gc_prev without its flags
MAX_HOLDERS = 16  # places of one address that are looked at


def has_object_in_block(index: AddressIndex, start: int) -> bool:
    """Tell whether an object begins in a block."""
    end = index.end_of_block(start) or 0
    return any(index.object_type(start + n) is not None for n in HEADS if start + n < end)


def find_pointers_to_block(context: Context, start: int, address: int) -> Iterator[int]:
    """Yield the places that name a block, and not as the collector's links before its object do."""
    for at in range(start, address, 2 * WORD):
        for place in context.places_of(at, MAX_HOLDERS):
            if not _is_link(context, place, at):
                yield place


def is_block_reused(context: Context, address: int) -> bool:
    """Tell whether the block of a former object has another user: an object, or by a name.

    What stacks and free blocks hold is left over.
    """
    start = address - (address_index(context).place_in_block(address) or 0)
    return has_object_in_block(address_index(context), start) or any(
        not is_on_stack(context, place) and not is_in_free_block(context, place)
        for place in find_pointers_to_block(context, start, address)
    )


def _is_link(context: Context, place: int, named: int) -> bool:
    """Whether a word is one of the collector's links before an object: they name its neighbours.

    Of an object that was overwritten too nothing tells but the link back.
    """
    index, target = address_index(context), context.target
    heads = (place + GC_HEAD - at for at in (0, WORD))
    if any(index.object_type(head) is not None for head in heads):
        return True
    following, before = read_word(target, named), read_word(target, named + WORD)
    return following == place - WORD or (before is not None and before & LINK == place)
