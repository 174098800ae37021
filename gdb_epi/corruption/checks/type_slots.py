# SPDX-License-Identifier: Apache-2.0
"""R14, R18, R28: what a type says, and which type an object names.

R14: the function pointers and tables of a type differ by one bit from what its file, its base or
other types say. R28: its flags and the sizes of its instances. R18: an object that the fault had at
hand names no type, and one bit away from the word is one: the failed access may lie far behind that
word, for a function was taken from what is no type.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, require, word_evidence
from gdb_epi.corruption.files.elf_images import image_files_of_modules
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.object_references import ALIGNED
from gdb_epi.corruption.heap.object_types import HEAP_TYPE, SLOTS, SUBCLASS
from gdb_epi.corruption.heap.object_walk import object_walk
from gdb_epi.corruption.heap.pool_census import classes_in_malloc_heap, pool_census
from gdb_epi.corruption.heap.pymalloc_pools import object_header_size
from gdb_epi.corruption.heap.readers import (
    is_on_stack,
    read_words,
    shared_object_search,
    shared_reader,
    words_at_fault,
)
from gdb_epi.corruption.pointers.suspects import is_at_most_once_off_stacks
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.replay.code_map import begins_function
from gdb_epi.cpython.heap.object_search import HAVE_GC, ObjectSearch
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import INLINE_VALUES
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.fault.memory_reads import read_word, try_read
from gdb_epi.sizes import PAGE, WORD, WORD_MASK, split_into_words
from gdb_epi.target.memory_search import OutOfTime
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import add_article, memoized

# Members that name data of the file; where it has a word, nobody writes another (PyType_Ready fills
# in those that are NULL).
DATA = (
    "tp_name", "tp_doc", "tp_as_async", "tp_as_number", "tp_as_sequence", "tp_as_mapping",
    "tp_as_buffer", "tp_methods", "tp_members", "tp_getset", "tp_base",
)  # fmt: skip
# Those of a class are parts of its own struct, PyHeapTypeObject (type_new_alloc() in
# Objects/typeobject.c, 3.8 to 3.15): at one distance from the class in all of them.
TABLES = ("tp_as_async", "tp_as_number", "tp_as_sequence", "tp_as_mapping", "tp_as_buffer")
MAX_TABLE = 4096  # bytes from a class to one of its tables
MAX_TYPES = 512  # of a default run
MAX_SWEPT = 100_000
MAX_FRAMES = 32
MAX_GLOBALS = 2048
FUNCTION_ALIGNMENT = 16  # of most compilers' output; held against the types' own slots
MIN_COPIES = 2  # types that have the right value in the same slot
# tp_flags (Include/object.h) of whatever a class statement makes, 3.8 to 3.15.
_BASETYPE, _READY, _READYING = 1 << 10, 1 << 12, 1 << 13
_OF_CLASSES = HEAP_TYPE | _BASETYPE | _READY
_LAST_WORD = WORD_MASK - 7  # of what has items: tp_dictoffset counts from its end (up to 3.11)
_BUILT_IN = 0xFF << 24  # "is an int, a list, a tuple ...": inherited, and set in no other way
_ABOVE = 0xFFFFFFFF << 32  # no release uses them
_NEVER = _READYING | _ABOVE
MAX_BASES = 64
MIN_CLASSES = 3  # that are freed by one function: the one of class statements
MAX_WRONG_TYPES = 2  # more are of a tool that makes classes in its own way
MAX_ADDED = 1 << 12  # words that a class adds
_NUMBERS = (
    "tp_basicsize", "tp_itemsize", "tp_flags", "tp_traverse", "tp_base", "tp_dealloc",
    "tp_dictoffset", "tp_weaklistoffset", "tp_name",
)  # fmt: skip
_SIZES = ("basicsize", "slots", "dictoffset", "weaklistoffset")
BITS = range(64)
MIN_NAMED = 8  # words that name a type in use
MAX_SLOTS = 64
MAX_COUNTED = 1 << 20  # references of what is taken for an object


class _TypeSlot(NamedTuple):
    type: int
    name: str
    where: int
    value: int


@check("R14", costly=True, needs="python")
def type_slots(context: Context) -> Iterator[Evidence]:
    """Compare the function pointers of types with their file's, and with those of other types.

    By default of the built-in types and what the fault had at hand; in a sweep of all. Static types
    are compared with the relocated words of the file; what a class names of its own struct, with
    where other classes have it.

    Innocent causes: modules that set a slot at run time (many bits differ), two functions one bit
    apart (so a slot that only differs from the base's counts only when it is no code, or is not
    aligned where all others are).
    """
    heap = shared_object_search(context)
    types = list(_types_to_check(context, heap, require(context.state.python)))
    slots = list(_filled_slots(heap, types, SLOTS))
    context.counts["type slots"] = len(slots)
    reported: set[int] = set()
    right: set[int] = set()
    for evidence in _compare_slots_with_files(
        context, [*slots, *_filled_slots(heap, types, DATA)], right
    ):
        reported.add(int(evidence.where))
        yield evidence
    for evidence in (
        *_compare_slots_among_types(context, slots, right),
        *_compare_method_tables(context, heap, types),
    ):
        if evidence.where not in reported:
            yield evidence
    if context.sweep:
        yield from _compare_types_of_static_objects(context, set(types))


def _types_to_check(context: Context, heap: ObjectSearch, python: PythonState) -> Iterator[int]:
    """Yield addresses of types, each once."""
    seen: set[int] = set()
    if context.sweep:
        with suppress(OutOfTime):
            seen.update(list(heap.types_by_address())[:MAX_SWEPT])
    yield from seen
    metatype = heap.metatype()
    for interpreter in python.interpreters:
        contents = heap.access.module_dict(interpreter.address, "builtins")
        for _key, value in heap.access.dict_pairs(contents) if contents else ():
            try:
                if value not in seen and heap.reader.type_of(value) == metatype:
                    seen.add(value)
                    yield value
            except UnreadableMemory:
                continue
            if len(seen) >= MAX_TYPES and not context.sweep:
                return
    for value in (*_classes_at_hand(context, heap), *_global_classes(heap, python)):
        if value not in seen and len(seen) < MAX_TYPES:
            seen.add(value)
            yield value


def _classes_at_hand(context: Context, heap: ObjectSearch) -> Iterator[int]:
    """Yield the classes that the fault had at hand, and those of the objects that it had."""
    metatype = heap.metatype()
    for value in words_at_fault(context):
        with suppress(UnreadableMemory):
            kind = heap.reader.type_of(value)
            if kind == metatype:
                yield value
            elif heap.reader.type_of(kind) == metatype:
                yield kind


def _global_classes(heap: ObjectSearch, python: PythonState) -> Iterator[int]:
    """Yield the classes among the globals of the crashed thread's frames."""
    reader = heap.reader
    at = reader.layout.offset("_PyInterpreterFrame", "f_globals")
    if at is None:
        at = reader.layout.offset("PyFrameObject", "f_globals")
    threads = [thread for thread in python.threads() if thread.crashed]
    frames = [frame for thread in threads for frame in thread.frames[:MAX_FRAMES]]
    spaces: set[int] = set()
    for frame in frames if at is not None else ():
        with suppress(UnreadableMemory):
            spaces.add(reader.u64(frame.address + (at or 0)))
    metatype = heap.metatype()
    for space in sorted(spaces):
        for number, (_key, value) in enumerate(heap.access.dict_pairs(space)):
            if number == MAX_GLOBALS:
                break
            with suppress(UnreadableMemory):
                if reader.type_of(value) == metatype:
                    yield value


