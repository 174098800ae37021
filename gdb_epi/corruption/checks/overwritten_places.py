# SPDX-License-Identifier: Apache-2.0
"""S:overwritten-place: a word that is no pointer, where something alive has to have one.

Or a pointer changed in the same field of several objects: a flip changes one of them.

Memory that holds other data than the code expects was overwritten, or freed and given out again.
The second is no damage: a pointer dangles. Here the rest of memory says that the place is still
what the code takes it for, so somebody wrote there who should not have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, plain_evidence
from gdb_epi.corruption.heap.address_descriptions import (
    describe_address,
    find_malloc_chunk,
    start_of_block,
)
from gdb_epi.corruption.heap.address_index import BLOCK, HEADS, MEMBERS, address_index
from gdb_epi.corruption.heap.item_tables import find_member_offset, find_table_owner, list_length
from gdb_epi.corruption.heap.lost_objects import (
    MAX_HOLDERS,
    find_objects_held_by_containers_alone,
    find_slots_without_object,
    has_another_user,
)
from gdb_epi.corruption.heap.object_references import is_in_free_block
from gdb_epi.corruption.heap.object_types import INSTANCE, SLOTS
from gdb_epi.corruption.heap.object_walk import object_walk
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD
from gdb_epi.corruption.heap.readers import find_only_place_off_stack, is_on_stack, words_at_fault
from gdb_epi.corruption.pointers.read_place import find_read_place
from gdb_epi.corruption.pointers.small_changes import (
    is_lowest_byte_wrong,
    is_one_bit_from_start_of_thing,
    is_one_byte_from_use,
)
from gdb_epi.corruption.pointers.suspects import LOW, FaultWord, find_fault_words, find_suspects
from gdb_epi.corruption.pointers.values_over_pointers import (
    find_value_over_pointer,
    pointer_place_clause,
    text_over_record_clause,
)
from gdb_epi.corruption.registry import check
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import DATA, TRANSFERS
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.mapping_checks import NEAR_NULL, untagged_address
from gdb_epi.fault.memory_reads import read_word, try_read
from gdb_epi.fault.word_shapes import ascii_text_shape, shape_note
from gdb_epi.sizes import ADDRESS_BITS, WORD, WORD_MASK, signed_word, split_into_words

ID = "S:overwritten-place"
MAX_COPIES, MAX_SINCE = 4, 16  # of one bad value; references, since an object was cleared
MIN_SOUND, MIN_WRONG = 3, 3  # objects of a type, of one pool of pymalloc's
BESIDE, STRIDES = 4, (WORD, 3 * WORD, 2 * WORD)  # items to each side; of lists, dicts, sets
MAX_REFERENCES, MAX_COMPARED = 1 << 20, 32  # references; words of an object
MAX_WITHOUT_TYPE = 4  # blocks at hand that are searched for, each in all memory
MIN_CLEARED, MAX_CLEARED = 256, 64 << 10  # bytes of a run of zeros
MAX_TRIED, MAX_WRONG = 16, 8  # objects that are none any more; words compared with the right ones
STEP_REACH = 64 << 10  # bytes to each side of a word in which a loop's steps are looked for
MAX_STEP, MAX_STEPS = 4096, 32  # bytes of a row or record; distances that are tried
MIN_IN_STEP, MAX_IN_STEP = 16, 256  # equal bytes at one distance
WORD_BITS = 64
# Pointers that an object has as long as it lives; what was never set is NULL.
_FIELDS = {
    "list": ("PyListObject", ("ob_item",)),
    "dict": ("PyDictObject", ("ma_keys", "ma_values")),
    "set": ("PySetObject", ("table",)),
    "frozenset": ("PySetObject", ("table",)),
    "cell": ("PyCellObject", ("ob_ref",)),
    "function": (
        "PyFunctionObject",
        (
            "func_code", "func_closure", "func_defaults", "func_kwdefaults", "func_globals",
            "func_builtins", "func_name", "func_qualname", "func_dict", "func_module", "func_doc",
        ),
    ),
    "code": (
        "PyCodeObject",
        (
            "co_consts", "co_names", "co_localsplusnames", "co_localspluskinds", "co_varnames",
            "co_freevars", "co_cellvars", "co_filename", "co_name", "co_qualname", "co_code",
            "co_linetable", "co_lnotab", "co_exceptiontable",
        ),
    ),
    "type": (
        "PyTypeObject",
        (
            "tp_dict", "tp_mro", "tp_bases", "tp_base", "tp_cache", "tp_subclasses", "tp_as_async",
            "tp_as_number", "tp_as_sequence", "tp_as_mapping", "tp_as_buffer", "tp_methods",
            "tp_members", "tp_getset", *SLOTS,
        ),
    ),
    "bytearray": ("PyByteArrayObject", ("ob_bytes", "ob_start")),
    "memoryview": ("PyMemoryViewObject", ("mbuf", "view.shape", "view.strides")),
}  # fmt: skip
# The same of modules whose structs no layout has (Modules/arraymodule.c, numpy/ndarraytypes.h).
_BY_OFFSET = {
    "array.array": {24: "ob_item", 40: "ob_descr"},
    "numpy.ndarray": {16: "data", 32: "dimensions", 40: "strides", 56: "descr"},
}


@check(ID, needs="crash", grows=True, order=17)
def overwritten_place(context: Context) -> Iterator[Evidence]:
    """Tell a word that was overwritten in something that is still in use.

    Innocent causes: this is one: a write behind a buffer's end, through a pointer to memory that
    was freed, or of garbage. Said only where something else shows that the place is in use as what
    it was: the collector's list still names the object, the object is whole but for this word, a
    list, dict or set still names the block as its table, one run of text, or of one value where
    nobody names the block, goes over its start, several objects of one type are wrong in that
    field, the fields beside it in an array of records lead somewhere, what names a block that held
    an object are items of containers alone, or one byte stands at one distance through memory and
    makes no addresses out of several words. Not said where one byte changed makes it legal: a flip.
    """
    site = context.site
    if isinstance(site, Absent) or site.kind not in (DATA, *TRANSFERS):
        return
    if any(evidence.id == ID for evidence in context.evidence):
        return  # with its extent
    yield from _evidence_of_field_wrong_in_many(context)
    for word in find_fault_words(context)[:1]:
        cleared = _object_with_zeroed_type(context, word)
        if cleared is not None:
            address, holder = cleared
            summary = (
                f"the object at {address:#x} was overwritten: its type is 0, and {holder:#x}, "
                f"{describe_address(context, holder)}, still names it"
            )
            yield plain_evidence(ID, address + WORD, summary)
            return
        in_step = _evidence_of_strided_byte_writes(context, _only_slot_of_word(context, word))
        if in_step is not None:
            yield in_step
            return
        several = _evidence_of_overwritten_types(context, word)
        if several is not None:
            yield several
            return
        access = "x" if site.kind in TRANSFERS else site.access
        slot = _only_slot_of_word(context, word) if word.value < NEAR_NULL else None
        if slot is not None and word.value.bit_count() > 1:  # one bit may be a flipped one of NULL
            member = _pointer_member_at(context, slot)
            if member and read_word(context.target, slot) == word.value:
                summary = f"the word at {slot:#x} was overwritten: it holds {word.value:#x}, and "
                yield plain_evidence(ID, slot, f"{summary}that is {member}")
                return
        if word.value < NEAR_NULL or context.target.region_at(word.value) is not None:
            continue
        for slot in _possible_slots_of_word(context, word):
            cut = find_value_over_pointer(context.target, slot, word.value)
            why = pointer_place_clause(context, slot, cut) if cut is not None else ""
            if cut is not None and why and not is_one_bit_from_start_of_thing(context, word.value):
                summary = f"the word at {slot:#x} was overwritten: {cut.what} ends in it, and {why}"
                yield plain_evidence(ID, slot, summary)
                return
        if word.distance is None:
            continue
        if word.value % WORD and access != "x":  # no object begins there
            may_be_flip = is_lowest_byte_wrong(context, word.value)
        else:
            may_be_flip = is_one_byte_from_use(context, word.value, word.distance, access)
        for slot in () if may_be_flip else _possible_slots_of_word(context, word):
            why = _why_overwritten(context, slot, word.value)
            if why:
                what = f"it holds {word.value:#x}{shape_note(word.value)}, and {why}"
                yield plain_evidence(ID, slot, f"the word at {slot:#x} was overwritten: {what}")
                return
    for suspect in find_suspects(context):  # a pointer whose low byte was written over
        for slot in suspect.slots if suspect.depth and suspect.value % WORD else ():
            why = _why_overwritten(context, slot, suspect.value)
            if why and not is_one_bit_from_start_of_thing(context, suspect.value):
                what = f"it holds {suspect.value:#x}, where no object can begin, and {why}"
                yield plain_evidence(ID, slot, f"the word at {slot:#x} was overwritten: {what}")
                return
    for bad in find_slots_without_object(context)[:MAX_COPIES]:
        in_step = _evidence_of_strided_byte_writes(context, bad.place)
        if in_step is not None:
            yield in_step
            return


def _why_overwritten(context: Context, slot: int, value: int) -> str:
    """Say what shows that a place is one for pointers and in use; "" where nothing does."""
    if is_on_stack(context, slot) or read_word(context.target, slot) != value:
        return ""
    why = _still_in_use_clause(context, slot) or _container_with_sound_items_clause(
        context, slot, value
    )
    # Another block may be that of a number or text that was given back and in use again.
    behind_head = bool(address_index(context).offset_in_pool_block(slot - WORD))
    if not why and behind_head and find_objects_held_by_containers_alone(context, slot - WORD):
        why = "the words that name its object are all items of containers"
    return why


def _evidence_of_strided_byte_writes(context: Context, slot: int | None) -> Evidence | None:
    """Tell a byte that was written at one distance over much memory, over this word too.

    So does a loop over rows or records that goes on after their end. A field of records, which has
    such distances by nature, is not part of words that would be addresses without it.
    """
    region = None if slot is None else context.target.region_at(slot)
    if slot is None or slot % WORD or region is None or is_on_stack(context, slot):
        return None
    if region.is_file_mapped:  # tables of a library have columns
        return None
    start = max(region.start, slot - STEP_REACH)
    end = min(region.start + region.dumped, slot + STEP_REACH) & -WORD
    memory, at = try_read(context.target, start, end - start), slot - start
    for place in range(at, min(at + WORD, len(memory))):
        byte, word = memory[place], int.from_bytes(memory[at : at + WORD], "little")
        alone = word == byte << 8 * (place - at)  # over a NULL, or what was no pointer
        if byte in (0, 0xFF) or not (alone or _is_address_but_for_byte(context, memory, place)):
            continue
        if untagged_address(context.target, word) is not None:
            continue  # pointers in a table may be marked in their top bits, all alike
        for step in _distances_to_same_byte(memory, place)[:MAX_STEPS]:
            first, last = _ends_of_strided_byte_run(memory, place, step)
            run = range(first, last + 1, step)
            if _is_mostly_pointers(memory, run):
                continue
            wrong = 0
            for each in run[:MAX_IN_STEP] if len(run) >= MIN_IN_STEP else ():
                wrong += _is_address_but_for_byte(context, memory, each)
                if wrong == MIN_WRONG:
                    summary = (
                        f"the word at {slot:#x} was overwritten: from {start + first:#x} on the "
                        f"byte {byte:#04x} stands {len(run)} times, each {step} bytes from the "
                        "last, and without it several words there would be addresses. Code wrote "
                        "it into all of them"
                    )
                    return plain_evidence(ID, slot, summary)
    return None


def _is_mostly_pointers(memory: bytes, run: range) -> bool:
    """Whether most words that a run of bytes goes over are addresses at one distance.

    So are those in a table, and where they lead to memory that is gone they share a byte.
    """
    words = split_into_words(memory[run.start & -WORD : run[-1] | (WORD - 1)][: len(run) * WORD])
    steps = Counter(after - before for before, after in pairwise(words))
    step, number = max(steps.items(), key=itemgetter(1), default=(0, 0))
    return run.step == WORD and step != 0 and number * 2 > len(words)


def _distances_to_same_byte(memory: bytes, place: int) -> list[int]:
    """Return the distances from a place to bytes like that one, ascending."""
    steps, byte = set(), memory[place : place + 1]
    if byte in (memory[place - WORD : place - WORD + 1], memory[place + WORD : place + WORD + 1]):
        return [WORD]
    low, high = max(0, place - MAX_STEP), place + MAX_STEP
    at = memory.find(byte, low, high)
    while at >= 0:
        steps.add(abs(at - place))
        at = memory.find(byte, at + 1, high)
    return sorted(step for step in steps if step >= WORD)


def _ends_of_strided_byte_run(memory: bytes, place: int, step: int) -> tuple[int, int]:
    """Return the first and the last place of a run of equal bytes at one distance."""
    first = last = place
    while first >= step and memory[first - step] == memory[place]:
        first -= step
    while last + step < len(memory) and memory[last + step] == memory[place]:
        last += step
    return first, last


def _is_address_but_for_byte(context: Context, memory: bytes, place: int) -> bool:
    """Whether a word is no address, and one when the byte at a place is another."""
    lane = place % WORD
    word = int.from_bytes(memory[place - lane : place - lane + WORD], "little")
    rest = word & ~(0xFF << 8 * lane)
    if word < NEAR_NULL or rest >> ADDRESS_BITS or context.target.region_at(word) is not None:
        return False
    return any(
        context.target.region_at(rest | other << 8 * lane) is not None for other in range(256)
    )


def _object_with_zeroed_type(context: Context, word: FaultWord) -> tuple[int, int] | None:
    """Return an object in use without a type, and the place of an item that names it; or None.

    Its count is near 0: references were taken or given back since. What was freed is in its pool's
    list of free blocks; what is being made is in no container yet.
    """
    if word.value:
        return None
    read_from = find_read_place(context, word)
    if read_from is not None and read_from.offset == WORD:
        return _container_slot_of_zeroed_object(context, read_from.base)
    if read_from is not None or isinstance(context.site, Absent):
        return None
    at_hand = {context.site.fault.registers.get(name, 0) for name in GENERAL}
    for slot in find_slots_without_object(context, at_hand):
        if read_word(context.target, slot.value + WORD) == 0:
            return _container_slot_of_zeroed_object(context, slot.value)
    return None


def _container_slot_of_zeroed_object(context: Context, address: int) -> tuple[int, int] | None:
    """Return an address, and the place of an item that names it, where an object in use was."""
    index = address_index(context)
    count = signed_word(read_word(context.target, address) or 0)
    within = index.offset_in_pool_block(address)
    zeros = within is None and _stands_in_zeros(context, address)
    in_use = within in HEADS and not index.in_free_block(address)
    if not (zeros or in_use) or abs(count) > MAX_SINCE:
        return None
    if has_another_user(context, address):
        return None
    for place in context.places_of_word(address, MAX_HOLDERS):
        if is_on_stack(context, place) or is_in_free_block(context, place):
            continue
        start = index.offset_in_pool_block(place)
        owner = index.object_with_field(place)
        in_table = start is not None and bool(find_table_owner(context, place, place - start))
        if in_table or (
            owner is not None
            and (
                owner[1] in ("dict", "tuple")
                or (zeros and _is_object_slot_of_instance(context, owner[0], place))
            )
        ):
            return address, place
    slots = find_slots_without_object(context, {address})
    return next(((address, slot.place) for slot in slots), None)


def _stands_in_zeros(context: Context, address: int) -> bool:
    """Whether a run of zeros goes over an address: long for objects, short for fresh memory."""
    region = context.target.region_at(address)
    if region is None:
        return False
    low = max(region.start, address - MAX_CLEARED)
    high = min(region.start + region.dumped, address + MAX_CLEARED)
    before = try_read(context.target, low, address - low).rstrip(b"\0")
    after = try_read(context.target, address, high - address).lstrip(b"\0")
    run = high - low - len(before) - len(after)
    return bool(before and after) and MIN_CLEARED <= run < MAX_CLEARED


def _evidence_of_overwritten_types(context: Context, word: FaultWord) -> Evidence | None:
    """Tell that the types of several objects were overwritten, of one that the fault had at hand.

    Where a function of the type is called the word itself was read from what is no type.
    """
    places = [_only_slot_of_word(context, word)]
    places += [slot for suspect in find_suspects(context) for slot in suspect.slots[:MIN_WRONG]]
    objects = [slot - WORD for slot in places if slot is not None]
    if not isinstance(context.fault, Absent):  # an object, and what was taken for its type
        at_hand = [context.fault.registers.get(name, 0) for name in GENERAL]
        objects += [at for at in at_hand if read_word(context.target, at + WORD) in at_hand]
    whole = _evidence_of_overwritten_type(
        context, [*dict.fromkeys((*objects, *words_at_fault(context)))]
    )
    if whole is not None:
        return whole
    for address in [*dict.fromkeys(objects)][:MAX_TRIED]:
        items = (
            []
            if is_on_stack(context, address)
            else find_objects_held_by_containers_alone(context, address)
        )
        if len(items) >= MIN_WRONG:
            kind = read_word(context.target, address + WORD) or 0
            summary = (
                f"the word at {address + WORD:#x} was overwritten: it should be the type of an "
                f"object that a container still holds, and is {kind:#x}{shape_note(kind)}; "
                f"{len(items) - 1} other objects that containers hold lack their types too"
            )
            return plain_evidence(ID, address + WORD, summary)
    return None


def _evidence_of_overwritten_type(context: Context, values: Sequence[int]) -> Evidence | None:
    """Find an object that is whole except for its type, by the types of neighbouring items."""
    index = address_index(context)
    for address in [value for value in values if _may_lack_a_type(context, value)][
        :MAX_WITHOUT_TYPE
    ]:
        kind = read_word(context.target, address + WORD) or 0
        for place in context.places_of_word(address, MAX_HOLDERS):
            if is_on_stack(context, place) or is_in_free_block(context, place):
                continue
            beside = _objects_named_by_items_beside(context, place)
            right = read_word(context.target, beside[0] + WORD) if beside else None
            if right is None or _is_change_of_one_byte(kind ^ right):
                continue
            if _are_words_like_those_of(context, address, beside):
                wanted = index.object_type(beside[0])
                summary = (
                    f"the word at {address + WORD:#x} was overwritten: it holds {kind:#x}"
                    f"{shape_note(kind)}, which is no type, and all else of the object is what a "
                    f"{wanted} has; "
                    f"{place:#x} names it, amid others of that type"
                )
                return plain_evidence(ID, address + WORD, summary)
    return None


def _may_lack_a_type(context: Context, address: int) -> bool:
    """Whether a block in use has a reference count, and no type after it."""
    index = address_index(context)
    kind = read_word(context.target, address + WORD) or 0
    return (
        0 < (read_word(context.target, address) or 0) < MAX_REFERENCES
        and kind > 0
        and index.offset_in_pool_block(address) in HEADS
        and index.object_type(address) is None
        and not is_in_free_block(context, address)
        and not is_on_stack(context, address)
    )


def _is_change_of_one_byte(changed: int) -> bool:
    """Whether all bits that differ lie in one byte: a flip may have done it."""
    return any(not changed & ~(0xFF << shift) for shift in range(0, WORD_BITS, WORD))


def _objects_named_by_items_beside(context: Context, place: int) -> list[int]:
    """Return the objects that the items on both sides, or on one, refer to, if of one type."""
    index = address_index(context)
    for stride in STRIDES:
        sides = [
            [read_word(context.target, place + n * stride) or 0 for n in numbers]
            for numbers in (range(-BESIDE, 0), range(1, BESIDE + 1))
        ]
        for beside in (sides[0] + sides[1], *sides):
            kinds = {index.object_type(at) for at in beside}
            if len(kinds) == 1 and None not in kinds and len({*beside}) > len(beside) // 2:
                return beside
    return []


def _are_words_like_those_of(context: Context, address: int, others: Sequence[int]) -> bool:
    """Whether each word of an object but its type is of the kind that others of a type have there.

    A pointer to an object, or into it itself, is among them: numbers and text look alike.
    """
    words = _pointee_kinds_of_words(context, address, others[0])
    columns = [_pointee_kinds_of_words(context, other, others[0]) for other in others]
    objects = [kind for kind in words if isinstance(kind, str)]
    return bool(objects) and all(kind in have for kind, *have in zip(words, *columns, strict=True))


def _pointee_kinds_of_words(context: Context, address: int, like: int) -> list[str | int | None]:
    """Return, for each word after an object's type, what it points to, or a small number."""
    index = address_index(context)
    end = index.end_of_items(like) or index.end_of_block(like) or 0
    words: list[str | int | None] = []
    for at in range(2 * WORD, min(end - like, MAX_COMPARED * WORD), WORD):
        word = read_word(context.target, address + at) or 0
        inside = address <= word < address + end - like
        kind = f"its own byte {word - address}" if inside else index.object_type(word)
        words.append(word if word < NEAR_NULL else kind)
    return words


