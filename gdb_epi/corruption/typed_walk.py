# SPDX-License-Identifier: Apache-2.0
"""Walk from the running frames' globals through containers, slot by slot."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.cpython.objects import Objects
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.lean import NamedTuple

MAX_CONTAINERS = 6000
MAX_SLOTS = 40_000
MAX_ITEMS = 8192  # of one container
MAX_FRAMES = 32
MAX_NULL_LISTS = 64
WORD = 8


class Slot(NamedTuple):
    """A word that must be an object's address: `owner` is the container, `kind` its type."""

    place: int
    value: int
    owner: int
    kind: str


class Walk:
    """The slots of containers that frames of the process can reach, each once."""

    def __init__(self, context: Context, python: PythonState) -> None:
        self._context = context
        self._python = python
        self._reader = Reader(context.target, python.layout)
        self._objects = Objects(self._reader)
        self._types: dict[int, str] = {}
        self.slots = 0
        self.nulls: dict[int, set[int]] = {}  # list -> places of NULLs among its items
        self.cut = False

    def run(self) -> Iterator[Slot]:
        """Yield the slots, those of the innermost frames' globals first."""
        waiting = deque(dict.fromkeys(self._roots()))
        seen = set(waiting)
        containers = 0
        while waiting and not self.cut:
            at = waiting.popleft()
            kind = self.type_at(at)
            containers += 1
            if containers > MAX_CONTAINERS:
                self.cut = True
                return
            for place, value in self._words(at, kind):
                self.slots += 1
                if self.slots > MAX_SLOTS:
                    self.cut = True
                    return
                yield Slot(place, value, at, kind)
                if value not in seen and self.type_at(value) in _CONTAINERS:
                    seen.add(value)
                    waiting.append(value)

    def type_at(self, address: int) -> str:
        """Return the name of an object's type; "" for what is none."""
        if address & 7 or address < 4096:
            return ""
        try:
            kind = self._reader.type_of(address)
        except UnreadableMemory:
            return ""
        if kind not in self._types:
            self._types[kind] = self._context.things.type_name(kind) or ""
        return self._types[kind]

    def _roots(self) -> Iterator[int]:
        layout = self._python.layout
        struct_name = "_PyInterpreterFrame"
        if layout.offset(struct_name, "f_globals") is None:
            struct_name = "PyFrameObject"
        offset = layout.offset(struct_name, "f_globals")
        if offset is None:
            return
        threads = sorted(self._python.threads(), key=lambda one: not one.crashed)
        for thread in threads:
            for frame in thread.frames[:MAX_FRAMES]:
                try:
                    yield self._reader.u64(frame.address + offset)
                except UnreadableMemory:
                    continue

    def _words(self, at: int, kind: str) -> list[tuple[int, int]]:
        """Return (place, value) of what a container holds; empty where it cannot be read."""
        places = _CONTAINERS.get(kind)
        if places is None:
            return []
        try:
            found = []
            for start, count, stride, offsets in places(self, at):
                data = self._context.target.read(start, min(count, MAX_ITEMS) * stride)
                words = struct.unpack(f"<{len(data) // WORD}Q", data)
                for number in range(0, len(words), stride // WORD):
                    for offset in offsets:
                        value = words[number + offset]
                        if value:
                            found.append((start + WORD * (number + offset), value))
                        elif kind == "list" and len(self.nulls) < MAX_NULL_LISTS:
                            place = start + WORD * (number + offset)
                            self.nulls.setdefault(at, set()).add(place)
        except (UnreadableMemory, LayoutError):
            return []
        return found

    # -- where containers keep their words: (start, count, stride in bytes, word offsets) ---

    def dict_places(self, at: int) -> Iterator[_Place]:
        """A dict's table, and the values of a split one."""
        layout = self._python.layout
        keys = self._reader.u64(at + layout.require("PyDictObject", "ma_keys"))
        values = self._reader.u64(at + layout.require("PyDictObject", "ma_values"))
        if values:
            return
        start, count, width, hashed = self._objects.entries(keys)
        yield start, count, width, (1, 2) if hashed else (0, 1)

    def list_places(self, at: int) -> Iterator[_Place]:
        """A list's items."""
        layout = self._python.layout
        start = self._reader.u64(at + layout.require("PyListObject", "ob_item"))
        count = self._reader.i64(at + layout.require("PyListObject", "ob_size"))
        if start and 0 < count < 1 << 32:
            yield start, count, WORD, (0,)

    def tuple_places(self, at: int) -> Iterator[_Place]:
        """A tuple's items, behind its header."""
        layout = self._python.layout
        count = self._reader.i64(at + layout.require("PyTupleObject", "ob_size"))
        if 0 < count < 1 << 32:
            yield at + layout.require("PyTupleObject", "ob_item"), count, WORD, (0,)

    def set_places(self, at: int) -> Iterator[_Place]:
        """A set's entries: key and hash."""
        layout = self._python.layout
        start = self._reader.u64(at + layout.require("PySetObject", "table"))
        mask = self._reader.u64(at + layout.require("PySetObject", "mask"))
        if start and mask < 1 << 32:
            yield start, mask + 1, layout.size("setentry") or 16, (0,)

    def cell_places(self, at: int) -> Iterator[_Place]:
        """A cell's contents."""
        yield at + self._python.layout.require("PyCellObject", "ob_ref"), 1, WORD, (0,)

    def function_places(self, at: int) -> Iterator[_Place]:
        """A function's code, and its closure."""
        layout = self._python.layout
        for name in ("func_code", "func_closure"):
            yield at + layout.require("PyFunctionObject", name), 1, WORD, (0,)


_Place = tuple[int, int, int, tuple[int, ...]]
_CONTAINERS = {
    "dict": Walk.dict_places,
    "list": Walk.list_places,
    "tuple": Walk.tuple_places,
    "set": Walk.set_places,
    "frozenset": Walk.set_places,
    "cell": Walk.cell_places,
    "function": Walk.function_places,
}


def walk_of(context: Context) -> Walk | Absent:
    """Return a walk over a process. Absent without Python, or without its layout."""
    python = context.state.python
    if isinstance(python, Absent):
        return python
    try:
        return Walk(context, python)
    except LayoutError as error:
        return Absent("not_available", str(error))
