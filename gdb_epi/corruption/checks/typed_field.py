# SPDX-License-Identifier: Apache-2.0
"""R18: a field of CPython's own points at nothing of its type; one bit away is one that fits.

`Fields` knows the fields of CPython's structs whose contents are known (objects of one type, names,
tables) and tests whether a word can be what one of them holds. Reference:
Include/cpython/funcobject.h, code.h and object.h, Include/descrobject.h, Objects/dictobject.c,
Objects/listobject.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.evidence import Evidence, NotChecked, plain_evidence, require, word_evidence
from gdb_epi.corruption.heap.address_descriptions import start_of_block
from gdb_epi.corruption.heap.address_index import (
    BLOCK,
    HEADS,
    AddressIndex,
    address_index,
    find_others_of_type,
    find_others_of_type_in_pool,
)
from gdb_epi.corruption.heap.never_mapped import was_never_mapped
from gdb_epi.corruption.heap.object_references import (
    FAR_BIT,
    are_references_accounted_for,
    can_software_have_written_word,
    has_lost_reference,
    may_be_freed_object,
    may_be_unmapped_object,
)
from gdb_epi.corruption.heap.object_types import TYPE, ObjectTypes
from gdb_epi.corruption.heap.object_walk import FRAME, ObjectWalk, object_walk
from gdb_epi.corruption.heap.readers import is_on_stack, words_at_fault
from gdb_epi.corruption.pointers.read_place import find_read_place
from gdb_epi.corruption.pointers.suspects import find_fault_words, find_suspects
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.score import is_sign_of_overwriting
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader, StructWords, make_struct_words
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.mapping_checks import NEAR_NULL, may_execute
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.fault.word_shapes import shape_note
from gdb_epi.sizes import WORD
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import add_article, memoized

Fits = Callable[[int], bool]
MAX_LOG2 = 40
MAX_NAME = 256
FIRST_ITEMS = 8  # of a list that are looked at
MAX_ALLOCATED = 1 << 32
MIN_ENTRIES, MAX_ENTRIES = 6, 1 << 16  # of a table that is known by what it holds

# Members and the built-in type of the objects that they hold; NULL is allowed everywhere.
_TYPED = {
    "function": (
        "PyFunctionObject",
        {
            "func_code": "code", "func_globals": "dict", "func_builtins": "dict",
            "func_name": "str", "func_qualname": "str", "func_defaults": "tuple",
            "func_kwdefaults": "dict", "func_closure": "tuple",
        },
    ),
    "code": (
        "PyCodeObject",
        {
            "co_consts": "tuple", "co_names": "tuple", "co_localsplusnames": "tuple",
            "co_varnames": "tuple", "co_freevars": "tuple", "co_cellvars": "tuple",
            "co_filename": "str", "co_name": "str", "co_qualname": "str", "co_code": "bytes",
            "co_linetable": "bytes", "co_lnotab": "bytes", "co_exceptiontable": "bytes",
            "co_localspluskinds": "bytes",
        },
    ),
    TYPE: (
        "PyTypeObject",
        {"tp_dict": "dict", "tp_mro": "tuple", "tp_bases": "tuple", "tp_base": TYPE},
    ),
}  # fmt: skip
_FRAME = {"f_globals": "dict", "f_builtins": "dict"}
_DESCRIPTORS = {
    "method_descriptor": ("PyMethodDescrObject", "d_method"),
    "classmethod_descriptor": ("PyMethodDescrObject", "d_method"),
    # PyGetSetDescrObject and PyWrapperDescrObject are the same: a pointer after PyDescr_COMMON
    # (Include/cpython/descrobject.h), to a struct that begins with its name.
    "member_descriptor": ("PyMemberDescrObject", "d_member"),
    "getset_descriptor": ("PyMemberDescrObject", "d_member"),
    "wrapper_descriptor": ("PyMemberDescrObject", "d_member"),
}
_MORE = frozenset({"dict", "list", *_DESCRIPTORS})  # whose fields are others for each object
BITS = range(64)
MAX_BAD = 16  # objects with a wrong field; more are an overwrite
MAX_ALIKE = 64  # words that are looked at
MIN_ALIKE = 2  # other objects with the right word in that field
MAX_HELD = 8  # words that hold a candidate, of those that are counted
MIN_BESIDE = 3  # objects of a type that hold one pointer in a field
MAX_TYPES, MAX_FIELDS = 4, 32  # of objects that the fault had at hand; words of one
DESCRIBED = 4  # words of what a pointer leads to


class TypedField(NamedTuple):
    """A word of an object: `fits` tells whether a value may be what it holds.

    `what` says what that is. `shared`: objects that others hold too, which are counted. `sure`:
    more that is true of a right value; with `own` it is true of no other than this object's.
    `exact`: that is so of a value of which this is true.
    """

    name: str
    offset: int
    what: str
    fits: Fits
    shared: bool = True
    sure: Fits | None = None
    own: bool = False
    exact: Fits | None = None


class TypedFields:
    """The fields of objects, by the category of the object; made once for each category."""

    def __init__(self, reader: MemoryReader, kinds: ObjectTypes, index: AddressIndex) -> None:
        self._reader, self._kinds, self._index = reader, kinds, index
        self._layout: Layout = reader.layout
        self._objects = NamespaceReader(reader)
        self._types = {
            category: self._members_and_types(*typed) for category, typed in _TYPED.items()
        }

    def _members_and_types(
        self, struct: str, members: dict[str, str]
    ) -> tuple[StructWords, tuple[str, ...]]:
        """Return where typed members are, and what they hold."""
        offsets = ((self._layout.offset(struct, name), kind) for name, kind in members.items())
        members_by_offset = sorted((offset, kind) for offset, kind in offsets if offset is not None)
        return make_struct_words(offset for offset, _ in members_by_offset), tuple(
            kind for _, kind in members_by_offset
        )

    def doubtful_objects(self, objects: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Yield the (address, category) whose fields are not clearly right at once, in order."""
        right: dict[tuple[object, ...], bool] = {}  # few: the same members are NULL
        for address, category in objects:
            if category not in self._types:
                if category in _MORE:
                    yield address, category
                continue
            members, kinds = self._types[category]
            names = kinds, self._kinds.type_names_of(self._reader.struct_words(address, members))
            if names not in right:
                held = zip(names[1], kinds, strict=True)
                right[names] = all(name in (0, kind) for name, kind in held)
            if not right[names]:
                yield address, category

    def fields_of_object(self, address: int, category: str) -> tuple[TypedField, ...]:
        """Return the fields of one object; empty for a category without any."""
        if category in _DESCRIPTORS:
            return self._descriptor_fields(address, category)
        if category == "dict":
            return self._dict_fields(address)
        if category == "list":
            return self._list_fields(address)
        if category == "function":
            return self._function_fields(address)
        return self._fields_of_category(category)

    @memoized
    def _fields_of_category(self, category: str) -> tuple[TypedField, ...]:
        return self._typed_fields(*_TYPED.get(category, ("", {})))

    def fields_of_frames(self) -> tuple[TypedField, ...]:
        """Return the fields of Python frames that nothing but their type is known of."""
        if self._layout.offset("_PyInterpreterFrame", "f_globals") is not None:
            return self._typed_fields("_PyInterpreterFrame", _FRAME)
        return self._typed_fields("PyFrameObject", {**_FRAME, "f_code": "code"})

    def _typed_fields(self, struct: str, members: dict[str, str]) -> tuple[TypedField, ...]:
        fields = []
        for name, kind in members.items():
            offset = self._layout.offset(struct, name)
            if offset is not None:
                fields.append(
                    TypedField(name, offset, add_article(kind), self._test_for_type(kind))
                )
        return tuple(fields)

    def _test_for_type(self, kind: str) -> Fits:
        return lambda value: self._kinds.is_instance_of(value, kind)

    # -- descriptors ------------------------------------------------------------------------

    def _descriptor_fields(self, address: int, category: str) -> tuple[TypedField, ...]:
        """d_method and the like lead to a struct whose first word is the name, as d_name is."""
        struct, member = _DESCRIPTORS[category]
        common = {"d_common.d_type": TYPE, "d_common.d_name": "str"}
        fields = self._typed_fields(struct, common)
        offset = self._layout.require(struct, member)
        try:
            name = self._reader.text_field(address, struct, "d_common.d_name")
        except UnreadableMemory:
            return fields
        if not name:
            return fields
        what = f"the description of {name!r}"
        return (*fields, TypedField(member, offset, what, self._test_for_name(name), shared=False))

    def _test_for_name(self, name: str) -> Fits:
        def has_definition_name(value: int) -> bool:
            try:
                text_at = self._reader.u64(value)
            except UnreadableMemory:
                return False
            text = self._reader.c_string(text_at, MAX_NAME)
            if isinstance(text, Absent):  # read-only data of a file that is not here
                return self._reader.target.region_at(text_at) is not None
            return text == name

        return has_definition_name

    # -- tables -----------------------------------------------------------------------------

    def _dict_fields(self, address: int) -> tuple[TypedField, ...]:
        keys_at = self._layout.require("PyDictObject", "ma_keys")
        try:
            used = self._reader.signed_field(address, "PyDictObject", "ma_used")
        except UnreadableMemory:
            return ()
        if not 0 <= used < MAX_ALLOCATED:
            return ()

        def fits(value: int) -> bool:
            try:
                return not value & 7 and self._is_consistent_dict_table(value, used)
            except UnreadableMemory:
                return False

        def sure(value: int) -> bool:
            try:
                return fits(value) and self._holds_number_of_entries(value, used)
            except (UnreadableMemory, LayoutError):
                return False

        # A few entries, or those of a split table, say too little about the dict they belong to.
        values_at = self._layout.require("PyDictObject", "ma_values")
        own = not self._reader.word(address + values_at) and used >= MIN_ENTRIES
        check_fully = sure if own else None
        return (TypedField("ma_keys", keys_at, "a table of keys", fits, False, check_fully, own),)

    def _holds_number_of_entries(self, keys: int, used: int) -> bool:
        """Whether a table is in use and holds exactly that many entries, all of them objects."""
        block = self._index.pointee_at(keys)
        if block is None or block.kind != BLOCK or used > MAX_ENTRIES:
            return False
        start, count, width, hashed = self._objects.keys_table_entries(keys)
        if not used <= count <= 2 * MAX_ENTRIES:
            return False
        words = memoryview(self._reader.read(start, count * width)).cast("Q").tolist()
        first = 1 if hashed else 0
        pairs = [(words[n + first], words[n + first + 1]) for n in range(0, len(words), width // 8)]
        live = [pair for pair in pairs if pair[1]]
        all_objects = all(
            self._kinds.type_of_object(address).name for pair in live for address in pair
        )
        return all_objects and len(live) == used

    def _is_consistent_dict_table(self, keys: int, used: int) -> bool:
        """Whether a table's numbers agree: USABLE_FRACTION(size) entries are used or free."""
        layout, reader = self._layout, self._reader
        table = "PyDictKeysObject"
        entries = reader.signed_field(keys, table, "dk_nentries")
        free = reader.signed_field(keys, table, "dk_usable")
        log2_at = layout.offset(table, "dk_log2_size")
        if log2_at is not None:
            log2 = reader.u8(keys + log2_at)
            size = 1 << log2 if log2 <= MAX_LOG2 else -1
        else:
            size = reader.signed_field(keys, table, "dk_size")
        if size < 0 or size & size - 1 or entries < used or free < 0:
            return False
        # Split tables of 3.11 and later have fewer; no table has more. Py_EMPTY_KEYS has 1 and 0.
        return entries + free <= max(2 * size // 3, 1) and (size >= 8 or entries + free == 0)

    def _list_fields(self, address: int) -> tuple[TypedField, ...]:
        struct = "PyListObject"
        items_at = self._layout.require(struct, "ob_item")
        try:
            size, room = (
                self._reader.signed_field(address, struct, name)
                for name in ("ob_size", "allocated")
            )
        except UnreadableMemory:
            return ()
        if not 0 < size <= room < MAX_ALLOCATED:
            return ()

        def types_of_first_items(value: int) -> list[str]:
            try:
                words = memoryview(self._reader.read(value, 8 * min(size, FIRST_ITEMS))).cast("Q")
                self._reader.read(value + 8 * (room - 1), 8)
            except UnreadableMemory:
                return []
            return [self._kinds.type_of_object(word).name for word in words if word]

        def fits(value: int) -> bool:
            names = types_of_first_items(value)
            return not value & 7 and 2 * len([name for name in names if name]) > len(names)

        def sure(value: int) -> bool:
            block = self._index.pointee_at(value)
            # Not so of lists of types, which look like an object: their second word is a type.
            return block is not None and block.kind == BLOCK and all(types_of_first_items(value))

        def is_exact(value: int) -> bool:  # what was freed to malloc or pymalloc begins with links
            end = self._index.end_of_block(value) or 0
            return size >= MIN_ENTRIES and 0 <= end - (value + WORD * room) <= WORD

        what = "items of a list"
        return (TypedField("ob_item", items_at, what, fits, False, sure, exact=is_exact),)

    def _function_fields(self, address: int) -> tuple[TypedField, ...]:
        """Functions are made with the names of their code (PyFunction_NewWithQualName)."""
        name_at = self._layout.require("PyFunctionObject", "func_name")
        code_name_at = self._layout.require("PyCodeObject", "co_name")

        def has_code_same_name(value: int) -> bool:
            word = self._reader.word
            return word(address + name_at) == word(value + code_name_at)

        return tuple(
            f._replace(sure=has_code_same_name, own=True) if f.name == "func_code" else f
            for f in self._fields_of_category("function")
        )


class _WrongTypedField(NamedTuple):
    """A field that holds nothing of its type; `beside`: how many others of the object do not."""

    owner: int
    category: str
    field: TypedField
    value: int
    beside: int = 0


@check("R18", costly=True, grows=True, needs="python", order=56)
def typed_field(context: Context) -> Iterator[Evidence]:
    """Compare fields of functions, code, types, dicts, lists, descriptors and frames with types.

    Of the objects that the frames and the fault's own registers reach. A field counts when all
    other fields of the object are right, this one holds nothing that fits it, and exactly one of
    the words one bit away fits and may have lost a reference.

    Innocent causes: what a field names was freed (what can be the address of that is left out, see
    may_be_freed_object); the object itself was freed or overwritten (then several fields
    are wrong); a word of which a part was written (low bytes that are 0, a raised count).
    """
    walk = require(object_walk(context))
    fields = TypedFields(walk.reader, walk.kinds, address_index(context))
    wrong = [*_wrong_fields(walk, fields), *_wrong_fields_of_suspects(context, walk, fields)]
    if not any(map(is_sign_of_overwriting, context.evidence)):
        yield from _evidence_of_writes(context, wrong)
    alone = [wrong_field for wrong_field in wrong if not wrong_field.beside]
    if len(alone) > MAX_BAD:
        raise NotChecked(f"{len(alone)} objects have fields of a wrong type: an overwrite")
    for wrong_field in alone:
        yield from _evidence_of_one_flip_repair(context, walk, wrong_field)


def _evidence_of_writes(context: Context, wrong: Sequence[_WrongTypedField]) -> Iterator[Evidence]:
    """Tell an object in which several fields hold what was never the address of an object.

    A flip changes one. What was freed has an aligned address in memory that can be written.
    """
    for first, second in pairwise([each for each in wrong if each.category != FRAME]):
        if first.owner != second.owner:
            continue
        start = start_of_block(context, first.owner)
        if start is None or first.owner - start not in HEADS:
            continue  # words in the middle of a block may look like an object
        if not any(
            may_be_freed_object(context, each.value) or may_be_unmapped_object(context, each.value)
            for each in (first, second)
        ):
            place = first.owner + first.field.offset
            summary = (
                f"the word at {place:#x} was overwritten: it holds {first.value:#x}"
                f"{shape_note(first.value)}, and that is {first.field.name} of the "
                f"{first.category} at {first.owner:#x}; {second.field.name} beside it holds "
                f"{second.value:#x}"
            )
            yield plain_evidence("S:overwritten-place", place, summary)
            return


def _wrong_fields(walk: ObjectWalk, fields: TypedFields) -> Iterator[_WrongTypedField]:
    """Yield the wrong fields of objects, in order."""
    of_frames = fields.fields_of_frames()
    for frame in walk.frames:
        yield from _wrong_fields_of_object(walk.reader, frame.address, FRAME, of_frames)
    for address, category in fields.doubtful_objects(walk.visited):
        yield from _wrong_fields_of_object(
            walk.reader, address, category, fields.fields_of_object(address, category)
        )


def _wrong_fields_of_suspects(
    context: Context, walk: ObjectWalk, fields: TypedFields
) -> Iterator[_WrongTypedField]:
    """Yield those of the objects in which the fault's words stand, where the walk missed them.

    A frame that is being given back has no references, and no list leads to it.
    """
    walked = {address for address, _ in walk.visited} | {frame.address for frame in walk.frames}
    slots = {slot for suspect in find_suspects(context) for slot in suspect.slots}
    places = (find_read_place(context, word) for word in find_fault_words(context))
    slots.update(place.slot for place in places if place is not None)
    owners = {
        slot: _object_around_slot(context, walk, slot)
        for slot in slots
        if not is_on_stack(context, slot)
    }
    for address, name in sorted({owner for owner in owners.values() if owner is not None}):
        if address in walked:
            continue
        if name != FRAME:
            yield from _wrong_fields_of_object(
                walk.reader, address, name, fields.fields_of_object(address, name)
            )
        elif walk.reader.layout.offset("_PyInterpreterFrame", "f_globals") is None:
            yield from _wrong_fields_of_object(
                walk.reader, address, FRAME, fields.fields_of_frames()
            )


def _object_around_slot(context: Context, walk: ObjectWalk, slot: int) -> tuple[int, str] | None:
    """Return the object in whose block a word is, and its type; it may have no references."""
    index = address_index(context)
    place = index.offset_in_pool_block(slot)
    if place is None or index.in_free_block(slot):
        return None
    for head in HEADS:
        address = slot - place + head
        try:
            name = index.type_name(walk.reader.type_of(address)) if address < slot else None
        except UnreadableMemory:
            return None
        if name is not None:
            return address, name
    return None


def _wrong_fields_of_object(
    reader: MemoryReader, address: int, category: str, fields: tuple[TypedField, ...]
) -> Iterator[_WrongTypedField]:
    wrong = []
    for field in fields:
        try:
            value = reader.u64(address + field.offset)
        except UnreadableMemory:
            return
        if value and not field.fits(value):
            wrong.append(_WrongTypedField(address, category, field, value))
    if len(wrong) > 1 or (wrong and (len(fields) > 1 or not wrong[0].field.shared)):
        yield from (each._replace(beside=len(wrong) - 1) for each in wrong)


def _evidence_of_one_flip_repair(
    context: Context, walk: ObjectWalk, wrong: _WrongTypedField
) -> Iterator[Evidence]:
    """Yield the one flip that makes a field right; nothing where several do, or none."""
    if not wrong.field.own and _is_unreferenced_block(context, wrong.value):
        return
    right_words = []
    for bit in BITS:
        right = wrong.value ^ 1 << bit
        if right < NEAR_NULL or not wrong.field.fits(right):
            continue
        place = wrong.owner + wrong.field.offset
        partly = can_software_have_written_word(context, place, wrong.value, right)
        if not partly and _may_right_word_have_been_there(context, walk, wrong, right):
            right_words.append(right)
    if len(right_words) != 1:
        return
    right = right_words[0]
    place = wrong.owner + wrong.field.offset
    summary = (
        f"{wrong.field.name} of the {wrong.category} at {wrong.owner:#018x} holds "
        f"{wrong.value:#018x}, which is not {wrong.field.what}; {right:#018x}, one bit away, is"
    )
    yield word_evidence("R18", place, wrong.value, right, summary, field=wrong.field.name)


def _is_unreferenced_block(context: Context, value: int) -> bool:
    """Whether a block begins there that nothing else names: freed or overwritten, but no other's.

    Seen in one of 444 software cores: memory after a bytearray was zeroed.
    """
    index = address_index(context)
    block = index.may_begin_object(value) or index.in_free_block(value) or index.pointee_at(value)
    held = context.places_of_word(value, MAX_HELD)
    return bool(block) and sum(not is_on_stack(context, at) for at in held) <= 1


def _may_right_word_have_been_there(
    context: Context, walk: ObjectWalk, wrong: _WrongTypedField, right: int
) -> bool:
    """Whether a word that fits a field can be the one that was there: it misses a holder."""
    index, sure = address_index(context), wrong.field.sure
    if wrong.field.shared and (
        _do_others_hold_right_word(walk, wrong, right)
        or _do_others_in_memory_hold_right_word(context, walk, wrong, right)
    ):
        return True
    if wrong.category.endswith("_descriptor") and not wrong.field.shared:
        return True  # tables of descriptions are static, and the name says which entry it is
    if sure is not None and not sure(right):
        return False
    inside = index.is_past_start_in_pool_block(wrong.value)  # no table or array begins there
    own = wrong.field.own or (wrong.field.exact is not None and wrong.field.exact(right))
    if not own and not inside and may_be_freed_object(context, wrong.value, right):
        return False  # of 765 stale tables put into dicts 13 were one bit from one without a holder
    if not wrong.field.shared:
        is_free = index.in_free_block(right)  # a freed table looks like one still
        held = _places_holding(context, walk, right, MAX_HELD)
        if wrong.field.own:  # old copies may be left; another dict's table is none of this one's
            held = [
                at for at in held if walk.type_name_at(at - wrong.field.offset) == wrong.category
            ]
        return not is_free and not held
    if index.reference_count(right) is None or was_never_mapped(context, wrong.value):
        return True  # immortal, or held by many
    if wrong.value ^ right < 1 << FAR_BIT or may_be_unmapped_object(context, wrong.value):
        return has_lost_reference(context, right, wrong.value)
    return not are_references_accounted_for(context, walk, right)


def _do_others_hold_right_word(walk: ObjectWalk, wrong: _WrongTypedField, right: int) -> bool:
    """Whether the same field of two others of the kind holds the right word.

    Frames and functions of a module share its globals, classes a base: few words are held so, and
    what was freed lies next to one of them by chance alone.
    """
    if wrong.category == FRAME:
        others = [frame.address for frame in walk.frames]
    else:
        others = [address for address, category in walk.visited if category == wrong.category]
    words = walk.reader.words(
        [other + wrong.field.offset for other in others if other != wrong.owner]
    )
    return words.count(right) >= MIN_ALIKE


def _do_others_in_memory_hold_right_word(
    context: Context, walk: ObjectWalk, wrong: _WrongTypedField, right: int
) -> bool:
    """As _do_others_hold_right_word, of objects that memory is searched for."""
    reader = walk.reader
    if wrong.category == FRAME and reader.layout.offset("_PyInterpreterFrame", "f_globals"):
        return False  # those are no objects
    alike = 0
    with suppress(UnreadableMemory):
        kind = reader.type_of(wrong.owner)
        for at in context.places_of_word(right, MAX_ALIKE):
            other = at - wrong.field.offset
            if other != wrong.owner and not address_index(context).in_free_block(at):
                with suppress(UnreadableMemory):
                    alike += reader.type_of(other) == kind
    return alike >= MIN_ALIKE


def _places_holding(context: Context, walk: ObjectWalk, value: int, limit: int) -> list[int]:
    """Return the places of memory that hold a word, without what may be left over."""
    places = context.places_of_word(value, limit)
    return [at for at in places if not is_on_stack(context, at) and not walk.is_left_over(at)]


@check("R18-static", costly=True, needs="crash", order=56)
def static_data_pointers(context: Context) -> Iterator[Evidence]:
    """Compare pointers to a library's static data with those of other objects of the type.

    Of objects that the fault had at hand. An array points at the description of its items, an
    iterator at the functions of its kind: few such structs exist, and many objects share each.

    Innocent causes: an object of a rare kind, whose pointer leads to another entry of a table:
    entries are alike. Said only where what the pointer leads to is built otherwise: an address of
    code where all others have data, or a number where they have an address.
    """
    firsts: dict[int, int] = {}  # of each type, the object that others are looked for beside
    for address in words_at_fault(context):
        places = _pointers_to_static_data(context, address)
        kind = read_word(context.target, address + WORD) or 0
        if not places or (kind not in firsts and len(firsts) == MAX_TYPES):
            continue
        first = firsts.setdefault(kind, address)
        others = find_others_of_type_in_pool(context, first, kind)
        # Most pointers are those of their neighbours: then memory needs no search.
        if all(_another_object_holds(context, others, address, at) for at in places):
            continue
        of_type = find_others_of_type(context, first, kind)
        yield from _evidence_of_flipped_static_pointer(context, address, places, of_type)


def _pointers_to_static_data(context: Context, address: int) -> list[int]:
    """Return the places of an object whose words lead to a file's data, or are a bit off such."""
    index = address_index(context)
    if index.object_type(address) is None or index.in_free_block(address):
        return []
    end = min(index.end_of_block(address) or 0, address + MAX_FIELDS * WORD)
    words = (
        (at, read_word(context.target, at) or 0) for at in range(address + 2 * WORD, end, WORD)
    )
    return [
        at
        for at, word in words
        if word >= NEAR_NULL
        and _is_at_most_a_bit_from_static_data(context, word)
        and index.pointee_at(word) is None
    ]


def _is_at_most_a_bit_from_static_data(context: Context, word: int) -> bool:
    near = [word]
    if context.target.region_at(word) is None:
        low, high = _address_range_of_mapped_files(context)
        near = [address for bit in BITS if low <= (address := word ^ 1 << bit) < high]
    return any(_is_static_data(context, address) for address in near)


@once_per_run
def _address_range_of_mapped_files(context: Context) -> tuple[int, int]:
    """Return where the first mapped file begins and the last one ends."""
    mapped = [region for region in context.target.regions() if region.is_file_mapped]
    return (mapped[0].start, mapped[-1].end) if mapped else (0, 0)


def _is_static_data(context: Context, address: int) -> bool:
    region = context.target.region_at(address)
    return region is not None and region.is_file_mapped and not may_execute(region)


def _another_object_holds(context: Context, others: Sequence[int], address: int, at: int) -> bool:
    """Whether another object holds at its place what an object does at one of its own."""
    value = read_word(context.target, at) or 0
    return any(
        (read_word(context.target, other + at - address) or 0) == value
        for other in others
        if other != address
    )


def _evidence_of_flipped_static_pointer(
    context: Context, address: int, places: Sequence[int], others: Sequence[int]
) -> Iterator[Evidence]:
    for at in places:
        value = read_word(context.target, at) or 0
        words = [read_word(context.target, o + at - address) or 0 for o in others if o != address]
        shared = [near for bit in BITS if words.count(near := value ^ 1 << bit) >= MIN_BESIDE]
        if len(shared) != 1 or value in words or not _is_static_data(context, shared[0]):
            continue
        right = shared[0]
        if address_index(context).object_type(right) is None and _leads_to_other_kind_of_struct(
            context, value, right
        ):
            what = address_index(context).object_type(address)
            summary = (
                f"the word {at - address} bytes into the {what} at {address:#x} holds "
                f"{value:#018x}; {words.count(right)} others of that type hold {right:#018x}, one "
                "bit away, and what it leads to is built otherwise than what theirs do"
            )
            yield word_evidence("R18", at, value, right, summary, object_type=what)
            return


def _leads_to_other_kind_of_struct(context: Context, value: int, right: int) -> bool:
    """Whether a struct has something else where another has an address; NULL is allowed."""

    def kind_of_word(address: int) -> str:
        if context.target.region_at(address) is None:
            return "no memory"
        word = read_word(context.target, address, dumped_only=False)
        region = context.target.region_at(word or 0)
        if not word:
            return "nothing"
        return "number" if region is None else "code" if may_execute(region) else "data"

    places = range(0, DESCRIBED * WORD, WORD)
    pairs = [(kind_of_word(value + at), kind_of_word(right + at)) for at in places]
    return any(
        theirs in ("code", "data") and mine not in (theirs, "nothing") for mine, theirs in pairs
    )
