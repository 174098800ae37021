# SPDX-License-Identifier: Apache-2.0
"""R18: a field of an object holds what it holds in no other object of the type; one bit away fits.

What C code defines the fields of is not known, but objects of one type are alike. Where all others
have an object, or NULL, there is a place of pointers. NULL with one bit flipped is a number, 2^n:
software makes such numbers too, but puts them where numbers belong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.evidence import Evidence, word_evidence
from gdb_epi.corruption.heap.address_descriptions import start_of_block
from gdb_epi.corruption.heap.address_index import (
    FUNCTION,
    HEADS,
    OBJECT,
    AddressIndex,
    address_index,
    find_others_of_type,
    find_others_of_type_in_pool,
)
from gdb_epi.corruption.heap.cpython_fields import is_extension_object, type_that_may_mark
from gdb_epi.corruption.heap.item_tables import find_member_offset
from gdb_epi.corruption.heap.never_mapped import was_never_mapped
from gdb_epi.corruption.heap.object_references import (
    can_software_have_written_word,
    has_lost_reference,
    lacks_one_holder,
    may_be_freed_object,
    may_be_unmapped_object,
)
from gdb_epi.corruption.heap.object_types import INSTANCE, SUBCLASS
from gdb_epi.corruption.heap.object_walk import object_walk
from gdb_epi.corruption.heap.readers import is_on_stack, read_words, shared_reader, words_at_fault
from gdb_epi.corruption.pointers.read_place import find_cleared_place, find_read_place
from gdb_epi.corruption.pointers.small_changes import has_one_bit_set
from gdb_epi.corruption.pointers.suspects import FaultWord, find_fault_words, find_suspects
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.objects.str_layout import str_object_layout
from gdb_epi.errors import Absent
from gdb_epi.fault.mapping_checks import NEAR_NULL, may_execute
from gdb_epi.fault.memory_reads import read_u32, read_word
from gdb_epi.sizes import ADDRESS_BITS, PAGE, WORD
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import add_article

MIN_NULL = 3  # other objects in which the field is NULL
MIN_OTHERS = 8  # of which the field must be NULL, where memory does not say which place was read
MAX_PLACES = 8  # words that hold the number
MIN_SEARCHED = 1 << 20  # smaller numbers stand everywhere
MAX_FIELD = 512  # bytes of an object that are compared
MAX_AT_HAND = 128  # bytes of an object that are searched for a small number
MAX_NEAR = 128  # objects: of 254 crashes by a flipped bit as many were told as of 600
MAX_TYPES = 24  # whose other objects memory is searched for
MAX_FIELDS = 1024  # bytes of an object that are fields of its own
MAX_COUNT = 1 << 20  # references of an object
MIN_NAMED = 4  # other objects that name one in a field
MIN_ALIKE = 2  # of them, that name the very same
ITEMS = ("dict", "list", "set", "frozenset", "tuple")  # R15 looks at what they name
PLAIN = ("str", "bytes", "int", "float", "complex", "bool")  # that name no objects
OF_CTYPES = "_ctypes."  # types of its classes: what those hold is what the program puts there


class _FieldAndItsLike(NamedTuple):
    """A field of an object: of what type that is, and the same fields of others.

    `is_pointer`: CPython has a pointer or NULL there, whatever the object.
    """

    place: int
    start: int
    kind: int
    type_name: str
    others: Sequence[int]
    is_pointer: bool


@check("R18-null", costly=True, needs="python", order=56)
def null_with_one_bit(context: Context) -> Iterator[Evidence]:
    """Look for the field from which a number with one bit was read, and compare those of others.

    Innocent causes: a number that was taken for a pointer: said only of a field of which no other
    object of the type has a number, and of an object whose other fields are as theirs, for a write
    of several words changes several. Not of objects of ctypes, which hold what the program puts
    there; nor, of an extension's, of a number that C code writes: a flag, a count, a mark for
    "deleted". Where CPython has an object's dict or weak references, the values of a dict, or a
    text of a str, no others are needed. A store of 2^n through a stray pointer leaves the same
    word.
    """
    for word in find_fault_words(context):
        wrong = (
            _fields_that_are_null_elsewhere(context, word) if has_one_bit_set(word.value) else []
        )
        if len(wrong) == 1:
            yield _evidence_of_flipped_null(context, wrong[0], word.value)
            return


def _fields_that_are_null_elsewhere(context: Context, word: FaultWord) -> list[_FieldAndItsLike]:
    """Return the fields that a number was read from, or may have been, and that are NULL elsewhere.

    Where memory does not say which place was read, one that was not at hand itself may hold
    numbers: not where another object has an address there, nor a number that is seldom.
    """
    read_from = find_read_place(context, word)
    place = find_cleared_place(context, word) if read_from is None else read_from.slot
    if place is not None:
        field = _field_at(context, place)
        if field is None or _is_number_of_extension(context, field, word.value):
            return []
        return [field] if _is_null_elsewhere(context, field, MIN_NULL) else []
    at_hand = _fields_holding(context, word.value, words_at_fault(context))
    fields = map(partial(_field_at, context), at_hand or _possible_fields(context, word))
    return [
        field
        for field in fields
        if field is not None
        and not _is_number_of_extension(context, field, word.value)
        and _is_null_elsewhere(context, field, MIN_OTHERS)
        and (
            at_hand
            or field.is_pointer
            or word.value >= MIN_SEARCHED
            or _is_pointer_elsewhere(context, field)
        )
    ]


def _is_number_of_extension(context: Context, field: _FieldAndItsLike, value: int) -> bool:
    """Whether 2^n in an extension's object is a small number of it, of 8, 16, 32 or 64 bits.

    Also where its type says that CPython has a pointer there (tp_dictoffset).
    """
    bit = value.bit_length() - 1
    small = bit % 32 < 16 or bit % 8 < 3  # a number below 2^16, a byte of 1, 2 or 4
    return small and is_extension_object(context, field.start, field.type_name)


def _evidence_of_flipped_null(context: Context, field: _FieldAndItsLike, value: int) -> Evidence:
    offset = field.place - field.start
    nulls = sum(read_word(context.target, other + offset) == 0 for other in field.others)
    others = f"{nulls} other objects of that type have NULL there, and none a number"
    if field.is_pointer:
        others = "CPython has an address or NULL there"
    is_there = read_word(context.target, field.place) == value
    summary = (
        f"the word {offset} bytes into the {field.type_name} at {field.start:#x} "
        f"{'holds' if is_there else 'held'} {value:#x}, one bit from NULL, and was used as a "
        f"pointer; {others}"
    )
    is_extensions = is_extension_object(context, field.start, field.type_name)
    marks = field.type_name if is_extensions else None
    return word_evidence("R18:null", field.place, value, 0, summary, marks=marks)


def _possible_fields(context: Context, word: FaultWord) -> list[int]:
    """Return the places that a number may have been read from: in objects near the fault.

    Where none has it, all words of memory that hold it; none of a small one, or of many.
    """
    # Numbers below a page stand everywhere.
    places = (
        _fields_holding(context, word.value, _objects_near_fault(context))
        if word.value >= PAGE
        else []
    )
    if not places and word.value >= MIN_SEARCHED:
        everywhere = context.places_of_word(word.value, MAX_PLACES)
        places = sorted({*everywhere}) if len(everywhere) < MAX_PLACES else []
    return [place for place in places if not is_on_stack(context, place)]


def _fields_holding(context: Context, value: int, addresses: Sequence[int]) -> list[int]:
    """Return the places that hold a word in the first bytes of objects at some addresses."""
    places = {
        at
        for start in filter(address_index(context).may_begin_object, addresses)
        for at in range(start + 2 * WORD, start + MAX_AT_HAND, WORD)
        if read_word(context.target, at) == value
    }
    return sorted(place for place in places if not is_on_stack(context, place))


def _field_at(context: Context, place: int) -> _FieldAndItsLike | None:
    """Return the field that a place is, of an object in use or one that is being freed."""
    index = address_index(context)
    bounds = index.bounds_of_block(place)
    if bounds is None or place % WORD or index.in_free_block(place):
        return None
    for head in HEADS:
        start = bounds[0] + head
        kind = read_word(context.target, start + WORD) or 0
        type_name = index.type_name(kind) if kind >= PAGE else None
        if type_name is None or not 2 * WORD <= place - start < MAX_FIELD:
            continue
        if index.object_type(kind) is None or _is_ctypes_class(context, kind):
            return None
        others = find_others_of_type(context, start, kind)
        own = place - start < _basic_size(context, kind)  # no item: the size does not matter
        shape = bounds[0] - start, 0 if own else bounds[1] - start
        alive = [at for at in others if at != start and _is_object_of_shape(index, at, shape)]
        is_pointer = place - start in _pointer_fields_by_type(context, start, kind)
        return _FieldAndItsLike(place, start, kind, type_name, alive, is_pointer)
    return None


def _pointer_fields_by_type(context: Context, start: int, kind: int) -> set[int]:
    """Return where an object has addresses or NULL, by what CPython says of it or its type.

    Its dict and weak references, a dict's values, forms of a str's text.
    """
    python, target = context.state.python, context.target
    if isinstance(python, Absent):
        return set()
    layout = python.layout
    members = [layout.offset("PyTypeObject", f"tp_{m}offset") for m in ("dict", "weaklist")]
    offsets = {read_word(target, kind + at) or 0 for at in members if at is not None}
    name = address_index(context).type_name(kind)
    flags_at = layout.offset("PyTypeObject", "tp_flags")
    flags = read_word(target, kind + flags_at) or 0 if flags_at is not None else 0
    if flags & SUBCLASS["dict"]:
        offsets.add(layout.offset("PyDictObject", "ma_values") or 0)
    text = str_object_layout(layout, kind) if name == "str" else None
    if text is not None:
        state = read_u32(target, start + text.state_at) or 0
        characters, _ = text.kinds.get(state & text.state_mask, (0, 0))
        forms = (("PyASCIIObject", "wstr"), ("PyCompactUnicodeObject", "utf8"))
        offsets |= {at for form in forms if (at := layout.offset(*form) or 0) < characters}
    return offsets


def _is_object_of_shape(index: AddressIndex, address: int, shape: tuple[int, int]) -> bool:
    """Whether an object in use lies in a block of that shape: words in tables name its type too.

    A shape without an end is that of blocks of all sizes.
    """
    start, end = index.bounds_of_block(address) or (0, 0)
    in_place = shape in ((start - address, end - address), (start - address, 0))
    in_place = in_place and not index.in_free_block(address)
    return in_place and index.reference_count(address) is not None


def _is_null_elsewhere(context: Context, field: _FieldAndItsLike, least: int) -> bool:
    """Whether a field is a pointer or NULL in all others, and all of this object's others too.

    At least `least` others have NULL there; none need where CPython always has a pointer.
    """
    end = address_index(context).end_of_block(field.start) or 0
    own = field.start + _basic_size(context, field.kind)
    end = min(end, own if field.place < own else field.start + MAX_FIELD)
    wrong = []
    for place in range(field.start + 2 * WORD, end, WORD):
        words = [read_word(context.target, at + place - field.start) for at in field.others]
        mine = read_word(context.target, place)
        plain = bool(words) and all(not word or _is_mapped_address(context, word) for word in words)
        if place == field.place:
            if not field.is_pointer and (not plain or words.count(0) < least):
                return False
            wrong.append(place)
        elif plain and mine and not _is_mapped_address(context, mine):
            wrong.append(place)
    return wrong == [field.place]


def _is_pointer_elsewhere(context: Context, field: _FieldAndItsLike) -> bool:
    """Whether the field is no number: another object has an address there."""
    return any(read_word(context.target, at + field.place - field.start) for at in field.others)


def _is_mapped_address(context: Context, word: int) -> bool:
    return context.target.region_at(word) is not None


@check("R18-odd", costly=True, needs="python", order=57)
def fields_one_bit_off_those_of_others(context: Context) -> Iterator[Evidence]:
    """Compare what objects near the fault name with what others of their types name there.

    Near are those in registers and on the stack, those that hold a suspected word, what all these
    name, and what the frames reach first.

    Innocent causes: an object that was freed while the field still names it, whatever has its
    memory now: then the object one bit away misses no reference. Fields that hold pointers in some
    objects and numbers in others: all others of the type must have an object there, or NULL. An
    object that was overwritten: its other fields must be as theirs. Not of objects of ctypes. A
    store over a part of the word, or a count that was raised there.
    """
    index, others = address_index(context), FieldsOfOtherObjects(context)
    for start in _objects_near_fault(context):
        kind = read_word(context.target, start + WORD) or 0
        for place, held in others.doubtful_fields(start, kind):
            right = others.object_field_should_name(start, kind, place, held)
            if right is None or is_on_stack(context, place):
                continue
            name, meant = index.type_name(kind), index.object_type(right) or "function of C"
            summary = (
                f"the word {place - start} bytes into the {name} at {start:#x} holds {held:#018x}; "
                f"one bit away, at {right:#018x}, is {add_article(meant)}, as other objects of "
                "that type have there"
            )
            marks = type_that_may_mark(context, place, (held ^ right).bit_length() - 1)
            yield word_evidence("R18", place, held, right, summary, object_type=name, marks=marks)
            return


class FieldsOfOtherObjects:
    """What other objects of some types name in their fields: memory is searched once a type."""

    def __init__(self, context: Context) -> None:
        self._context, self._index = context, address_index(context)
        self._reader = shared_reader(context)
        self._types: set[int] = set()  # whose other objects memory was searched for
        self._others: tuple[int, list[int]] = (0, [])  # of the object that was asked of last
        self._of_other_things: set[tuple[int, int]] = set()  # type, offset

    def doubtful_fields(self, start: int, kind: int) -> Iterator[tuple[int, int]]:
        """Yield place and word of the fields that name no object, where objects beside do."""
        context, index = self._context, self._index
        name, size = index.type_name(kind), _basic_size(context, kind)
        if name in (*ITEMS, *PLAIN) or _is_ctypes_class(context, kind):
            return
        if _offset_in_block(context, start) is None:
            return
        beside: list[int] | None = None
        words = read_words(context, start, size // WORD)
        for number, held in enumerate(words[2:], 2):
            at = number * WORD
            if held < NEAR_NULL or (held >> ADDRESS_BITS).bit_count() > 1:
                continue
            if (kind, at) in self._of_other_things or self._type_name_at(held):
                continue
            if beside is None:
                beside = self._addresses_of_objects_in_use(
                    find_others_of_type_in_pool(context, start, kind), start
                )
            if self._objects_named_by_others(beside, kind, at) is not None:
                yield start + at, held

    def object_field_should_name(self, start: int, kind: int, place: int, held: int) -> int | None:
        """Return the object that a field should name, by what it names in others; None for none.

        All other fields of the object must be as theirs.
        """
        context = self._context
        near = self._index.objects_one_bit_off(held) + self._functions_one_bit_off(held)
        if not near:
            return None
        if kind not in self._types and len(self._types) == MAX_TYPES:
            return None
        self._types.add(kind)
        if self._others[0] != start:
            self._others = (
                start,
                self._addresses_of_objects_in_use(find_others_of_type(context, start, kind), start),
            )
        others = self._others[1]
        words = self._objects_named_by_others(others, kind, place - start)
        if words is None or len(words) < MIN_NAMED:
            return None
        kinds = {*map(self._type_name_at, words)}
        right = [
            flip
            for flip in near
            if self._type_name_at(flip) in kinds
            and not can_software_have_written_word(context, place, held, flip)
            and _did_field_name_object(context, held, flip, words)
        ]
        right = [flip for flip in right if words.count(flip) >= MIN_ALIKE] or right
        if len(right) != 1:
            return None
        for at in range(2 * WORD, _basic_size(context, kind), WORD):
            mine = read_word(context.target, start + at)
            if mine and start + at != place and not self._type_name_at(mine):
                named = self._objects_named_by_others(others, kind, at)
                if named is not None and len(named) >= MIN_NAMED:
                    return None  # more than one field is wrong: it was overwritten
        return right[0]

    def _functions_one_bit_off(self, word: int) -> list[int]:
        near = self._index.mapped_one_bit_off(word) if word < 1 << ADDRESS_BITS else []
        return [flip for flip, region in near if may_execute(region) and self._type_name_at(flip)]

    def _type_name_at(self, address: int) -> str:
        """Return the type of the object that begins at an address, FUNCTION of code; else ""."""
        pointee = self._index.pointee_at(address)
        if pointee is None or pointee.kind not in (OBJECT, FUNCTION):
            return ""
        return pointee.name if pointee.kind == OBJECT else FUNCTION

    def _addresses_of_objects_in_use(self, addresses: Sequence[int], start: int) -> list[int]:
        shape, counts = _offset_in_block(self._context, start), self._reader.words(addresses)
        return [
            address
            for address, count in zip(addresses, counts, strict=True)
            if address != start
            and count < MAX_COUNT
            and self._index.object_type(address) is not None
            and _offset_in_block(self._context, address) == shape
        ]

    def _objects_named_by_others(
        self, others: Sequence[int], kind: int, at: int
    ) -> list[int] | None:
        """Return the objects or functions that others name in a field; None where one does not."""
        words = [word for word in self._reader.words([other + at for other in others]) if word]
        if not all(map(self._type_name_at, words)):
            self._of_other_things.add((kind, at))
            return None
        return words


@once_per_run
def _objects_near_fault(context: Context) -> list[int]:
    """Return the objects that the fault may have had to do with, each once."""
    index, target = address_index(context), context.target

    def may_be_object(address: int) -> bool:
        return (
            address >= PAGE
            and not address % WORD
            and (_is_object_in_use(context, address) or _is_object_being_freed(context, address))
        )

    near = dict.fromkeys(filter(may_be_object, words_at_fault(context)))
    places = [at for suspect in find_suspects(context) for at in suspect.slots]
    blocks = [start_of_block(context, at) for at in places if not is_on_stack(context, at)]
    owners = (start + head for start in blocks if start is not None for head in HEADS)
    near.update(dict.fromkeys(filter(may_be_object, owners)))
    for start in [*near]:
        end = min(index.end_of_block(start) or start, start + MAX_AT_HAND)
        held = (read_word(target, at) or 0 for at in range(start + 2 * WORD, end, WORD))
        near.update(dict.fromkeys(filter(may_be_object, held)))
    walk = object_walk(context)
    if not isinstance(walk, Absent):
        near.update(dict.fromkeys(filter(may_be_object, (at for at, _ in walk.visited[:MAX_NEAR]))))
    return [*near][:MAX_NEAR]


def _is_object_in_use(context: Context, address: int) -> bool:
    """Whether an object begins there, by a count that is one: tables hold types beside pointers."""
    if address_index(context).object_type(address) is None:
        return False
    return (read_word(context.target, address) or 0) < MAX_COUNT


def _is_object_being_freed(context: Context, address: int) -> bool:
    """Whether an object has no references left, and its block is in use still."""
    index = address_index(context)
    if read_word(context.target, address) != 0 or index.in_free_block(address):
        return False
    kind = read_word(context.target, address + WORD) or 0
    return index.may_begin_object(address) and index.object_type(kind) is not None


def _is_ctypes_class(context: Context, kind: int) -> bool:
    """Whether a type is one of ctypes' classes, by the type of that type."""
    metatype = read_word(context.target, kind + WORD) or 0
    return (address_index(context).type_name(metatype) or "").startswith(OF_CTYPES)