def _container_with_sound_items_clause(context: Context, slot: int, value: int) -> str:
    """Whether a place is one of a container's that frames reach, and others of it are sound."""
    walk = object_walk(context)
    for bad in find_slots_without_object(context, {value}):
        if bad.kind == "list" and not list_length(context, bad.owner):
            continue  # it counts more than it has room for
        if bad.place == slot and not isinstance(walk, Absent):
            others = walk.other_slots_of_container(bad)
            sound = sum(walk.type_name_at(word) != "" for _, word in others)
            if sound >= MIN_SOUND:
                return f"that is a place of the {bad.kind} at {bad.owner:#x}, which is in use"
    return ""


def _evidence_of_field_wrong_in_many(context: Context) -> Iterator[Evidence]:
    """Tell a field that is wrong in several objects of one type: a flip changes one of them.

    The field is one that led to the failed access. In a sound object of the type it holds an
    object of one type; in those that are wrong, what one byte or one bit makes such a pointer.
    """
    for suspect in find_suspects(context):
        if suspect.value < LOW or address_index(context).object_type(suspect.value) is not None:
            continue
        # The field was read a while ago: what is left of it in the frame is a copy.
        slots = dict.fromkeys([*suspect.slots, *context.places_of_word(suspect.value, MAX_HOLDERS)])
        for slot in slots:
            field = None if is_on_stack(context, slot) else _field_and_other_values(context, slot)
            if field is None:
                continue
            kind, offset, values = field
            kinds = [address_index(context).object_type(value) for value in values]
            sound = [name for name in kinds if name is not None]
            wanted = max(sound, key=sound.count, default=None)
            if wanted is None or sound.count(wanted) < MIN_SOUND:
                continue
            # What begins a block may be an object that is gone, and so may memory that was
            # cleared, and what many name in a file's data: nobody wrote into the field.
            wrong = [
                value
                for value in values
                if address_index(context).pointee_at(value) is None
                and not _is_zeroed_object(context, value)
            ]
            region = context.target.region_at(suspect.value)
            if region is not None and region.is_file_mapped and len({*wrong}) == 1:
                continue
            wrong.sort(key=lambda value: value != suspect.value)  # that one has to be among them
            changed = [v for v in wrong[:MAX_WRONG] if _is_nearly_pointer_to(context, v, wanted)]
            if suspect.value in changed and len(changed) >= MIN_WRONG:
                more = "at least " if len(wrong) > MAX_WRONG else ""
                summary = (
                    f"the word {offset} bytes into an object of type {kind} is wrong in {more}"
                    f"{len(changed)} of them: each is one bit or byte off a pointer to an object "
                    f"of type {wanted}, which {sound.count(wanted)} others near them hold. Code "
                    "wrote into all of them"
                )
                yield plain_evidence(ID, slot, summary)
                return


