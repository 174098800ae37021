# SPDX-License-Identifier: Apache-2.0
"""Find the instances of named classes, subclasses included, among the objects of a process.

The sources are the lists of the garbage collector and the locals of frames, with the attributes of
the threads that `threading` knows. In free-threaded builds, which keep no lists, only the last two:
objects that nobody's frame refers to are then missing, and said to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdb_epi.cpython.heap.gc_lists import frame_pointers, objects_being_collected, tracked_objects
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.object_reader import ObjectReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.runtime.thread_names import threading_globals
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple

MAX_FOUND = 100_000
MAX_FRAMES = 200  # per thread
MAX_ATTRIBUTES = 64


class Instance(NamedTuple):
    """One object. `kind` is the wanted class (module.qualname), `shown` its own class."""

    address: int
    kind: str
    shown: str


class Instances:
    """The objects of one process by class; the objects are listed once."""

    def __init__(self, reader: Reader, python: PythonState) -> None:
        self._reader, self._python = reader, python
        self.objects = ObjectReader(reader)
        addresses = tuple(interpreter.address for interpreter in python.interpreters)
        self.types = TypeReader(reader, self.objects, addresses)
        self._containers = ContainerReader(reader)
        self._all: list[int] | None = None
        self._kinds: dict[int, tuple[frozenset[str], str]] = {}
        self.problems: list[SoftError] = []

    def of(self, wanted: Iterable[str]) -> list[Instance]:
        """Return the instances of classes named `module.qualname`, or by a built-in's tp_name."""
        names = frozenset(wanted)
        instances: list[Instance] = []
        for address in self._listed():
            kind = self.kind(address, names)
            if kind and len(instances) < MAX_FOUND:
                instances.append(Instance(address, *kind))
        return instances

    def kind(self, address: int, names: frozenset[str]) -> tuple[str, str] | None:
        """Return which of the names an object is, and its own class; None when it is none."""
        try:
            if address & 7 or not address:
                return None
            type_at = self._reader.type_of(address)
            if type_at not in self._kinds:
                lineage = self.types.lineage(type_at)
                shown = [info.shown for info in lineage.types]
                self._kinds[type_at] = (frozenset({*shown, lineage.ident}), shown[0])
        except UnreadableMemory:
            return None
        mine, shown_as = self._kinds[type_at]
        hit = mine & names
        return (min(hit), shown_as) if hit else None

    def _listed(self) -> list[int]:
        if self._all is None:
            objects, missing = tracked_objects(self._reader, self._python)
            for why in missing:
                self.problems.append(SoftError("objects", "the collector's lists", why.detail))
            objects += objects_being_collected(self._reader, self._python)
            for thread in self._python.threads():
                for frame in thread.frames[:MAX_FRAMES]:
                    if frame.hole is None:
                        objects += frame_pointers(self._reader, frame.address)
            objects += self._of_threads()
            self._all = list(dict.fromkeys(objects))
        return self._all

    def _of_threads(self) -> Iterator[int]:
        """Yield what threads refer to: attributes, arguments, what weak references refer to."""
        for interpreter in self._python.interpreters:
            try:
                contents = threading_globals(self._reader, self.objects, interpreter.address)
                if isinstance(contents, Absent):
                    continue
                active = self.objects.dict_get(contents, "_active")
                if isinstance(active, Absent):
                    continue
                for _, thread in self.objects.dict_items(active):
                    yield from self._of_thread(thread)
            except UnreadableMemory as error:
                who = f"threads of interpreter {interpreter.id}"
                self.problems.append(SoftError("objects", who, str(error)))

    def _of_thread(self, thread: int) -> Iterator[int]:
        values = [value for _, value in self.objects.attributes(thread)][:MAX_ATTRIBUTES]
        arguments = self.objects.attribute(thread, "_args")
        if not isinstance(arguments, Absent) and self.ident(arguments) == "tuple":
            values += self._containers.tuple_items(arguments)[:MAX_ATTRIBUTES]
        for value in values:
            yield value
            referent = self.referent(value)
            if referent:
                yield referent

    def ident(self, address: int) -> str:
        """Return the built-in type that an object goes back to; "" when it is no object."""
        try:
            if address & 7 or not address:
                return ""
            return self.types.lineage(self._reader.type_of(address)).ident
        except UnreadableMemory:
            return ""

    def referent(self, address: int) -> int:
        """Return what a weak reference refers to; 0 when it is dead or none."""
        if self.ident(address) not in ("weakref", "weakref.ReferenceType"):
            return 0
        at = self._reader.layout.require("PyWeakReference", "wr_object")
        referent = self._reader.u64(address + at)
        return 0 if self.ident(referent) == "NoneType" else referent
