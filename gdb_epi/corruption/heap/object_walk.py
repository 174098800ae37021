# SPDX-License-Identifier: Apache-2.0
"""Walk from the running frames through containers, functions, instances and types, slot by slot."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from operator import eq

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.address_index import address_index
from gdb_epi.corruption.heap.cpython_fields import is_in_data_stack
from gdb_epi.corruption.heap.object_types import INSTANCE, NO_TYPE, TYPE, ObjectType, ObjectTypes
from gdb_epi.corruption.heap.readers import is_on_stack, shared_reader, words_at_fault
from gdb_epi.cpython.memory_reader import make_struct_words
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import HALF_MASK, WORD
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_FRAMES = 32
MAX_DEPTH = 64  # words of a frame's stack of values that may be left over
MAX_LOCALS = 256  # of one frame
MAX_MEMBERS = 10  # words of an object of another type, with its head
MAX_NULL_LISTS = 64
LOW = 1 << 32
TAG = 3  # 3.14 (gh-117139): the low bits of a _PyStackRef
FRAME, TUPLE = "frame", "tuple"
_Words = tuple[Sequence[int], Sequence[int]]  # places, and the words there
# Members that hold a reference, or NULL.
_MEMBERS = {
    "cell": ("PyCellObject", ("ob_ref",)),
    "function": (
        "PyFunctionObject",
        ("func_code", "func_closure", "func_defaults", "func_kwdefaults"),
    ),
    "code": ("PyCodeObject", ("co_consts", "co_names", "co_localsplusnames", "co_varnames")),
    TYPE: ("PyTypeObject", ("tp_dict", "tp_mro", "tp_bases")),
}


class ContainerSlot(NamedTuple):
    """A word that must be an object's address: `owner` is the container, `kind` its type."""

    place: int
    value: int
    owner: int
    kind: str