def _filled_slots(
    heap: ObjectSearch, types: list[int], names: tuple[str, ...]
) -> Iterator[_TypeSlot]:
    """Yield the slots of types, of those named, that are no NULL."""
    layout = heap.reader.layout
    size = layout.size("PyTypeObject") or 0
    make = _TypeSlot._make
    offsets = [(name, layout.offset("PyTypeObject", name)) for name in names]
    places = [(name, at, at >> 3) for name, at in offsets if at is not None and at + 8 <= size]
    for address in types:
        words = split_into_words(try_read(heap.reader.target, address, size))
        for name, at, number in places if words else ():
            value = words[number]
            if value:
                yield make((address, name, address + at, value))


def _compare_slots_with_files(
    context: Context, slots: list[_TypeSlot], confirmed: set[int]
) -> Iterator[Evidence]:
    """Compare slots with the words of files; the places that hold those are added to a set."""
    files, _missing = image_files_of_modules(context)
    order = sorted(range(len(slots)), key=[slot.where for slot in slots].__getitem__)
    places = [slots[number].where for number in order]
    for image in files:
        first = bisect_left(places, image.module.start)
        inside = order[first : bisect_left(places, image.module.end)]
        those = [slots[number] for number in sorted(inside)]
        rights = image.expected_words([slot.where for slot in those])
        for slot, right in zip(those, rights, strict=True):
            if right == slot.value:
                confirmed.add(slot.where)
            elif right and (right ^ slot.value).bit_count() == 1:
                yield _evidence_of_slot(slot, right, f"{image.name} (same build-id), relocated")


