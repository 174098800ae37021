# SPDX-License-Identifier: Apache-2.0
"""R24: a link of a C list or tree names no block, and one that nothing names is one bit away."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.block_links import HeapLinks
from gdb_epi.corruption.heap.holders import is_partly_written
from gdb_epi.corruption.pointers.neighbours import on_stack
from gdb_epi.corruption.pointers.suspects import Suspect
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence, word_evidence
from gdb_epi.fault.maps import NEAR_NULL
from gdb_epi.sizes import ADDRESS_BITS

BITS = range(9, ADDRESS_BITS)  # a neighbour in memory is nearer, and marks are in others
LANES = range(1, 6)  # bytes of a pointer


@check("R24", needs="crash", order=58)
def linked_blocks(context: Context) -> Iterator[Evidence]:
    """Hold a link in a block of malloc against the links in the blocks of its kind.

    The word must name no block, and no free memory; the same word of others of its kind names
    blocks that are alike; and of those, at most eight of which none of the kind names, exactly
    one is one bit away (R24), or one byte, which is 0 (M:link). Innocent causes: a block that was
    freed and joined to others (the next of its list may be unnamed then, and lies near: bits below
    the tenth are left out); marks in the lowest and top bits (left out); blocks that the program
    leaked (more than eight say nothing); a zero of two or four bytes over the end of a word.
    """
    slots = {slot: one for one in context.suspects for slot in _slots(context, one)}
    if not slots:
        return
    links = HeapLinks(context)
    for slot, one in slots.items():
        if links.begins(one.value) or links.is_free(one.value):
            continue
        link = links.link(slot)
        unnamed = links.unnamed(link) if link is not None else []
        yield from _near(context, slot, one.value, unnamed, len(link.siblings) if link else 0)


def _slots(context: Context, one: Suspect) -> list[int]:
    """Return the one place of a word that may be a damaged link; empty where several hold it."""
    if one.value < NEAR_NULL:
        return []
    found = [slot for slot in one.slots if not on_stack(context, slot)]
    return found if len(found) == 1 else []


def _near(
    context: Context, slot: int, value: int, unnamed: list[int], count: int
) -> Iterator[Evidence]:
    """Yield the one block that is a bit away, else the one that is a byte of zeros away."""
    by_bit = [one for one in unnamed if one ^ value in {1 << bit for bit in BITS}]
    by_byte = [one for one in unnamed if _is_zeroed_byte(value, one)]
    found = by_bit or by_byte
    if len(found) != 1 or is_partly_written(context, slot, value, found[0]):
        return
    how = "one bit" if by_bit else "one byte, which is 0,"
    yield word_evidence(
        "R24" if by_bit else "M:link",
        slot,
        value,
        found[0],
        MEMORY,
        f"the word at {slot:#018x}, {value:#018x}, names no block of malloc, where {count} blocks "
        f"of its kind name such; {how} away is {found[0]:#018x}, one of {len(unnamed)} of those "
        "that none of them names",
    )


def _is_zeroed_byte(value: int, right: int) -> bool:
    """Whether a byte of an address is 0 and those below it are not: no store of a zero did that."""
    for lane in LANES:
        byte = 0xFF << 8 * lane
        if (value ^ right) & ~byte == 0 and not value & byte and value & (1 << 8 * lane) - 1:
            return True
    return False
