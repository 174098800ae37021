# SPDX-License-Identifier: Apache-2.0
"""R15: a container's slot holds no object; one bit away is one that lacks a reference.

Which object lost it is told by counting who holds it, by what the slots beside hold, and for a
dict's keys by the index: by its hash a key is found at one entry, and at no other (lookdict() and
unicodekeys_lookup_unicode() in Objects/dictobject.c, the same steps from 3.8 to 3.15).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from gdb_epi.corruption.context import NEAR, Context
from gdb_epi.corruption.evidence import (
    MEMORY,
    OVERWRITTEN,
    Evidence,
    Skipped,
    plain_evidence,
    require,
    word_evidence,
)
from gdb_epi.corruption.heap.address_index import AddressIndex, address_index
from gdb_epi.corruption.heap.never_mapped import was_never_mapped
from gdb_epi.corruption.heap.object_references import (
    FAR_BIT,
    are_references_accounted_for,
    can_software_have_written_word,
    count_references,
    has_lost_reference,
    is_in_free_block,
    may_be_freed_object,
    may_be_unmapped_object,
)
from gdb_epi.corruption.heap.object_types import INSTANCE, TYPE
from gdb_epi.corruption.heap.object_walk import FRAME, ContainerSlot, ObjectWalk, object_walk
from gdb_epi.corruption.heap.readers import AROUND, POINTER_LANES
from gdb_epi.corruption.registry import check
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import ADDRESS_BITS, WORD, WORD_MASK
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import add_article

MAX_SIBLINGS = 16  # the nearest ones
MIN_ALIKE = 4
COUNTED = 4  # of them, whose holders are counted
MAX_COUNTED = 32  # objects that may have lost a reference
MAX_IN_ALL = 72  # objects whose holders are counted in one run: a search of memory for each
MAX_HEAD = 256  # bytes of an object that are its type's own fields
CONTAINERS, PLAIN = ("list", "dict"), ("str", "tuple", "bytes")
ITEMS = ("list", "tuple", "set", "frozenset", "dict")  # their slots lie side by side
# Of a dict's table of indices (Objects/dictobject.c).
PERTURB_SHIFT = 5
MAX_STEPS = 64
MAX_LOG2 = 24
LARGE_TABLE = 128  # entries

LINE = 64  # bytes of a cache line
LOWEST_BIT = 3  # those below are 0 in every address of an object
MAX_BAD = 24  # slots without an object; more are an overwrite, or freed memory
MAX_REPORTED = 8
MANY = 16  # words that hold an object whose references are not counted
MAX_PAIRS = 8
# Two bits that are neighbours, or of one byte: what one chip or line of a memory module gives; none
# of those that programs mark addresses with. Nobody marks the words of a container of CPython's
# own at the top, and what marks pointers there (boxed values, tags) sets other bits than two.
PAIRS = tuple(
    1 << low | 1 << high
    for low in range(64)
    for high in range(low + 1, 64)
    if low > 2
    and (high == low + 1 or (high >> 3 == low >> 3 and high < ADDRESS_BITS))
    and low != ADDRESS_BITS - 1
)
ALIGNED = 16  # objects begin there
MAX_RAISED = 4  # references to something that is not an object
MIN_STUCK = 3  # slots of one container, in different cache lines
MIN_LOST = 2  # of them, whose object misses a reference
MAX_STUCK = 256
FIELDS = ("function", "code", TYPE)  # what they hold is of known type: R18 looks for that
_WAYS = {
    "R15": "one bit away is {a_kind}, to which one reference fewer leads than it counts",
    "R15:far": "one bit away is {a_kind}",
    "R15:static": "one bit away is {a_kind} whose references are not counted, and nothing else "
    "that a reference is missing for",
    "R15:index": "one bit away is {a_kind} that the dict's index has at this very entry",
    "R15:index:large": "one bit away is {a_kind} that the dict's index has at this very entry, of "
    "more than a hundred",
    "R15:alike": "one bit away is {a_kind}, as all slots near hold, and a reference is missing for "
    "it, but not for those",
    "R15:pair": "two neighbouring bits away is {a_kind}, as all slots near hold, and a reference "
    "is missing for it, but not for those",
    "M:zero": "with another value of one byte, which is 0, it is {a_kind}, as all slots near hold, "
    "and a reference is missing for it, but not for those",
    "M:pair": "two bits away is {a_kind}, to which one reference fewer leads than it counts",
}


class TypedAddress(NamedTuple):
    """An object, by its address and the name of its type."""

    address: int
    kind: str


Objects = list[TypedAddress]


def find_object_that_lost_reference(
    context: Context, walk: ObjectWalk, slot: ContainerSlot, objects: Objects
) -> Objects:
    """Return the one of `objects` that lost a reference, where those that slots near hold did not.

    All slots near must hold objects of one type. A program that leaks references, or keeps them
    where nobody looks for them, does so for many objects of a type: then it says nothing.
    """
    # Those without a type may be wrong too.
    near = [sibling for sibling in _nearest_objects(walk, slot) if walk.type_name_at(sibling)]
    kinds = {walk.type_name_at(sibling) for sibling in near}
    if len(near) < MIN_ALIKE or len(kinds) != 1:
        return []
    same = [candidate for candidate in objects if candidate.kind in kinds]
    mine = [
        candidate
        for candidate in same
        if _is_rarely_at_stale_address(context, walk, slot.value, candidate)
    ]
    if len(mine) > MAX_COUNTED and slot.kind in ITEMS:  # an item more often has one place than two
        held = {value for _, value in walk.other_slots_of_container(slot)}
        mine = [candidate for candidate in mine if candidate.address not in held]
    counted = context.objects_counted + len(mine) + COUNTED
    if not 0 < len(mine) <= MAX_COUNTED or counted > MAX_IN_ALL:
        return []
    context.objects_counted = counted
    if not _do_objects_lack_no_reference(context, near):
        return []
    lost = [
        candidate
        for candidate in mine
        if has_lost_reference(context, candidate.address, slot.value)
    ]
    return lost if len(lost) == 1 else []


def _is_rarely_at_stale_address(
    context: Context, walk: ObjectWalk, value: int, right: TypedAddress
) -> bool:
    """Whether an object that a reference is missing for is seldom near a stale address.

    Of 3,318 addresses of the heap that were put into slots of 33 software cores (21 November 2026),
    one bit away was an object of the type of those around that missed a reference in 1 of 1,151
    where they are objects of the program's own classes, lists or dicts; but in 17 of 883 where they
    are str, and in 6 of 120 where they are functions. Of those types only where none can have
    begun. With that, 1 of 4,659 of 63 cores.
    """
    address, kind = right
    if kind in CONTAINERS or walk.kinds.type_of_object(address).category == INSTANCE:
        return True
    index = address_index(context)
    place, mine = index.offset_in_pool_block(value), index.offset_in_pool_block(address)
    return kind in PLAIN and place is not None and place != mine


def _do_objects_lack_no_reference(context: Context, near: list[int]) -> bool:
    """Whether the first objects that are counted miss no reference."""
    counts = ((sibling, address_index(context).reference_count(sibling)) for sibling in near)
    counted = [(sibling, count) for sibling, count in counts if count is not None][:COUNTED]
    whole = all(count_references(context, sibling, count) >= count for sibling, count in counted)
    return whole and len(counted) == COUNTED


def _nearest_objects(walk: ObjectWalk, slot: ContainerSlot) -> list[int]:
    """Return what the nearest slots hold, each object once.

    Of a table or array its own slots (of a dict those of the same column), of a field the same
    field of other objects of the type.
    """
    if slot.kind in ITEMS:
        beside = walk.other_slots_of_container(slot)
    elif 0 < slot.place - slot.owner < MAX_HEAD:
        beside = walk.same_field_of_others(slot)
    else:
        return []
    beside.sort(key=lambda place_and_word: abs(place_and_word[0] - slot.place))
    values = dict.fromkeys(value for _, value in beside if value != slot.value)
    return list(values)[:MAX_SIBLINGS]


def is_dict_key_in_place(walk: ObjectWalk, slot: ContainerSlot, key: int) -> bool:
    """Whether a str that is put into the slot of a dict's key is found there by its own hash.

    False where that cannot be told: for values, split tables, and keys that are not hashed yet.
    """
    if slot.kind != "dict":
        return False
    try:
        keys = walk.reader.field(slot.owner, "PyDictObject", "ma_keys")
        hash_at = key + walk.reader.layout.require("PyASCIIObject", "hash")
        return _is_key_in_its_place(walk, slot, keys, hash_at)
    except (UnreadableMemory, LayoutError):
        return False


def _is_key_in_its_place(walk: ObjectWalk, slot: ContainerSlot, keys: int, hash_at: int) -> bool:
    start, count, width, offsets = walk.dict_entries_place(slot.owner)
    wanted, rest = divmod(slot.place - start - WORD * offsets[0], width)
    if len(offsets) != 2 or rest or not 0 <= wanted < count:
        return False
    layout, reader = walk.reader.layout, walk.reader
    log2_at = layout.offset("PyDictKeysObject", "dk_log2_size")
    if log2_at is not None:
        log2 = reader.u8(keys + log2_at)
    else:
        log2 = reader.field(keys, "PyDictKeysObject", "dk_size").bit_length() - 1
    indices = keys + layout.require("PyDictKeysObject", "dk_indices")
    if not 0 <= log2 <= MAX_LOG2 or (start - indices) % (1 << log2):
        return False
    size = (start - indices) >> log2
    key_hash = reader.u64(hash_at)
    at, perturb = key_hash, key_hash
    for _ in range(MAX_STEPS if key_hash not in (0, WORD_MASK) else 0):
        at &= (1 << log2) - 1
        index = int.from_bytes(reader.read(indices + at * size, size), "little", signed=True)
        if index == wanted:
            return True
        if index == -1:
            return False
        perturb >>= PERTURB_SHIFT
        at = at * 5 + perturb + 1
    return False


@check("R15", costly=True, grows=True, needs="python", order=55)
def typed_slot(context: Context) -> Iterator[Evidence | Skipped]:
    """Look at every slot of lists, dicts, tuples, sets and cells that the frames' globals reach.

    A slot must hold the address of an object. One that does not is compared with the 64 words one
    bit away: an object among them whose references are all accounted for but one has lost it, and
    this slot is it. Otherwise an object 16 MB or more away is reported (R15:far).

    Innocent causes: An object that was freed while the slot still names it, whatever has its memory
    now: a slot that names an address of a heap where an object can have begun is left out. What a
    program leaked: it misses more than one reference. A reference that was not counted. An object
    whose header was overwritten: several slots name it, and one flip changes one. A stray write
    over several slots (they are many, or neighbours), or over a part of one. An object with a
    reference too few: slots that name more often than it has references an object that is sound are
    no evidence.
    """
    walk = require(object_walk(context))
    wrong = [slot for slot in walk.slots_without_object if _names_no_freed_object(context, slot)]
    places = {slot.place for slot in wrong}
    bad = _slots_that_are_no_copies(address_index(context), wrong)
    context.counts["container slots"] = walk.slots
    if walk.cut:
        slots = f"{walk.slots} slots of containers"
        near = context.reach == NEAR
        yield Skipped("R15", f"near the frames alone: {slots}" if near else f"cut after {slots}")
    yield from _evidence_of_zeroed_cache_lines(context, walk)
    yield from _evidence_of_stuck_bits(context, walk, wrong)
    if len(wrong) > MAX_BAD:
        many = f"{len(wrong)} slots of containers hold no object"
        if context.target.truncation().truncated:
            yield Skipped("R15", f"{many}; parts of the core are missing")
        else:
            yield plain_evidence(OVERWRITTEN, "", many)
        return
    for slot in bad[:MAX_REPORTED]:
        if not places & {slot.place - 8, slot.place + 8}:
            same = sum(other.value == slot.value for other in bad)
            yield from _evidence_of_repair(context, walk, slot, same)


def _slots_that_are_no_copies(
    index: AddressIndex, wrong: list[ContainerSlot]
) -> list[ContainerSlot]:
    """Return the slots that alone name what they name; a frame's variable may be a copy of one.

    So may be a tuple's item; but what two slots name may be an object whose header is damaged,
    where one can begin.
    """
    groups: dict[int, list[ContainerSlot]] = {}
    for slot in wrong:
        groups.setdefault(slot.value, []).append(slot)
    sources = []
    for value, same in groups.items():
        same = [slot for slot in same if slot.kind != FRAME] or same
        if value % WORD or index.is_past_start_in_pool_block(value):
            same = [slot for slot in same if slot.kind != "tuple"] or same
        if len(same) == 1:
            sources += same
    return sources


def _evidence_of_zeroed_cache_lines(context: Context, walk: ObjectWalk) -> Iterator[Evidence]:
    """Find the one cache line of NULLs amid the items of a list: no list holds a NULL."""
    lines = [
        (start, owner)
        for owner, nulls in walk.nulls.items()
        for start in sorted({place & -LINE for place in nulls})
        if nulls == set(range(start, start + LINE, WORD))
        and walk.type_name_at(read_word(context.target, start - WORD) or 0)
        and walk.type_name_at(read_word(context.target, start + LINE) or 0)
    ]
    if len(lines) == 1 and len(walk.nulls) == 1:
        start, owner = lines[0]
        summary = (
            f"the items at {start:#018x} of the list at {owner:#018x} are NULL, exactly one cache "
            "line of them, and those before and behind are objects"
        )
        yield plain_evidence("M:items", start, summary, path=MEMORY, slot=start)


def _evidence_of_stuck_bits(
    context: Context, walk: ObjectWalk, wrong: list[ContainerSlot]
) -> Iterator[Evidence]:
    """Find a container in which the same bit is wrong, in the same direction, line after line.

    That is what a stuck lane of a bus gives: 64 bits wide, each eighth word passes by it.
    """
    if not MIN_STUCK <= len(wrong) <= MAX_STUCK:
        return
    for owner in dict.fromkeys(slot.owner for slot in wrong):
        mine = [slot for slot in wrong if slot.owner == owner]
        alike = {slot.place % LINE for slot in mine}
        if len(mine) < MIN_STUCK or len(alike) != 1:
            continue
        for bit in range(LOWEST_BIT, ADDRESS_BITS):
            values = {slot.value >> bit & 1 for slot in mine}
            kinds = {walk.type_name_at(slot.value ^ 1 << bit) for slot in mine}
            if len(values) == 1 and len(kinds) == 1 and "" not in kinds:
                lost = [s for s in mine if has_lost_reference(context, s.value ^ 1 << bit, s.value)]
                if len(lost) >= MIN_LOST:
                    yield _stuck_bit_evidence(lost[0], len(mine), bit, kinds.pop())


def _stuck_bit_evidence(slot: ContainerSlot, count: int, bit: int, kind: str) -> Evidence:
    summary = (
        f"bit {bit} is {slot.value >> bit & 1} in {count} slots of the {slot.kind} at "
        f"{slot.owner:#018x} that hold no object, all at the same place of their cache lines; "
        f"with that bit changed each names {add_article(kind)}"
    )
    return word_evidence(
        "M:stuck", slot.place, slot.value, slot.value ^ 1 << bit, summary, object_type=kind
    )


def _names_no_freed_object(context: Context, slot: ContainerSlot) -> bool:
    """Whether what a slot names was no freed object; that is another bug."""
    index = address_index(context)
    if index.in_damaged_pool(slot.value) or is_in_free_block(context, slot.place):
        return False  # nothing says what of the pool is free; the container's own storage is
    return not (index.may_begin_object(slot.value) and index.in_free_block(slot.value))


def _evidence_of_repair(
    context: Context, walk: ObjectWalk, slot: ContainerSlot, same: int
) -> Iterator[Evidence]:
    flips = [slot.value ^ 1 << bit for bit in range(64)]
    index = address_index(context)
    outside = [flip for flip in flips if not index.is_past_start_in_pool_block(flip)]
    near = [TypedAddress(flip, kind) for flip in outside if (kind := index.object_type(flip))]
    near += _object_with_incremented_type(context, slot.value)
    objects = _objects_not_by_partial_write(context, slot, near)
    id, matches = "", []
    for id, search in _SEARCHES:
        typed = slot.kind in FIELDS and id in ("R15", "R15:alike", "R15:pair", "M:zero")
        matches = [] if typed or (near and id == "M:pair") else search(context, walk, slot, objects)
        if matches:
            break
    for corrected, kind in matches:
        summary = (
            f"a slot of the {slot.kind} at {slot.owner:#018x} holds {slot.value:#018x}, which is "
            f"no object; {_WAYS[id].format(a_kind=add_article(kind))}"
        )
        rivals = same * len(matches)
        yield word_evidence(
            id, slot.place, slot.value, corrected, summary, rivals=rivals, object_type=kind
        )


def _objects_not_by_partial_write(
    context: Context, slot: ContainerSlot, objects: Objects
) -> Objects:
    """Return the objects whose address no store over a part of the slot makes what it holds."""
    place, value = slot.place, slot.value
    return [
        right
        for right in objects
        if not can_software_have_written_word(context, place, value, right.address)
    ]


def _object_with_incremented_type(context: Context, value: int) -> Objects:
    """Return the object 8 bytes before `value`, whose type was counted up as if it were a count."""
    kind = read_word(context.target, value) if value % ALIGNED == WORD else None
    for number in range(1, MAX_RAISED + 1) if kind else ():
        name = address_index(context).type_name((kind or 0) - number)
        if name and not address_index(context).is_past_start_in_pool_block(value - WORD):
            return [TypedAddress(value - WORD, name)]
    return []


def _objects_missing_reference(
    context: Context, walk: ObjectWalk, slot: ContainerSlot, objects: Objects
) -> Objects:
    """Return the objects that miss a reference, where no freed object can have been.

    For a word at which no object can begin: the objects that, as far as is known, miss a reference.
    """
    value = slot.value
    kept = [right for right in objects if not may_be_freed_object(context, value, right.address)]
    if value % WORD:
        return [
            r
            for r in kept
            if not are_references_accounted_for(context, walk, r.address, r.address ^ value)
        ]
    return [right for right in kept if has_lost_reference(context, right.address, value)]


def _object_but_for_zeroed_byte(
    context: Context, walk: ObjectWalk, slot: ContainerSlot, _objects: Objects
) -> Objects:
    """Return the one object of the type of those near from which one byte, now 0, is away.

    None of the low bytes alone: what is written over a word's end clears those.
    """
    value = slot.value
    lanes = [lane for lane in POINTER_LANES if not value >> 8 * lane & 0xFF]
    if value % WORD or not lanes or not value & (1 << 8 * lanes[0]) - 1:
        return []
    flips = [value | byte << 8 * lane for lane in lanes for byte in range(1, 256)]
    return find_object_that_lost_reference(context, walk, slot, _objects_at(context, walk, flips))


def _object_two_neighbouring_bits_away(
    context: Context, walk: ObjectWalk, slot: ContainerSlot, _objects: Objects
) -> Objects:
    """Return the one object of the type of those near that is two neighbouring bits away.

    These are few more words than those one bit away: a freed object is as rarely among them.
    """
    flips = [slot.value ^ 3 << low for low in range(LOWEST_BIT, ADDRESS_BITS - 1)]
    whole = _objects_not_by_partial_write(context, slot, _objects_at(context, walk, flips))
    return find_object_that_lost_reference(context, walk, slot, whole)


def _objects_at(context: Context, walk: ObjectWalk, addresses: Iterable[int]) -> Objects:
    inside_block = address_index(context).is_past_start_in_pool_block
    objects = [TypedAddress(at, kind) for at in addresses if (kind := walk.type_name_at(at))]
    return [right for right in objects if not inside_block(right.address)]


def _key_whose_hash_leads_to_entry(
    context: Context, walk: ObjectWalk, slot: ContainerSlot, objects: Objects
) -> Objects:
    """Return the one key of a dict whose own hash leads to this entry, where none can have begun.

    What a dict's entry holds is not counted then: old tables, and what compiled a program, hold
    many names still.
    """
    return (
        []
        if may_be_freed_object(context, slot.value)
        else _keys_right_for_slot(walk, slot, objects)
    )


def _keys_right_for_slot(walk: ObjectWalk, slot: ContainerSlot, objects: Objects) -> Objects:
    keys = [
        right
        for right in objects
        if right.kind == "str" and is_dict_key_in_place(walk, slot, right.address)
    ]
    return keys if len(keys) == 1 else []


def _key_of_large_table(
    context: Context, walk: ObjectWalk, slot: ContainerSlot, objects: Objects
) -> Objects:
    """Return the one key whose own hash leads to this entry, of a table with many.

    A key may have been freed while its dict still names it. That of the few str objects that lie
    one bit from its address one belongs to this very entry is chance then: 1 in so many as there
    are entries. The word must lead into the middle of another object, where no key began lately.
    """
    if slot.kind == "dict" and address_index(context).is_past_start_in_pool_block(slot.value):
        with suppress(UnreadableMemory, LayoutError):
            if walk.dict_entries_place(slot.owner)[1] >= LARGE_TABLE:
                return _keys_right_for_slot(walk, slot, objects)
    return []


def _objects_far_from_wrong_address(
    context: Context, walk: ObjectWalk, slot: ContainerSlot, objects: Objects
) -> Objects:
    """Return the objects 16 MB or more away that, as far as is known, miss a reference.

    Not for a word that a freed object may have left: in a large heap much is one bit from it.
    """
    away = [candidate for candidate in objects if candidate.address ^ slot.value >= 1 << FAR_BIT]
    if was_never_mapped(context, slot.value):
        return away
    if may_be_freed_object(context, slot.value) or may_be_unmapped_object(context, slot.value):
        return []
    return [
        candidate
        for candidate in away
        if not are_references_accounted_for(context, walk, candidate.address)
    ]


def _object_with_uncounted_references(
    context: Context, _walk: ObjectWalk, slot: ContainerSlot, objects: Objects
) -> Objects:
    """Return the one object that many words hold and whose references are not counted, like None.

    Not for what may be the start of an object that was freed: those have such neighbours.
    """
    index = address_index(context)
    if index.may_begin_object(slot.value):
        return []
    unknown = [right for right in objects if index.reference_count(right.address) is None]
    shared = [
        right for right in unknown if len(context.places_of_word(right.address, MANY)) >= MANY
    ]
    if len(shared) != 1 or not _is_in_file_mapping(context, shared[0].address):
        return []
    # In the heap it may be the start of what was freed, in a pool that has blocks of another size.
    inside = context.target.region_at(slot.value) is None or _is_in_file_mapping(
        context, slot.value
    )
    return shared if inside else []


def _is_in_file_mapping(context: Context, address: int) -> bool:
    region = context.target.region_at(address)
    return region is not None and region.is_file_mapped


def _objects_two_bits_away(
    context: Context, walk: ObjectWalk, slot: ContainerSlot, _objects: Objects
) -> Objects:
    """Return the objects of the types around that differ in two bits of one byte, or beside."""
    if address_index(context).may_begin_object(slot.value):
        return []
    around = {walk.type_name_at(read_word(context.target, slot.place + n) or 0) for n in AROUND} - {
        ""
    }
    near = _objects_at(context, walk, [slot.value ^ flip for flip in PAIRS])
    alike = [right for right in near if right.kind in around]
    if len(alike) > MAX_PAIRS:
        return []
    return _objects_missing_reference(
        context, walk, slot, _objects_not_by_partial_write(context, slot, alike)
    )


# In this order; the first that finds something is told.
_SEARCHES = (
    ("R15", _objects_missing_reference),
    ("R15:far", _objects_far_from_wrong_address),
    ("R15:static", _object_with_uncounted_references),
    ("R15:index", _key_whose_hash_leads_to_entry),
    ("R15:index:large", _key_of_large_table),
    ("R15:alike", find_object_that_lost_reference),
    ("M:pair", _objects_two_bits_away),
    ("R15:pair", _object_two_neighbouring_bits_away),
    ("M:zero", _object_but_for_zeroed_byte),
)
