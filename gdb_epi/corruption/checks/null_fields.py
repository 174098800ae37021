# SPDX-License-Identifier: Apache-2.0
"""R18: a field that is NULL in other objects of its type holds one bit, and was used as a pointer.

NULL with one bit flipped is a number, 2^n. Software makes such numbers too, but puts them where
numbers belong: a field in which no other object of the type has one is a place of pointers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, word_evidence
from gdb_epi.corruption.heap.address_index import HEADS, AddressIndex, address_index
from gdb_epi.corruption.heap.memory_readers import collect_fault_values, is_on_stack
from gdb_epi.corruption.heap.objects_of_type import find_others_of_type
from gdb_epi.corruption.pointers.read_place import find_cleared_place, find_read_place
from gdb_epi.corruption.pointers.small_changes import is_single_bit
from gdb_epi.corruption.pointers.suspect_words import FaultWord, find_fault_words
from gdb_epi.corruption.registry import check
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.sizes import PAGE, WORD
from gdb_epi.typing_lite import NamedTuple

MIN_NULL = 3  # other objects in which the field is NULL
MIN_OTHERS = 8  # of which the field must be NULL, where memory does not say which place was read
MAX_PLACES = 8  # words that hold the number
MIN_SEARCHED = 1 << 20  # smaller numbers stand everywhere
MAX_FIELD = 512  # bytes of an object that are compared
MAX_AT_HAND = 128  # bytes of an object that are searched for a small number
OF_CTYPES = "_ctypes."  # types of its classes: what those hold is what the program puts there


class _Field(NamedTuple):
    """A field of an object: of what type that is, and the same fields of others."""

    place: int
    start: int
    kind: int
    type_name: str
    others: Sequence[int]


@check(
    "R18-null",
    costly=True,
    needs="python",
    order=56,
    innocent_causes=(
        "a number that was taken for a pointer: said only of a field of which no other object of "
        "the type has a number, and of an object whose other fields are as theirs, for a write of "
        "several words changes several. Not of objects of ctypes, which hold what the program puts "
        "there. A store of 2^n through a stray pointer leaves the same word."
    ),
)
def null_with_one_bit(context: Context) -> Iterator[Evidence]:
    """Look for the field from which a number with one bit was read, and compare those of others."""
    word = next(iter(find_fault_words(context)), None)
    if word is None or not is_single_bit(word.value):
        return
    read_from = find_read_place(context, word)
    place = find_cleared_place(context, word) if read_from is None else read_from.slot
    places, least = (_places(context, word), MIN_OTHERS) if place is None else ([place], MIN_NULL)
    fields = [field for place in places if (field := _field_at(context, place)) is not None]
    wrong = [field for field in fields if _is_null_elsewhere(context, field, least)]
    if len(wrong) != 1:
        return
    field = wrong[0]
    offset = field.place - field.start
    nulls = sum(read_word(context.target, other + offset) == 0 for other in field.others)
    is_there = read_word(context.target, field.place) == word.value
    summary = (
        f"the word {offset} bytes into the {field.type_name} at {field.start:#x} "
        f"{'holds' if is_there else 'held'} {word.value:#x}, one bit from NULL, and was used as a "
        f"pointer; {nulls} other objects of that type have NULL there, and none a number"
    )
    yield word_evidence("R18:null", field.place, word.value, 0, summary)


def _places(context: Context, word: FaultWord) -> list[int]:
    """Return the places that a number may have been read from: in objects that were at hand.

    Where none has it, all words of memory that hold it; none of a small one, or of many.
    """
    objects = filter(address_index(context).begins_block, collect_fault_values(context))
    places = {
        at
        for start in objects
        for at in range(start + 2 * WORD, start + MAX_AT_HAND, WORD)
        if read_word(context.target, at) == word.value
    }
    if not places and word.value >= MIN_SEARCHED:
        everywhere = context.places_of(word.value, MAX_PLACES)
        places = {*everywhere} if len(everywhere) < MAX_PLACES else set()
    return sorted(place for place in places if not is_on_stack(context, place))


def _field_at(context: Context, place: int) -> _Field | None:
    """Return the field that a place is, of an object in use or one that is being freed."""
    index = address_index(context)
    bounds = index.bounds_of_block(place)
    if bounds is None or place % WORD:
        return None
    for head in HEADS:
        start = bounds[0] + head
        kind = read_word(context.target, start + WORD) or 0
        type_name = index.type_name(kind) if kind >= PAGE else None
        if type_name is None or not 2 * WORD <= place - start < MAX_FIELD:
            continue
        metatype = index.type_name(read_word(context.target, kind + WORD) or 0) or ""
        if index.object_type(kind) is None or metatype.startswith(OF_CTYPES):
            return None
        others = find_others_of_type(context, start, kind)
        shape = bounds[0] - start, bounds[1] - start
        alive = [at for at in others if at != start and _is_object(index, at, shape)]
        return _Field(place, start, kind, type_name, alive)
    return None


def _is_object(index: AddressIndex, address: int, shape: tuple[int, int]) -> bool:
    """Whether an object in use lies in a block of that shape: words in tables name its type too."""
    start, end = index.bounds_of_block(address) or (0, 0)
    in_place = shape == (start - address, end - address) and not index.in_free_block(address)
    return in_place and index.references(address) is not None


def _is_null_elsewhere(context: Context, field: _Field, least: int) -> bool:
    """Whether a field is a pointer or NULL in all others, and all of this object's others too."""
    end = address_index(context).end_of_block(field.start) or 0
    wrong = []
    for place in range(field.start + 2 * WORD, min(end, field.start + MAX_FIELD), WORD):
        words = [read_word(context.target, at + place - field.start) for at in field.others]
        mine = read_word(context.target, place)
        plain = bool(words) and all(not word or _is_address(context, word) for word in words)
        if place == field.place:
            if not plain or words.count(0) < least:
                return False
            wrong.append(place)
        elif plain and mine and not _is_address(context, mine):
            wrong.append(place)
    return wrong == [field.place]


def _is_address(context: Context, word: int) -> bool:
    return context.target.region_at(word) is not None