def _is_zeroed_object(context: Context, address: int) -> bool:
    """Whether zeros stand where an object may have been."""
    return address % WORD == 0 and not any(try_read(context.target, address, 2 * WORD) or b"x")


def _field_and_other_values(context: Context, slot: int) -> tuple[str, int, list[int]] | None:
    """Return the type and offset of an object's field, and what objects near by hold there."""
    index = address_index(context)
    owner = index.object_with_field(slot)
    if owner is None or not owner[0] < slot < owner[0] + MEMBERS:
        return None
    address, name = owner
    kind = read_word(context.target, address + WORD)
    values = [
        read_word(context.target, block + head + slot - address)
        for block in index.used_pool_blocks(slot)
        for head in HEADS[:2]
        if read_word(context.target, block + head + WORD) == kind
    ]
    return name, slot - address, [value for value in values if value]


def _is_nearly_pointer_to(context: Context, value: int, kind: str) -> bool:
    """Whether one bit, or the lowest byte, makes a word a pointer to an object of a type."""
    index = address_index(context)
    bits = (value ^ 1 << bit for bit in range(WORD_BITS))
    bytes_ = (value & ~0xFF | byte for byte in range(0, 0x100, WORD))
    return any(index.object_type(near) == kind for near in (*bits, *bytes_))


