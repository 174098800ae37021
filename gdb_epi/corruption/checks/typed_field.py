# SPDX-License-Identifier: Apache-2.0
"""R18: a field of CPython's own holds nothing of its type, and one bit away is one that fits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.holders import (
    FAR_BIT,
    is_partly_written,
    is_refuted,
    lost_a_reference,
    may_be_freed,
    may_be_stale,
)
from gdb_epi.corruption.never_mapped import was_never_mapped
from gdb_epi.corruption.pointers import on_stack
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.things import HEADS
from gdb_epi.corruption.typed_fields import Field, Fields
from gdb_epi.corruption.typed_walk import FRAME, Walk, walk_of
from gdb_epi.corruption.types import MEMORY, Evidence, Skipped, word_evidence
from gdb_epi.cpython.reader import Reader
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault import NEAR_NULL
from gdb_epi.lean import NamedTuple

BITS = range(64)
MAX_BAD = 16  # objects with a wrong field; more are an overwrite
MAX_ALIKE = 64  # words that are looked at
FEWEST_ALIKE = 2  # others of which a field holds the right word
MAX_HELD = 8  # words that hold a candidate, of those that are counted


class _Wrong(NamedTuple):
    owner: int
    category: str
    field: Field
    value: int


@check("R18", needs="python", order=56)
def typed_field(context: Context) -> Iterator[Evidence | Skipped]:
    """Compare fields of functions, code, types, dicts, lists, descriptors and frames with types.

    Of the objects that the frames and the fault's own registers reach. A field counts when all
    other fields of the object are right, this one holds nothing that fits it, and exactly one of
    the words one bit away fits and may have lost a reference. Innocent causes: what a field names
    was freed (what can be the address of that is left out, see may_be_stale); the object itself was
    freed or overwritten (then several fields are wrong); a word of which a part was written (low
    bytes that are 0, a count that was raised).
    """
    walk = walk_of(context)
    if isinstance(walk, Absent):
        yield Skipped("R18", walk.detail)
        return
    reader = walk.reader
    fields = Fields(reader, walk.kinds, context.things)
    try:
        wrong = [*_wrong(reader, walk, fields), *_wrong_of_suspects(context, walk, fields)]
    except LayoutError as error:
        yield Skipped("R18", f"{error}")
        return
    if len(wrong) > MAX_BAD:
        yield Skipped("R18", f"{len(wrong)} objects have fields of a wrong type: an overwrite")
        return
    for one in wrong:
        yield from _repair(context, walk, one)


def _wrong(reader: Reader, walk: Walk, fields: Fields) -> Iterator[_Wrong]:
    """Yield the objects of which exactly one field is wrong."""
    of_frames = fields.of_frames()
    for frame in walk.frames:
        yield from _wrong_of(reader, frame.address, FRAME, of_frames)
    for address, category in fields.doubtful(walk.visited):
        yield from _wrong_of(reader, address, category, fields.of(address, category))


def _wrong_of_suspects(context: Context, walk: Walk, fields: Fields) -> Iterator[_Wrong]:
    """Yield those of the objects in which the fault's words stand, where the walk missed them.

    A frame that is being given back has no references, and no list leads to it.
    """
    known = {address for address, _ in walk.visited} | {frame.address for frame in walk.frames}
    slots = {slot for one in context.suspects for slot in one.slots}
    owners = {slot: _owner(context, walk, slot) for slot in slots if not on_stack(context, slot)}
    for address, name in sorted({one for one in owners.values() if one is not None}):
        if address in known:
            continue
        if name != FRAME:
            yield from _wrong_of(walk.reader, address, name, fields.of(address, name))
        elif walk.reader.layout.offset("_PyInterpreterFrame", "f_globals") is None:
            yield from _wrong_of(walk.reader, address, FRAME, fields.of_frames())


def _owner(context: Context, walk: Walk, slot: int) -> tuple[int, str] | None:
    """Return the object in whose block a word is, and its type; it may have no references."""
    things = context.things
    place = things.place_in_block(slot)
    if place is None or things.in_free_block(slot):
        return None
    for head in HEADS:
        address = slot - place + head
        try:
            name = things.type_name(walk.reader.type_of(address)) if address < slot else None
        except UnreadableMemory:
            return None
        if name is not None:
            return address, name
    return None


def _wrong_of(
    reader: Reader, address: int, category: str, fields: tuple[Field, ...]
) -> Iterator[_Wrong]:
    found = []
    for field in fields:
        try:
            value = reader.u64(address + field.offset)
        except UnreadableMemory:
            return
        if value and not field.fits(value):
            found.append(_Wrong(address, category, field, value))
    if len(found) == 1 and (len(fields) > 1 or not found[0].field.shared):
        yield found[0]


def _repair(context: Context, walk: Walk, one: _Wrong) -> Iterator[Evidence]:
    """Yield the one flip that makes a field right; nothing where several do, or none."""
    if not one.field.own and _is_its_own(context, one.value):
        return
    found = []
    for bit in BITS:
        right = one.value ^ 1 << bit
        if right < NEAR_NULL or not one.field.fits(right):
            continue
        place = one.owner + one.field.offset
        partly = is_partly_written(context, place, one.value, right)
        if not partly and _may_be(context, walk, one, right):
            found.append(right)
    if len(found) != 1:
        return
    right = found[0]
    place = one.owner + one.field.offset
    yield word_evidence(
        "R18",
        place,
        one.value,
        right,
        MEMORY,
        f"{one.field.name} of the {one.category} at {one.owner:#018x} holds {one.value:#018x}, "
        f"which is not {one.field.what}; {right:#018x}, one bit away, is",
        field=one.field.name,
    )


def _is_its_own(context: Context, value: int) -> bool:
    """Whether a block begins there that nothing else names: freed or overwritten, but no other's.

    Seen in one of 444 software cores: memory behind a bytearray was zeroed.
    """
    things = context.things
    block = things.begins_block(value) or things.in_free_block(value) or things.at(value)
    held = context.places_of(value, MAX_HELD)
    return bool(block) and sum(not on_stack(context, at) for at in held) <= 1


def _may_be(context: Context, walk: Walk, one: _Wrong, right: int) -> bool:
    """Whether a word that fits a field can be the one that was there: it misses a holder."""
    things, sure = context.things, one.field.sure
    if one.field.shared and (
        _is_held_alike(walk, one, right) or _is_found_alike(context, walk, one, right)
    ):
        return True
    if one.category.endswith("_descriptor") and not one.field.shared:
        return True  # tables of descriptions are static, and the name says which entry it is
    if sure is not None and not sure(right):
        return False
    inside = things.inside_block(one.value)  # no table or array begins there
    if not one.field.own and not inside and may_be_stale(context, one.value, right):
        return False  # of 765 stale tables put into dicts 13 were one bit from one without a holder
    if not one.field.shared:
        is_free = things.in_free_block(right)  # a freed table looks like one still
        held = _holders(context, walk, right, MAX_HELD)
        if one.field.own:  # old copies may be left; another dict's table is none of this one's
            held = [at for at in held if walk.type_at(at - one.field.offset) == one.category]
        return not is_free and not held
    if things.references(right) is None or was_never_mapped(context, one.value):
        return True  # immortal, or held by many
    if one.value ^ right < 1 << FAR_BIT or may_be_freed(context, one.value):
        return lost_a_reference(context, right, one.value)
    return not is_refuted(context, walk, right)


def _is_held_alike(walk: Walk, one: _Wrong, right: int) -> bool:
    """Whether the same field of two others of the kind holds the right word.

    Frames and functions of a module share its globals, classes a base: few words are held so, and
    what was freed lies next to one of them by chance alone.
    """
    if one.category == FRAME:
        others = [frame.address for frame in walk.frames]
    else:
        others = [address for address, category in walk.visited if category == one.category]
    words = walk.reader.words([other + one.field.offset for other in others if other != one.owner])
    return words.count(right) >= FEWEST_ALIKE


def _is_found_alike(context: Context, walk: Walk, one: _Wrong, right: int) -> bool:
    """As _is_held_alike, of objects that memory is searched for: the walk may have found none."""
    reader = walk.reader
    if one.category == FRAME and reader.layout.offset("_PyInterpreterFrame", "f_globals"):
        return False  # those are no objects
    found = 0
    with suppress(UnreadableMemory):
        kind = reader.type_of(one.owner)
        for at in context.places_of(right, MAX_ALIKE):
            other = at - one.field.offset
            if other != one.owner and not context.things.in_free_block(at):
                with suppress(UnreadableMemory):
                    found += reader.type_of(other) == kind
    return found >= FEWEST_ALIKE


def _holders(context: Context, walk: Walk, value: int, limit: int) -> list[int]:
    """Return the places of memory that hold a word, without what may be left over."""
    places = context.places_of(value, limit)
    return [at for at in places if not on_stack(context, at) and not walk.is_stale(at)]