def _compare_types_of_static_objects(context: Context, types: set[int]) -> Iterator[Evidence]:
    """Compare words of writable data that ld.so made addresses of types: static objects' types."""
    files, _missing = image_files_of_modules(context)
    for image in files:
        for where, right in image.relocated_pointers():
            if right not in types:
                continue
            words = read_words(context, where, 1)
            if words and (words[0] ^ right).bit_count() == 1:
                summary = (
                    f"the word at {where:#x} is one bit from the type that {image.name} (same "
                    "build-id) has there"
                )
                yield word_evidence("R13", where, words[0], right, summary)


def _compare_slots_among_types(
    context: Context, slots: list[_TypeSlot], confirmed: set[int]
) -> Iterator[Evidence]:
    """Find slots that hold no function, one bit from what several types have there."""
    census: dict[str, dict[int, int]] = {}
    for slot in slots:
        counts = census.get(slot.name)
        if counts is None:
            counts = census[slot.name] = {}
        counts[slot.value] = counts.get(slot.value, 0) + 1
    aligned = {value % FUNCTION_ALIGNMENT == 0 for counts in census.values() for value in counts}
    odd = sum(value % FUNCTION_ALIGNMENT != 0 for counts in census.values() for value in counts)
    strict = True in aligned and odd <= 2
    for slot in slots:
        counts = census[slot.name]
        if counts[slot.value] > 1 or slot.where in confirmed:
            continue
        if not _is_no_function(context, slot.value, strict=strict):
            continue
        for bit in range(64):
            right = slot.value ^ 1 << bit
            if counts.get(right, 0) >= MIN_COPIES and _is_executable(context, right):
                what = f"{counts[right]} other types have it in the same slot"
                yield _evidence_of_slot(slot, right, what)
            elif (
                _is_executable(context, right)
                and begins_function(context, right)
                and len(context.places_of_word(right, MIN_COPIES)) > 1
            ):
                yield _evidence_of_slot(
                    slot, right, "a function begins there, and other words hold it"
                )


def _compare_method_tables(
    context: Context, heap: ObjectSearch, types: list[int]
) -> Iterator[Evidence]:
    """Find classes one of whose tables of methods is one bit from where their others have it."""
    classes = [address for address in types if _is_in_anonymous_memory(context, address)]
    slots = list(_filled_slots(heap, classes, TABLES))
    for name in TABLES:
        mine = [slot for slot in slots if slot.name == name]
        apart = Counter(slot.value - slot.type for slot in mine)
        for distance, times in apart.most_common(1):
            if not 0 < distance < MAX_TABLE or len(mine) != times + 1 or times < MIN_COPIES:
                continue
            wrong = next(slot for slot in mine if slot.value - slot.type != distance)
            right = wrong.type + distance
            if (right ^ wrong.value).bit_count() == 1:
                yield _evidence_of_slot(wrong, right, f"where {times} other classes have theirs")


def _is_in_anonymous_memory(context: Context, address: int) -> bool:
    region = context.target.region_at(address)
    return region is not None and not region.is_file_mapped


def _is_no_function(context: Context, value: int, *, strict: bool) -> bool:
    if not _is_executable(context, value) or (strict and value % FUNCTION_ALIGNMENT != 0):
        return True
    function = context.functions.function_at(value)  # by the unwind tables
    return function is not None and function.start != value


def _is_executable(context: Context, value: int) -> bool:
    return may_execute(context.target.region_at(value))


def _evidence_of_slot(slot: _TypeSlot, right: int, source: str) -> Evidence:
    summary = (
        f"{slot.name} of the type at {slot.type:#x} holds {slot.value:#x}, one bit from "
        f"{right:#x}: {source}"
    )
    return word_evidence("R14", slot.where, slot.value, right, summary, slot=slot.name)


