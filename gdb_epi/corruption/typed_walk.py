# SPDX-License-Identifier: Apache-2.0
"""Walk from the running frames through containers, functions, instances and types, slot by slot."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.memory import touched
from gdb_epi.corruption.own_fields import in_data_stack
from gdb_epi.corruption.paged import PagedReader
from gdb_epi.corruption.pointers import on_stack
from gdb_epi.corruption.python_kinds import INSTANCE, TYPE, Kinds
from gdb_epi.cpython.objects import Objects
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.lean import NamedTuple

MAX_CONTAINERS = 6000
MAX_SLOTS = 40_000
MAX_ITEMS = 8192  # of one container
MAX_FRAMES = 32
MAX_DEPTH = 64  # words of a frame's stack of values that may be left over
MAX_LOCALS = 256  # of one frame
MAX_NULL_LISTS = 64
WORD = 8
LOW = 1 << 32
TAG = 3  # 3.14 (gh-117139): the low bits of a _PyStackRef
FRAME = "frame"
_Words = tuple[list[int], list[int]]  # places, and the words there


class Slot(NamedTuple):
    """A word that must be an object's address: `owner` is the container, `kind` its type."""

    place: int
    value: int
    owner: int
    kind: str


class Walk:
    """What frames of the process can reach: slots, and the objects they were found in, each once.

    `visited` are (address, category) in the order of the walk; frames are not among them.
    """

    def __init__(self, context: Context, python: PythonState) -> None:
        self._context = context
        self._python = python
        self.reader = PagedReader(context.target, python.layout)
        self._objects = Objects(self.reader)
        self.kinds = Kinds(self.reader, context.things)
        self._members = {
            category: [n for name in names if (n := python.layout.offset(struct, name)) is not None]
            for category, (struct, names) in _MEMBERS.items()
        }
        # A frame may be a hole because its code object is damaged.
        self.frames = [one for one in _frames(python) if self.type_at(one.code) == "code"]
        self.visited: list[tuple[int, str]] = []
        self.slots = 0
        self._held: list[tuple[_Words, int, str]] = []  # what was found, its container and kind
        self._typeless: set[int] = set()  # words that are no object's address
        self.nulls: dict[int, set[int]] = {}  # list -> places of NULLs among its items
        self.cut = False
        self._offsets: dict[tuple[str, str], int] = {}
        self._waiting: deque[int] = deque()
        self._types: deque[int] = deque()  # they come last: each leads to a dict of many
        self._seen: set[int] = set()
        self._run()

    def type_at(self, address: int) -> str:
        """Return the name of an object's type; "" for what is none."""
        return self.kinds.of(address).name

    def _run(self) -> None:
        """Find the slots: locals of frames, what the fault had at hand, globals, types."""
        for frame in self.frames:
            self._add(self._locals(frame), frame.address, FRAME)
        for root in self._roots():
            self._follow(root, static=True)
        while (self._waiting or self._types) and not self.cut:
            at = self._waiting.popleft() if self._waiting else self._types.popleft()
            kind = self.kinds.of(at)
            self.visited.append((at, kind.category))
            if len(self.visited) > MAX_CONTAINERS:
                self.cut = True
                return
            self._follow(kind.address, static=self._context.sweep)
            self._add(self._words(at, kind.category), at, kind.name)

    def without_type(self) -> list[Slot]:
        """Return the slots that hold no object's address, in the order of the walk."""
        typeless = self._typeless
        return [
            Slot(place, value, owner, kind)
            for (places, values), owner, kind in self._held
            if not typeless.isdisjoint(values)
            for place, value in zip(places, values, strict=True)
            if value in typeless
        ]

    def beside(self, slot: Slot) -> list[tuple[int, int]]:
        """Return (place, word) of the other slots of a container; of a dict, of the same column."""
        stride = WORD
        if slot.kind == "dict":
            with suppress(UnreadableMemory, LayoutError):
                stride = next(iter(self.dict_places(slot.owner)))[2]
        return [
            (place, value)
            for (places, values), owner, _ in self._held
            if owner == slot.owner
            for place, value in zip(places, values, strict=True)
            if place != slot.place and not (place - slot.place) % stride
        ]

    def same_field(self, slot: Slot) -> list[tuple[int, int]]:
        """Return (place, word) of the same field of the other objects of a slot's owner's type."""
        at = slot.place - slot.owner
        owners = [owner for _, owner, kind in self._held if kind == slot.kind]
        places = [owner + at for owner in owners if owner != slot.owner]
        words = self.reader.words(places)
        return [one for one in zip(places, words, strict=True) if one[1]]

    def _add(self, words: _Words, owner: int, kind: str) -> None:
        places, values = words
        room = MAX_SLOTS - self.slots
        if len(values) > room:
            places, values = places[:room], values[:room]
            self.cut = True
        self.slots += len(values)
        self._held.append(((places, values), owner, kind))
        seen, follow = self._seen, self._follow
        for value in dict.fromkeys(values):
            if value not in seen:
                follow(value)

    def _follow(self, value: int, static: bool = False) -> None:
        """Put an object on the list of those to visit; built-in types only when they are asked for.

        Each of those has a dict of descriptors, which together are a third of a small process.
        """
        if value in self._seen:
            return
        kind = self.kinds.of(value)
        category = kind.category
        if not category:
            self._seen.add(value)
            if not kind.name:
                self._typeless.add(value)
        elif self._is_alive(value):
            if category == TYPE and not (static or self.kinds.is_heap_type(value)):
                return
            self._seen.add(value)
            (self._types if category == TYPE else self._waiting).append(value)

    def _is_alive(self, address: int) -> bool:
        """Whether an object has references: those on CPython's free lists have 0, or a link."""
        count = self.reader.word(address)
        return 0 < count < LOW or (count >= LOW and self._context.target.region_at(count) is None)

    def _roots(self) -> Iterator[int]:
        """Yield what frames are made of, then the objects that the fault had at hand."""
        layout, reader = self._python.layout, self.reader
        name = _frame_struct(self._python)
        function = layout.offset(name, "f_funcobj.bits", "f_funcobj", "f_func")
        offsets = [function, layout.offset(name, "f_globals")]
        for frame in self.frames:
            yield frame.code
            for offset in offsets:
                with suppress(UnreadableMemory):
                    if offset is not None:
                        yield reader.u64(frame.address + offset) & ~TAG
        things = self._context.things
        for value in touched(self._context):
            if not self.kinds.of(value).category or things.in_free_block(value):
                continue
            if not on_stack(self._context, value):  # what looks like an object there is none
                yield value

    def _locals(self, frame: PyFrame) -> _Words:
        """Return a frame's variables; references that are not its own are left out.

        Reference: _PyStackRef, Include/internal/pycore_stackref.h (3.14 and later).
        """
        start, end = self._variables(frame)
        tagged = self._python.layout.offset(_frame_struct(self._python), "f_executable.bits")
        try:
            words = memoryview(self.reader.read(start, end - start)).cast("Q")
        except UnreadableMemory:
            return [], []
        kept = [n for n, word in enumerate(words) if word and not (tagged is not None and word & 1)]
        return [start + WORD * n for n in kept], [words[n] for n in kept]

    def _variables(self, frame: PyFrame) -> tuple[int, int]:
        """Return where the variables of a frame begin and end."""
        layout, name = self._python.layout, _frame_struct(self._python)
        at = layout.offset(name, "localsplus", "f_localsplus")
        count_at = layout.offset("PyCodeObject", "co_nlocalsplus", "co_nlocals")
        if at is None or count_at is None:
            return 0, 0
        try:
            count = self.reader.u32(frame.code + count_at)
        except UnreadableMemory:
            count = 0
        return frame.address + at, frame.address + at + WORD * min(count, MAX_LOCALS)

    def is_stale(self, place: int) -> bool:
        """Whether a word may be left over: on a frame's stack of values, or in no frame at all."""
        for frame in self.frames:
            start, end = self._variables(frame)
            if start <= place < end:
                return False
            if end <= place < end + WORD * MAX_DEPTH:
                return True
        return in_data_stack(self._context, place)

    def _words(self, at: int, category: str) -> _Words:
        """Return what a container holds, without NULLs; nothing where it cannot be read."""
        members = self._members.get(category)
        if members is not None:
            return _no_nulls(
                [at + n for n in members], self.reader.words([at + n for n in members])
            )
        places = _CONTAINERS.get(category)
        found: _Words = [], []
        if places is None:
            return found
        watched = category == "list" and len(self.nulls) < MAX_NULL_LISTS
        with suppress(UnreadableMemory, LayoutError):
            for start, count, stride, offsets in places(self, at):
                data = self.reader.read(start, min(count, MAX_ITEMS) * stride)
                words = memoryview(data[: len(data) // WORD * WORD]).cast("Q")
                if len(offsets) == 2:
                    _add_pairs(found, start, words, stride, offsets)
                    continue
                place = start + WORD * offsets[0]
                column = words[offsets[0] :: stride // WORD].tolist()
                some = list(range(place, place + stride * len(column), stride))
                if 0 in column:
                    nulls = {place for place, word in zip(some, column, strict=True) if not word}
                    if watched:
                        self.nulls[at] = nulls
                    some, column = _no_nulls(some, column)
                found[0].extend(some)
                found[1].extend(column)
        return found

    # -- where containers keep their words: (start, count, stride in bytes, word offsets) ---

    def _at(self, struct: str, member: str) -> int:
        key = struct, member
        if key not in self._offsets:
            self._offsets[key] = self._python.layout.require(struct, member)
        return self._offsets[key]

    def dict_places(self, at: int) -> Iterator[_Place]:
        """A dict's table, or the values of a split one."""
        keys = self.reader.u64(at + self._at("PyDictObject", "ma_keys"))
        values = self.reader.u64(at + self._at("PyDictObject", "ma_values"))
        start, count, width, hashed = self._objects.entries(keys)
        if values:
            head = self._python.layout.offset("PyDictValues", "values") or 0
            yield values + head, count, WORD, (0,)
        else:
            yield start, count, width, (1, 2) if hashed else (0, 1)

    def list_places(self, at: int) -> Iterator[_Place]:
        """A list's items."""
        start = self.reader.u64(at + self._at("PyListObject", "ob_item"))
        count = self.reader.i64(at + self._at("PyListObject", "ob_size"))
        if start and 0 < count < 1 << 32:
            yield start, count, WORD, (0,)

    def tuple_places(self, at: int) -> Iterator[_Place]:
        """A tuple's items, behind its header."""
        count = self.reader.i64(at + self._at("PyTupleObject", "ob_size"))
        if 0 < count < 1 << 32:
            yield at + self._at("PyTupleObject", "ob_item"), count, WORD, (0,)

    def set_places(self, at: int) -> Iterator[_Place]:
        """A set's entries: key and hash."""
        start = self.reader.u64(at + self._at("PySetObject", "table"))
        mask = self.reader.u64(at + self._at("PySetObject", "mask"))
        if start and mask < 1 << 32:
            yield start, mask + 1, self._python.layout.size("setentry") or 16, (0,)

    def instance_places(self, at: int) -> Iterator[_Place]:
        """The slots of an instance of a class written in Python, then its array of values."""
        kind = self.reader.type_of(at)
        for start, count in self.kinds.slots_of(kind):
            if count:
                yield at + start, count, WORD, (0,)
        held, values = self._objects.attribute_storage(at, kind)
        if values:
            entries = self._objects.entries(self._objects.shared_keys(kind))
            yield values, entries[1], WORD, (0,)
        elif held and held not in self._seen:
            self._follow(held)


_Place = tuple[int, int, int, tuple[int, ...]]
_CONTAINERS = {
    "dict": Walk.dict_places,
    "list": Walk.list_places,
    "tuple": Walk.tuple_places,
    "set": Walk.set_places,
    "frozenset": Walk.set_places,
    INSTANCE: Walk.instance_places,
}


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


def _no_nulls(places: list[int], words: list[int]) -> _Words:
    kept = [n for n, word in enumerate(words) if word]
    return [places[n] for n in kept], [words[n] for n in kept]


def _add_pairs(
    found: _Words, start: int, words: memoryview, stride: int, offsets: tuple[int, ...]
) -> None:
    """Add the keys and values of a table, entry by entry."""
    first, second = (words[offset :: stride // WORD].tolist() for offset in offsets)
    place, between = start + WORD * offsets[0], WORD * (offsets[1] - offsets[0])
    for key, value in zip(first, second, strict=True):
        if key != value:  # up to 3.11 the table of interned strings, which holds none
            if key:
                found[0].append(place)
                found[1].append(key)
            if value:
                found[0].append(place + between)
                found[1].append(value)
        place += stride


def _frame_struct(python: PythonState) -> str:
    known = python.layout.offset("_PyInterpreterFrame", "f_globals") is not None
    return "_PyInterpreterFrame" if known else "PyFrameObject"


def _frames(python: PythonState) -> Iterator[PyFrame]:
    """Yield the innermost frames of each thread, those of the crashed one first."""
    for thread in sorted(python.threads(), key=lambda one: not one.crashed):
        for frame in thread.frames[:MAX_FRAMES]:
            if frame.address and frame.code:
                yield frame


def walk_of(context: Context) -> Walk | Absent:
    """Return the walk over a process, made once. Absent without Python, or without its layout."""
    if "walk" not in context.kept:
        python = context.state.python
        if isinstance(python, Absent):
            context.kept["walk"] = python
        else:
            try:
                context.kept["walk"] = Walk(context, python)
            except LayoutError as error:
                context.kept["walk"] = Absent("not_available", str(error))
    found: Walk | Absent = context.kept["walk"]
    return found
