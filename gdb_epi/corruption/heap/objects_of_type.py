# SPDX-License-Identifier: Apache-2.0
"""Other objects of a type: what stands in the same field of those."""

from __future__ import annotations

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import WORD

MAX_BESIDE = 64  # words that hold the type, of which memory is searched


@once_per_run
def find_others_of_type(context: Context, address: int, kind: int) -> list[int]:
    """Return objects of a type: those of the same pool, and the first ones of memory."""
    places = {at - WORD for at in context.places_of(kind, MAX_BESIDE)}
    near = places.union(find_others_beside(context, address, kind))
    return [at for at in sorted(near) if read_word(context.target, at + WORD) == kind]


@once_per_run
def find_others_beside(context: Context, address: int, kind: int) -> list[int]:
    """Return the objects of a type in the same pool."""
    beside = address_index(context).blocks_beside(address)
    near = (block + head for block in beside for head in HEADS[:2])
    return [at for at in near if read_word(context.target, at + WORD) == kind]