def _possible_slots_of_word(context: Context, word: FaultWord) -> Sequence[int]:
    """Return where the word was read; where no code tells, all places that hold it.

    One value that was written over several pointers is wrong in each.
    """
    read_from = find_read_place(context, word)
    if read_from is not None:
        return (read_from.slot,)
    if word.value < LOW:
        return ()
    places = context.places_of_word(word.value, MAX_HOLDERS)
    return [place for place in places if not is_on_stack(context, place)][:MAX_COPIES]


def _only_slot_of_word(context: Context, word: FaultWord) -> int | None:
    """Return where the word was read; where no code tells, the only place that holds it."""
    read_from = find_read_place(context, word)
    if read_from is not None:
        return read_from.slot
    return None if word.value < LOW else find_only_place_off_stack(context, word.value, MAX_HOLDERS)


def _still_in_use_clause(context: Context, slot: int) -> str:
    """Say what shows that a place is still what a pointer belongs in; "" where nothing does."""
    if slot % WORD or is_in_free_block(context, slot):
        return ""
    index = address_index(context)
    within = index.offset_in_pool_block(slot)
    if within is not None:
        start = slot - within
        return (
            _collector_list_clause(context, slot, [start + head for head in HEADS[1:]])
            or _object_whole_but_for_slot_clause(context, slot, start)
            or _among_items_clause(context, slot, start)
            or _text_goes_on_clause(context, slot, start)
        )
    if index.in_damaged_pool(slot):  # what is free there is not known, nor where blocks begin
        return _collector_list_clause(context, slot, [slot - WORD])
    chunk = find_malloc_chunk(context, slot)
    pointee = index.pointee_at(chunk[0]) if chunk is not None else None
    clause = text_over_record_clause(context.target, slot)
    if clause or chunk is None or pointee is None or pointee.kind != BLOCK:
        return clause
    member = _pointer_member_at(context, slot)
    return f"that is {member}" if member else _among_items_clause(context, slot, chunk[0])


