# SPDX-License-Identifier: Apache-2.0
"""Which allocator owns the memory of a bad word, and so which checking allocator would see more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.corruption.heap.what_lies_at import chunk_at
from gdb_epi.corruption.pointers.read_place import place_read_from
from gdb_epi.corruption.pointers.suspect_words import fault_words, suspects_of
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage

HEADER = 16  # bytes of an object: its count and its type
PYTHON, MALLOC = "python", "malloc"


def owner_of_damaged_block(context: Context, leading: Iterable[Evidence] = ()) -> str | None:
    """Return PYTHON or MALLOC by the first block that a bad word stood in or pointed at.

    The places of `leading` come first: the evidence that speaks for software. PYTHON are blocks of
    pymalloc, and those of malloc that begin with an object: Python's debug allocators know of both.
    None where no block is at hand.
    """
    account = context.state.account
    if isinstance(account, Absent):
        return None
    message = account.message
    if isinstance(message, AbortMessage) and message.kind == "malloc":
        return MALLOC
    places = [evidence.where for evidence in leading if isinstance(evidence.where, int)]
    owners = (_owner(context, place) for place in chain(places, _places(context)))
    return next(filter(None, owners), None)


def _places(context: Context) -> Iterator[int]:
    """Yield where the bad word was read, then what the access went through."""
    for word in fault_words(context)[:1]:
        origin = place_read_from(context, word)
        if origin is not None:
            yield origin.slot
    for suspect in suspects_of(context):
        yield from suspect.slots[:1]
        yield suspect.value


def _owner(context: Context, address: int) -> str | None:
    index = address_index(context)
    if index.place_in_block(address) is not None or index.in_emptied_pool(address):
        return PYTHON
    chunk = chunk_at(context, address)
    if chunk is None:
        return None
    start, size = chunk
    heads = (head for head in HEADS if head + HEADER <= size)
    objects = (index.object_type(start + head) for head in heads)
    return PYTHON if any(objects) else MALLOC