class _ClassNumbers(NamedTuple):
    """The numeric members of a type."""

    address: int
    slots: int  # of __slots__: what ob_size of a class counts
    basicsize: int
    itemsize: int
    flags: int
    traverse: int
    base: int
    dealloc: int
    dictoffset: int
    weaklistoffset: int
    name: int


class _ClassNumberDisagreement(NamedTuple):
    """A number of a class that something else contradicts; what it should be, and why."""

    member: str
    held: int
    right: int
    why: str


@check("R28", everywhere=True, needs="python", order=57)
def check_class_flags_and_sizes(context: Context) -> Iterator[Evidence]:
    """Compare flags and sizes of classes with those of their bases, and with their own slots.

    type.__new__ computes them from the base and from __slots__ (type_new_alloc() and
    type_new_slots(), Objects/typeobject.c), and nobody changes them afterwards.

    Innocent causes: types that C code made or changed (only those are judged that a class statement
    made, which have one function that frees their instances), an overwritten type (several numbers
    are wrong then, and nothing is said).
    """
    classes = _ClassNumberReader(context, shared_reader(context))
    wrong = [
        (kind, each)
        for kind in classes.classes_made_by_class_statements()
        if (each := classes.disagreements(kind)) and classes.has_undotted_name(kind)
    ]
    contradicted = {kind.address for kind, _each in wrong}
    # A class that is derived from a damaged one disagrees with that.
    wrong = [(kind, each) for kind, each in wrong if kind.base not in contradicted]
    if len(wrong) > MAX_WRONG_TYPES:
        return
    for kind, disagreements in wrong:
        if len(disagreements) > 1:
            continue
        for member, held, right, why in disagreements:
            if (held ^ right).bit_count() == 1:
                place = kind.address + classes.offset(member)
                summary = (
                    f"{member} of the class {classes.shown_name(kind)} at {kind.address:#018x} is "
                    f"{held:#x}, one bit from {right:#x}: {why}"
                )
                yield word_evidence("R28", place, held, right, summary, member=member)