def _basic_size(context: Context, kind: int) -> int:
    """Return how many bytes the fields of a type's objects take, or the first of them."""
    at = find_member_offset(context, "PyTypeObject", "tp_basicsize")
    size = read_word(context.target, kind + at) if at is not None else None
    return min(size or 0, MAX_FIELDS)


@once_per_run
def _offset_in_block(context: Context, start: int) -> int | None:
    """Return how far the block of an object begins before it; None of an object of a file.

    0 in a block of malloc's: types have more room there than those of files.
    """
    bounds = address_index(context).bounds_of_block(start)
    if bounds is not None:
        return bounds[0] - start
    region = context.target.region_at(start)
    return None if region is None or region.is_file_mapped else 0


def _did_field_name_object(context: Context, held: int, right: int, words: Sequence[int]) -> bool:
    """Whether a field named an object: that misses a reference, or the word can be no stale one.

    A stale one leads to where an object can have begun, as the object one bit away does in its own
    block. Str and functions that lack a reference are then met by chance (_is_told() in R15).
    """
    pointee = address_index(context).pointee_at(right)
    if words.count(right) >= MIN_ALIKE:
        return True
    if pointee is None or pointee.kind == FUNCTION:
        return False  # functions of a type's objects are shared
    if was_never_mapped(context, held):
        return True
    if not may_be_freed_object(context, held, right) and not may_be_unmapped_object(context, held):
        return True
    if has_lost_reference(context, right, held):
        index = address_index(context)
        walk = object_walk(context)
        own_class = (
            not isinstance(walk, Absent) and walk.kinds.type_of_object(right).category == INSTANCE
        )
        own_class = own_class or index.object_type(right) in ("list", "dict", "tuple")
        return own_class or not _may_like_object_have_begun(context, held, right)
    return not _may_like_object_have_begun(context, held, right) and lacks_one_holder(
        context, right
    )


def _may_like_object_have_begun(context: Context, held: int, right: int) -> bool:
    """Whether an object like one may have begun at an address, by the blocks that are there."""
    index = address_index(context)
    return index.offset_in_pool_block(held) in (None, index.offset_in_pool_block(right))