class ObjectWalk:
    """What frames of the process can reach: slots, and the objects they were found in, each once.

    `visited` are (address, category) in the order of the walk; frames are not among them.
    """

    def __init__(self, context: Context, python: PythonState) -> None:
        self._context = context
        self._most_items = context.reach.items
        self._python = python
        self.reader = shared_reader(context)
        self._objects = NamespaceReader(self.reader)
        self.kinds = ObjectTypes(self.reader, address_index(context))
        offset = python.layout.offset
        self._members = {
            category: make_struct_words(
                n for name in names if (n := offset(struct, name)) is not None
            )
            for category, (struct, names) in _MEMBERS.items()
        }
        # A frame may be a hole because its code object is damaged.
        self.frames = [
            frame for frame in _innermost_frames(python) if self.type_name_at(frame.code) == "code"
        ]
        self.visited: list[tuple[int, str]] = []
        self.slots = 0
        self._held: list[tuple[_Words, int, str]] = []  # what was found, its container and kind
        self._typeless: set[int] = set()  # words that are not the address of an object
        self.nulls: dict[int, set[int]] = {}  # list -> places of NULLs among its items
        self.cut = False
        self._slots: dict[int, list[tuple[int, int]]] = {}  # class -> runs of references
        self._reached: list[int] = []  # found, not yet judged
        self._waiting: list[int] = []
        self._types: deque[int] = deque()  # they come last: each leads to a dict of many
        self._seen: set[int] = {0}
        self._met: set[int] = set()  # types of what was visited
        self._walk_from_roots()

    def type_name_at(self, address: int) -> str:
        """Return the name of an object's type; "" for anything else."""
        return self.kinds.type_of_object(address).name

    def _walk_from_roots(self) -> None:
        """Find the slots: locals of frames, what the fault had at hand, globals, types."""
        for frame in self.frames:
            self._add_slots(self._frame_locals(frame), frame.address, FRAME)
        self._queue_reached_objects()
        self._reached += self._root_objects()
        self._queue_reached_objects(static=True)
        while (self._waiting or self._types) and not self.cut:
            batch = self._waiting or [self._types.popleft()]
            self._waiting = []
            self._visit_containers(batch)

    def _visit_containers(self, batch: list[int]) -> None:
        """Take what several containers hold: what they reach is judged at once, in their order.

        Nearly all are tuples of a few items (a process has those of its code objects): one by one
        they took three times as long.
        """
        typed = list(zip(batch, self.kinds.types_of_objects(batch), strict=True))
        tuples = [at for at, kind in typed if kind.category == TUPLE]
        size_at = self._offset("PyTupleObject", "ob_size")
        sizes = iter(self.reader.words([at + size_at for at in tuples]))
        for at, kind in typed:
            category = kind.category
            self.visited.append((at, category))
            if len(self.visited) > self._context.reach.containers:
                self.cut = True
                break
            if kind.address not in self._met:
                self._met.add(kind.address)
                self._queue_reached_objects()
                self._reached.append(kind.address)
                self._queue_reached_objects(static=self._context.sweep)
            is_tuple = category == TUPLE
            words = (
                self._tuple_items(at, next(sizes))
                if is_tuple
                else self._words_of_container(at, kind)
            )
            self._add_slots(words, at, kind.name)
            if self.cut:
                break
        self._queue_reached_objects()

    @cached_property
    def slots_without_object(self) -> list[ContainerSlot]:
        """The slots that hold no object's address, in the order of the walk."""
        return self.slots_that_hold(self._typeless)

    def slots_that_hold(self, wanted: set[int]) -> list[ContainerSlot]:
        """Return the slots that hold one of some words, in the order of the walk."""
        return [
            ContainerSlot(place, value, owner, kind)
            for (places, values), owner, kind in self._held
            if not wanted.isdisjoint(values)
            for place, value in zip(places, values, strict=True)
            if value in wanted
        ]

    def words_held_by_too_many_slots(self) -> set[int]:
        """Return the words that several slots hold, and that count fewer references than those.

        Some are addresses of no object.
        """
        number = Counter(value for (_, values), _, _ in self._held for value in values)
        several = [value for value, count in number.items() if value > LOW and count > 1]
        words = self.reader.words(several)
        return {
            value
            for value, word in zip(several, words, strict=True)
            if word & HALF_MASK < number[value] or value in self._typeless
        }

    def other_slots_of_container(self, slot: ContainerSlot) -> list[tuple[int, int]]:
        """Return (place, word) of the other slots of a container; of a dict, of the same column."""
        stride = WORD
        if slot.kind == "dict":
            with suppress(UnreadableMemory, LayoutError):
                stride = self.dict_entries_place(slot.owner)[2]
        return [
            (place, value)
            for (places, values), owner, _ in self._held
            if owner == slot.owner
            for place, value in zip(places, values, strict=True)
            if value and place != slot.place and not (place - slot.place) % stride
        ]

    def same_field_of_others(self, slot: ContainerSlot) -> list[tuple[int, int]]:
        """Return (place, word) of the same field of the other objects of a slot's owner's type."""
        at = slot.place - slot.owner
        owners = [owner for _, owner, kind in self._held if kind == slot.kind]
        places = [owner + at for owner in owners if owner != slot.owner]
        words = self.reader.words(places)
        return [
            slot_and_word for slot_and_word in zip(places, words, strict=True) if slot_and_word[1]
        ]

    def _add_slots(self, words: _Words, owner: int, kind: str) -> None:
        room = self._context.reach.slots - self.slots
        count = len(words[1]) - words[1].count(0)
        if count > room:
            kept = [
                slot_and_word for slot_and_word in zip(*words, strict=True) if slot_and_word[1]
            ][:room]
            words = [place for place, _ in kept], [value for _, value in kept]
            self.cut, count = True, room
        self.slots += count
        self._held.append((words, owner, kind))
        self._reached += words[1]

    def _queue_reached_objects(self, static: bool = False) -> None:
        """Put what was reached on the list of those to visit; `static`: built-in types too.

        Each of those has a dict of descriptors, which together are a third of a small process.
        """
        seen = self._seen
        new = [value for value in dict.fromkeys(self._reached) if value not in seen]
        self._reached = []
        kinds = self.kinds.types_of_objects(new)
        self._typeless.update(
            [value for value, kind in zip(new, kinds, strict=True) if kind is NO_TYPE]
        )
        held = [
            (value, kind.category) for value, kind in zip(new, kinds, strict=True) if kind.category
        ]
        seen.update(new)
        seen.difference_update([value for value, _category in held])
        counts = self.reader.words([value for value, _category in held])
        for (value, category), count in zip(held, counts, strict=True):
            if not 0 < count < LOW and not self._is_living_reference_count(count):
                continue
            if category != TYPE:
                self._waiting.append(value)
            elif static or self.kinds.is_heap_type(value):
                self._types.append(value)
            else:
                continue
            seen.add(value)

    def _is_living_reference_count(self, count: int) -> bool:
        """Whether a word counts references: objects on CPython's free lists have 0, or a link."""
        return 0 < count < LOW or (count >= LOW and self._context.target.region_at(count) is None)

    def _root_objects(self) -> Iterator[int]:
        """Yield what frames are made of, then the objects that the fault had at hand."""
        layout, reader = self._python.layout, self.reader
        name = _frame_struct_name(self._python)
        function = layout.offset(name, "f_funcobj.bits", "f_funcobj", "f_func")
        offsets = [function, layout.offset(name, "f_globals")]
        for frame in self.frames:
            yield frame.code
            for offset in offsets:
                with suppress(UnreadableMemory):
                    if offset is not None:
                        yield reader.u64(frame.address + offset) & ~TAG
        index = address_index(self._context)
        for value in words_at_fault(self._context):
            kind = self.kinds.type_of_object(value)
            if kind is NO_TYPE or index.in_free_block(value):
                continue
            if is_on_stack(self._context, value):  # what looks like an object there is not one
                continue
            if kind.category:
                yield value
            elif index.may_begin_object(value):  # an iterator, a method: containers that they name
                words = reader.words([value + WORD * n for n in range(2, MAX_MEMBERS)])
                yield from (word for word in words if self.kinds.type_of_object(word).category)

    def _frame_locals(self, frame: PyFrame) -> _Words:
        """Return a frame's variables; references that are not its own are left out.

        Reference: _PyStackRef, Include/internal/pycore_stackref.h (3.14 and later).
        """
        start, end = self._bounds_of_variables(frame)
        tagged = self._python.layout.offset(_frame_struct_name(self._python), "f_executable.bits")
        try:
            words = memoryview(self.reader.read(start, end - start)).cast("Q")
        except UnreadableMemory:
            return [], []
        kept = [n for n, word in enumerate(words) if word and not (tagged is not None and word & 1)]
        return [start + WORD * n for n in kept], [words[n] for n in kept]

    def values_of_variables(self) -> Iterator[int]:
        """Yield the values of the frames' variables, those of the innermost frame first."""
        for frame in self.frames:
            yield from self._frame_locals(frame)[1]

    def _bounds_of_variables(self, frame: PyFrame) -> tuple[int, int]:
        """Return where the variables of a frame begin and end."""
        layout, name = self._python.layout, _frame_struct_name(self._python)
        at = layout.offset(name, "localsplus", "f_localsplus")
        count_at = layout.offset("PyCodeObject", "co_nlocalsplus", "co_nlocals")
        if at is None or count_at is None:
            return 0, 0
        try:
            count = self.reader.u32(frame.code + count_at)
        except UnreadableMemory:
            count = 0
        return frame.address + at, frame.address + at + WORD * min(count, MAX_LOCALS)

    def is_left_over(self, place: int) -> bool:
        """Whether a word may be left over: on a frame's stack of values, or in no frame at all."""
        for frame in self.frames:
            start, end = self._bounds_of_variables(frame)
            if start <= place < end:
                return False
            if end <= place < end + WORD * MAX_DEPTH:
                return True
        return is_in_data_stack(self._context, place)

    def _tuple_items(self, at: int, count: int) -> _Words:
        """Return what a tuple of `count` items holds."""
        with suppress(UnreadableMemory):
            count = count if count < LOW else 0
            start = at + self._offset("PyTupleObject", "ob_item")
            words = self.reader.consecutive_words(start, min(count, self._most_items))
            return range(start, start + WORD * len(words), WORD), words
        return (), []

    def _words_of_container(self, at: int, kind: ObjectType) -> _Words:
        """Return what a container holds; nothing where it cannot be read."""
        category = kind.category
        members = self._members.get(category)
        if members is not None:
            return [at + n for n in members.offsets], self.reader.struct_words(at, members)
        if category == INSTANCE:
            return self._instance_words(at, kind.address)
        place_of = _CONTAINERS.get(category)
        with suppress(UnreadableMemory, LayoutError):
            place = place_of(self, at) if place_of is not None else None
            if place is not None:
                return self._words_of_table(at, category, *place)
        return (), []

    def _instance_words(self, at: int, kind: int) -> _Words:
        """Return what the slots of an instance and its array of values hold; reach its dict."""
        parts: list[_Words] = []
        with suppress(UnreadableMemory, LayoutError):
            if kind not in self._slots:
                self._slots[kind] = [
                    run for run in self.kinds.reference_slots_of_class(kind) if run[1]
                ]
            for start, count in self._slots[kind]:
                parts.append(self._words_of_table(at, INSTANCE, at + start, count, WORD, (0,)))
            held, values = self._objects.attribute_storage(at, kind)
            if values:
                parts.append(
                    self._words_of_table(
                        at, INSTANCE, values, self._shared_key_count(kind), WORD, (0,)
                    )
                )
            elif held:
                self._reached.append(held)
        if len(parts) == 1:
            return parts[0]
        return [at for part in parts for at in part[0]], [
            word for part in parts for word in part[1]
        ]

    @memoized
    def _shared_key_count(self, kind: int) -> int:
        """Return how many keys the instances of a class share. Raises UnreadableMemory."""
        return self._objects.keys_table_entries(self._objects.shared_keys(kind))[1]

    def _words_of_table(
        self, at: int, category: str, start: int, count: int, stride: int, offsets: tuple[int, ...]
    ) -> _Words:
        """Return the words of one table of a container."""
        step = stride // WORD
        words = self.reader.consecutive_words(start, min(count, self._most_items) * step)
        if len(offsets) == 2:
            return _keys_and_values(start, words, step, offsets)
        column = words if step == 1 else words[offsets[0] :: step]
        place = start + WORD * offsets[0]
        places = range(place, place + stride * len(column), stride)
        if category == "list" and 0 in column and len(self.nulls) < MAX_NULL_LISTS:
            self.nulls[at] = {place for place, word in zip(places, column, strict=True) if not word}
        return places, column

    # -- where containers keep their words: (start, count, stride in bytes, word offsets) ---

    def _offset(self, struct: str, member: str) -> int:
        return self._python.layout.require(struct, member)

    def dict_entries_place(self, at: int) -> _Place:
        """A dict's table, or the values of a split one."""
        keys = self.reader.u64(at + self._offset("PyDictObject", "ma_keys"))
        values = self.reader.u64(at + self._offset("PyDictObject", "ma_values"))
        start, count, width, hashed = self._objects.keys_table_entries(keys)
        if values:
            head = self._python.layout.offset("PyDictValues", "values") or 0
            return values + head, count, WORD, (0,)
        return start, count, width, (1, 2) if hashed else (0, 1)

    def list_item_array(self, at: int) -> _Place | None:
        """A list's items."""
        start = self.reader.u64(at + self._offset("PyListObject", "ob_item"))
        count = self.reader.i64(at + self._offset("PyListObject", "ob_size"))
        return (start, count, WORD, (0,)) if start and 0 < count < 1 << 32 else None

    def set_entries_place(self, at: int) -> _Place | None:
        """A set's entries: key and hash."""
        start = self.reader.u64(at + self._offset("PySetObject", "table"))
        mask = self.reader.u64(at + self._offset("PySetObject", "mask"))
        if not start or mask >= 1 << 32:
            return None
        return start, mask + 1, self._python.layout.size("setentry") or 16, (0,)