class _ClassNumberReader:
    """The classes of which objects are in the heap, and their bases."""

    def __init__(self, context: Context, reader: MemoryReader) -> None:
        self._context, self._reader = context, reader
        self._layout: Layout = reader.layout
        self._size_at = self._layout.require("PyVarObject", "ob_size")
        members = [self._layout.require("PyTypeObject", name) for name in _NUMBERS]
        self._places = [self._size_at, *members]
        self._known: dict[int, _ClassNumbers] = {}
        self._roots: dict[int, _ClassNumbers | None] = {}
        self._agreed: set[tuple[int, ...]] = set()

    def offset(self, member: str) -> int:
        """Return where a member is. Raises LayoutError."""
        if member == "ob_size":
            return self._size_at
        return self._layout.require("PyTypeObject", member)

    def shown_name(self, kind: _ClassNumbers) -> str:
        """Return the name of a class, as far as it can be read."""
        name = self._reader.type_name(kind.address)
        return "without a name" if isinstance(name, Absent) else name

    def class_at(self, address: int) -> _ClassNumbers:
        """Return what the type at an address says."""
        kind = self._known.get(address)
        if kind is None:
            words = self._reader.words([address + offset for offset in self._places])
            kind = self._known[address] = _ClassNumbers(address, *words)
        return kind

    def _classes_at(self, addresses: list[int]) -> list[_ClassNumbers]:
        """Return what class_at() says of each of ascending addresses."""
        columns = self._reader.word_columns(addresses, self._places)
        classes = [_ClassNumbers(*words) for words in zip(addresses, *columns, strict=True)]
        self._known.update(zip(addresses, classes, strict=True))
        return classes

    def classes_made_by_class_statements(self) -> list[_ClassNumbers]:
        """Return the classes that class statements (or calls of type()) made, by who frees them."""
        classes = self._classes_at(classes_in_malloc_heap(self._context))
        freed_by = Counter(kind.dealloc for kind in classes)
        if not freed_by:
            return []
        usual, number = freed_by.most_common(1)[0]
        if number < MIN_CLASSES:
            return []
        return [kind for kind in classes if kind.dealloc == usual]

    def has_undotted_name(self, kind: _ClassNumbers) -> bool:
        """Whether tp_name is that of a class statement, which holds no module's name."""
        name = self._reader.type_name(kind.address)
        return not isinstance(name, Absent) and "." not in name

    def first_base_in_c(self, kind: _ClassNumbers) -> _ClassNumbers | None:
        """Return the first base that C code made; None where the chain is damaged."""
        passed = []
        for _ in range(MAX_BASES):
            base = kind.base
            if base in self._roots:
                break
            passed.append(base)
            self._roots[base] = None
            if not base or base & 7:
                break
            kind = self.class_at(base)
            if not kind.basicsize:
                break
            if not _is_in_anonymous_memory(self._context, base):
                self._roots[base] = kind
                break
        else:
            return None
        root = self._roots[base]
        self._roots.update(dict.fromkeys(passed, root))
        return root

    def disagreements(self, kind: _ClassNumbers) -> list[_ClassNumberDisagreement]:
        """Return the numbers of a class that its base or its own other numbers contradict.

        Many classes have the numbers of others, and the base: where those agree, all do.
        """
        numbers = kind[1:-1]
        if numbers in self._agreed:
            return []
        disagreements = list(self._disagreements(kind))
        if not disagreements:
            self._agreed.add(numbers)
        return disagreements

    def _disagreements(self, kind: _ClassNumbers) -> Iterator[_ClassNumberDisagreement]:
        root = self.first_base_in_c(kind)
        if root is None:
            return
        base = self.class_at(kind.base)
        right = (kind.flags | _OF_CLASSES) & ~(_BUILT_IN | _NEVER) | root.flags & _BUILT_IN
        right = right | HAVE_GC if kind.traverse else right & ~HAVE_GC
        if right != kind.flags:
            why = "what every class has, its base has, and its own tp_traverse says"
            yield _ClassNumberDisagreement("tp_flags", kind.flags, right, why)
        if kind.itemsize != base.itemsize:
            why = "that of its base"
            yield _ClassNumberDisagreement("tp_itemsize", kind.itemsize, base.itemsize, why)
        if not self._instances_have_room(kind, base):
            yield from self._size_disagreements(kind, base)

    def _size_disagreements(
        self, kind: _ClassNumbers, base: _ClassNumbers
    ) -> Iterator[_ClassNumberDisagreement]:
        """Yield the one number in which flipping one bit makes the sizes of a class agree."""
        ways = [
            (name, right)
            for name in _SIZES
            for bit in range(64)
            if self._instances_have_room(
                right := kind._replace(**{name: getattr(kind, name) ^ 1 << bit}), base
            )
        ]
        inline = kind.flags & INLINE_VALUES  # attributes lie after the object, in its block
        seen = [way for way in ways if not inline and self._has_instances(way[1])]
        for name, right in seen or ways:
            why = (
                f"with its base, {right.slots} __slots__ and where its dict and weak references are"
            )
            member = "ob_size" if name == "slots" else f"tp_{name}"
            yield _ClassNumberDisagreement(member, getattr(kind, name), getattr(right, name), why)

    def _has_instances(self, kind: _ClassNumbers) -> bool:
        """Whether objects of a class lie in blocks that are as large as its instances are."""
        head = object_header_size(kind.flags)
        census, block = pool_census(self._context), head + kind.basicsize + 15 & ~15
        return not isinstance(census, Absent) and census.has_typed_block(kind.address, head, block)

    def _instances_have_room(self, kind: _ClassNumbers, base: _ClassNumbers) -> bool:
        """Whether instances have room for what the base has, the slots, a dict and references.

        The latter are the base's, the last words of an instance, or what many classes have: a
        negative number that says where before the object they are.
        """
        words = kind.slots
        for name in ("dictoffset", "weaklistoffset"):
            at, of_base = getattr(kind, name), getattr(base, name)
            if at == of_base or at == 0:
                continue
            if at in (kind.basicsize - 8, kind.basicsize - 16) or (
                kind.itemsize and at == _LAST_WORD
            ):
                words += 1
            elif at not in self._common_negative_offsets(name) and WORD_MASK + 1 - at not in (
                kind.basicsize + 24,  # the dict and what is beside it, 3.11
                kind.basicsize + 16,
            ):
                return False
        return words < MAX_ADDED and kind.basicsize == base.basicsize + 8 * words

    @memoized
    def _common_negative_offsets(self, name: str) -> set[int]:
        """Return the negative offsets that several classes have."""
        offsets = Counter(getattr(kind, name) for kind in self._known.values())
        return {at for at, times in offsets.items() if at >> 63 and times > 2}


