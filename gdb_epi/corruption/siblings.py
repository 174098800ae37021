# SPDX-License-Identifier: Apache-2.0
"""The slots beside a slot: what programs keep there tells what belongs into it."""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.holders import holders_of, lost_a_reference
from gdb_epi.corruption.python_kinds import INSTANCE
from gdb_epi.corruption.typed_walk import Slot, Walk

Objects = list[tuple[int, str]]  # (address, type)
MAX_SIBLINGS = 16  # the nearest ones
FEWEST_ALIKE = 4
COUNTED = 4  # of them, whose holders are counted
MAX_COUNTED = 32  # objects that may have lost a reference
MAX_IN_ALL = 72  # objects whose holders are counted in one run: a search of memory for each
MAX_HEAD = 256  # bytes of an object that are its type's own fields
CONTAINERS, PLAIN = ("list", "dict"), ("str", "tuple", "bytes")
ITEMS = ("list", "tuple", "set", "frozenset", "dict")  # their slots lie side by side


def lost_among_alike(context: Context, walk: Walk, slot: Slot, objects: Objects) -> Objects:
    """Return the one of `objects` that lost a reference, where those that slots near hold did not.

    All slots near must hold objects of one type. A program that leaks references, or keeps them
    where nobody looks for them, does so for many objects of a type: then it says nothing.
    """
    near = [one for one in _siblings(walk, slot) if walk.type_at(one)]  # others may be wrong too
    kinds = {walk.type_at(one) for one in near}
    if len(near) < FEWEST_ALIKE or len(kinds) != 1:
        return []
    same = [one for one in objects if one[1] in kinds]
    mine = [one for one in same if _is_told(context, walk, slot.value, one)]
    left = context.kept.get("siblings counted", MAX_IN_ALL) - len(mine) - COUNTED
    if not 0 < len(mine) <= MAX_COUNTED or left < 0:
        return []
    context.kept["siblings counted"] = left
    if not _are_whole(context, near):
        return []
    lost = [one for one in mine if lost_a_reference(context, one[0], slot.value)]
    return lost if len(lost) == 1 else []


def _is_told(context: Context, walk: Walk, value: int, right: tuple[int, str]) -> bool:
    """Whether an object that a reference is missing for is seldom near a stale address.

    Of 3,318 addresses of the heap that were put into slots of 33 software cores (21 November 2026),
    one bit away was an object of the type of those around that missed a reference in 1 of 1,151
    where they are objects of the program's own classes, lists or dicts; but in 17 of 883 where they
    are str, and in 6 of 120 where they are functions. Of those types only where none can have
    begun. With that, 1 of 4,659 of 63 cores.
    """
    address, kind = right
    if kind in CONTAINERS or walk.kinds.of(address).category == INSTANCE:
        return True
    place, mine = context.things.place_in_block(value), context.things.place_in_block(address)
    return kind in PLAIN and place is not None and place != mine


def _are_whole(context: Context, near: list[int]) -> bool:
    """Whether the first objects that are counted miss no reference."""
    counts = ((one, context.things.references(one)) for one in near)
    counted = [(one, count) for one, count in counts if count is not None][:COUNTED]
    whole = all(holders_of(context, one, count) >= count for one, count in counted)
    return whole and len(counted) == COUNTED


def _siblings(walk: Walk, slot: Slot) -> list[int]:
    """Return what the nearest slots hold, each object once.

    Of a table or array its own slots (of a dict those of the same column), of a field the same
    field of other objects of the type.
    """
    if slot.kind in ITEMS:
        found = walk.beside(slot)
    elif 0 < slot.place - slot.owner < MAX_HEAD:
        found = walk.same_field(slot)
    else:
        return []
    found.sort(key=lambda one: abs(one[0] - slot.place))
    values = dict.fromkeys(value for _, value in found if value != slot.value)
    return list(values)[:MAX_SIBLINGS]