_Place = tuple[int, int, int, tuple[int, ...]]
_CONTAINERS: dict[str, Callable[[ObjectWalk, int], _Place | None]] = {
    "dict": ObjectWalk.dict_entries_place,
    "list": ObjectWalk.list_item_array,
    "set": ObjectWalk.set_entries_place,
    "frozenset": ObjectWalk.set_entries_place,
}


def _keys_and_values(start: int, words: list[int], step: int, offsets: tuple[int, ...]) -> _Words:
    """Return the keys and values of a table, entry by entry."""
    keys, values = words[offsets[0] :: step], words[offsets[1] :: step]
    if not any(map(eq, keys, values)):  # nearly always
        first, count, stride = start + WORD * offsets[0], len(keys), WORD * step
        beside = WORD * (offsets[1] - offsets[0])
        both = [0] * (2 * count)
        both[::2], both[1::2] = keys, values
        if stride == 2 * beside:  # without a hash, 3.11 and later
            return range(first, first + stride * count, beside), both
        at = [0] * (2 * count)
        at[::2] = range(first, first + stride * count, stride)
        at[1::2] = range(first + beside, first + beside + stride * count, stride)
        return at, both
    places: list[int] = []
    words_held: list[int] = []
    for number, (key, value) in enumerate(zip(keys, values, strict=True)):
        if key != value:  # up to 3.11 the table of interned strings, which holds none
            place = start + WORD * (step * number + offsets[0])
            places += place, place + WORD * (offsets[1] - offsets[0])
            words_held += key, value
    return places, words_held


def _frame_struct_name(python: PythonState) -> str:
    has_internal_frames = python.layout.offset("_PyInterpreterFrame", "f_globals") is not None
    return "_PyInterpreterFrame" if has_internal_frames else "PyFrameObject"


def _innermost_frames(python: PythonState) -> Iterator[PyFrame]:
    """Yield the innermost frames of each thread, those of the crashed one first."""
    for thread in sorted(python.threads(), key=lambda thread: not thread.crashed):
        for frame in thread.frames[:MAX_FRAMES]:
            if frame.address and frame.code:
                yield frame


@once_per_run
def object_walk(context: Context) -> ObjectWalk | Absent:
    """Return the walk over a process. Absent without Python, or without its layout."""
    python = context.state.python
    if isinstance(python, Absent):
        return python
    try:
        return ObjectWalk(context, python)
    except LayoutError as error:
        return Absent("not_available", str(error))