@check("R18-type", costly=True, needs="python", order=56)
def check_types_of_blocks_at_hand(context: Context) -> Iterator[Evidence]:
    """Look at what begins blocks at the addresses in registers and on the top of the stack.

    Innocent causes: other data in the place of an object: a small number and a pointer to a file's
    data, of which 1 of 20 is one bit from a type. Said only of a word that leads to no such data,
    and that no other word holds, in a block that begins with a reference count. What looks like a
    type by chance is named by few words.
    """
    index = address_index(context)
    for address in dict.fromkeys((*words_at_fault(context), *_non_objects_named_by_slots(context))):
        if not _may_begin_object(context, address):
            continue
        held = read_word(context.target, address + WORD) or 0
        if held < PAGE or index.pointee_at(held) is not None or index.type_name(held):
            continue
        right = [
            near for bit in BITS if _is_often_referenced_type(context, near := held ^ 1 << bit)
        ]
        if (
            len(right) != 1
            or not is_at_most_once_off_stacks(context, held)
            or is_on_stack(context, address)
        ):
            continue
        region = context.target.region_at(held)
        in_file = not held % WORD and region is not None and region.is_file_mapped
        static = index.offset_in_pool_block(address) is None
        if (in_file or static) and not _does_object_fit_pool_block(context, address, right[0]):
            continue
        name = index.type_name(right[0])
        summary = (
            f"where the object at {address:#x} names its type stands {held:#018x}; one bit away, "
            f"at {right[0]:#x}, is the type of {add_article(str(name))}"
        )
        yield word_evidence("R18", address + WORD, held, right[0], summary, object_type=name)
        return


def _non_objects_named_by_slots(context: Context) -> list[int]:
    """Return what slots of containers and frames name, which is no object."""
    walk = object_walk(context)
    slots = [] if isinstance(walk, Absent) else walk.slots_without_object[:MAX_SLOTS]
    return [slot.value for slot in slots]


def _may_begin_object(context: Context, address: int) -> bool:
    """Whether a block in use begins at an address, or an object may in a file's writable data."""
    index, region = address_index(context), context.target.region_at(address)
    count = read_word(context.target, address)
    if region is None or count is None or address % WORD:
        return False
    if region.is_file_mapped:
        return "w" in region.perms
    return (
        count < MAX_COUNTED and index.may_begin_object(address) and not index.in_free_block(address)
    )


def _is_static_object(context: Context, address: int, kind: int) -> bool:
    """Whether an object lies in a file's data: a slot names it, or it is immortal as types are."""
    count = read_word(context.target, address)
    immortal = count is not None and count >> 30 & 3 and count == read_word(context.target, kind)
    return bool(immortal) or address in _non_objects_named_by_slots(context)


def _does_object_fit_pool_block(context: Context, address: int, kind: int) -> bool:
    """Whether a block of pymalloc's is as large as an object of a type, and begins as it does.

    The collector's links lie before an object that it follows, and before none else
    (PyType_GenericAlloc in Objects/typeobject.c, 3.8 to 3.15).
    """
    python, bounds = context.state.python, address_index(context).bounds_of_block(address)
    if isinstance(python, Absent):
        return False
    if bounds is None:
        return _is_static_object(context, address, kind)
    words = {
        name: read_word(context.target, kind + at) or 0
        for name in ("tp_basicsize", "tp_itemsize", "tp_flags")
        if (at := python.layout.offset("PyTypeObject", name)) is not None
    }
    if len(words) < 3 or (address - bounds[0] > 0) != bool(words["tp_flags"] & HAVE_GC):
        return False
    basic = words["tp_basicsize"]
    if words["tp_flags"] & SUBCLASS["str"]:  # its size is that of one whose text lies elsewhere
        basic, words["tp_itemsize"] = python.layout.size("PyASCIIObject") or basic, 1
    room = bounds[1] - address - basic
    return room >= 0 if words["tp_itemsize"] else 0 <= room < ALIGNED


def _is_often_referenced_type(context: Context, address: int) -> bool:
    """Whether a type begins there that its objects, its bases and its methods name."""
    name = address_index(context).type_name(address)
    plain = name is not None and name.isascii() and name.replace(".", "").isidentifier()
    return plain and len(context.places_of_word(address, MIN_NAMED)) == MIN_NAMED