def _collector_list_clause(context: Context, slot: int, objects: Sequence[int]) -> str:
    """Say that the collector's list leads to the object without a type: it was not freed; else "".

    An object leaves it before its memory is given back (PyObject_GC_UnTrack, 3.8 to 3.13).
    """
    index = address_index(context)
    for address in objects:
        links = address - GC_HEAD  # not where another object begins
        if slot != address + WORD or any(map(index.object_type, (address, links))):
            continue
        for place in context.places_of_word(links, MAX_HOLDERS):
            if place == links or place % (2 * WORD) or index.in_free_block(place):
                continue
            count = read_word(context.target, place + GC_HEAD) or 0  # an address: a row of them
            if index.object_type(place + GC_HEAD) and not context.target.region_at(count):
                return (
                    f"the collector's list still leads from the object at {place + GC_HEAD:#x} to "
                    f"the one at {address:#x}, whose type it should be"
                )
    return ""


def _object_whole_but_for_slot_clause(context: Context, slot: int, start: int) -> str:
    """Whether an object of a type that always has a pointer there is in use at that place."""
    index = address_index(context)
    for head in HEADS:
        name = index.object_type(start + head)
        if name is None or not start + head < slot:
            continue
        owner = start + head
        end = index.end_of_items(owner)
        if end is not None:
            block = index.end_of_block(owner)
            first = owner + (find_member_offset(context, "PyTupleObject", "ob_item") or 0)
            if block is None or not first <= slot < end <= block:  # 3.14 keeps the hash before them
                return ""
            return f"that is the place of an item of the tuple at {owner:#x}"
        if _is_object_slot_of_instance(context, owner, slot):
            return f"that is a field of the object of type {name} at {owner:#x}, which is in use"
        break
    member = _pointer_member_at(context, slot)
    return f"that is {member}" if member else ""


def _pointer_member_at(context: Context, slot: int) -> str:
    """Name the member, a pointer as long as its object lives, that lies at a place; "" for none.

    Of an object that is being given back too: its count is 0 already, and its members come last.
    """
    index = address_index(context)
    start = start_of_block(context, slot)
    if start is None or is_in_free_block(context, slot):
        return ""
    for owner in (start + head for head in HEADS[:3]):
        count, kind = (read_word(context.target, owner + at) or 0 for at in (0, WORD))
        name = index.type_name(kind) if kind and count < MAX_REFERENCES else None
        if name is None or not owner < slot:
            continue
        name = "type" if index.type_name(owner) is not None else name
        struct, members = _FIELDS.get(name, ("", ()))
        named = {find_member_offset(context, struct, member): member for member in members}
        field = named.get(slot - owner) or _BY_OFFSET.get(name, {}).get(slot - owner)
        return f"{field} of the {name} at {owner:#x}" if field else ""
    return ""


def _is_object_slot_of_instance(context: Context, owner: int, slot: int) -> bool:
    """Whether a place is one of those that __slots__, or a class' instances, have for objects."""
    walk = object_walk(context)
    if isinstance(walk, Absent):
        return False
    kind = walk.kinds.type_of_object(owner)
    return kind.category == INSTANCE and any(
        owner + start <= slot < owner + start + WORD * count
        for start, count in walk.kinds.reference_slots_of_class(kind.address)
    )


def _among_items_clause(context: Context, slot: int, start: int) -> str:
    owner = find_table_owner(context, slot, start)
    return f"it lies among the items of the {owner[0]} at {owner[1]:#x}" if owner else ""


def _text_goes_on_clause(context: Context, slot: int, start: int) -> str:
    """Whether one run of text or of one number goes over the start of a block, up to a place."""
    words = [read_word(context.target, at) for at in range(start - 2 * WORD, slot + WORD, WORD)]
    if len(words) > 16 or any(word is None for word in words):
        return ""
    if all(ascii_text_shape(word or 0) is not None for word in words):
        return f"text runs from the block before over the start of this one, {start:#x}"
    # Buffers side by side hold one value too, and somebody names where each begins.
    if len(set(words)) == 1 and (words[0] == WORD_MASK or not has_another_user(context, start)):
        return f"that value runs from the block before over the start of this one, {start:#x}"
    return ""
