# SPDX-License-Identifier: Apache-2.0
"""Find the instances of named classes, subclasses included, among the objects of a process.

The sources are the lists of the garbage collector and the locals of frames, with the attributes of
the threads that `threading` knows. In free-threaded builds, which keep no lists, only the last two:
objects that nobody's frame refers to are then missing, and said to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from gdb_epi.cpython.heap.gc_lists import (
    objects_being_collected,
    read_possible_pointers_in_locals,
    tracked_objects,
)
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.cpython.runtime.recover_modules import find_threading_globals
from gdb_epi.cpython.types import MemorySearchResults, PythonState
from gdb_epi.errors import Absent, SoftError, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_FOUND = 100_000
MAX_FRAMES = 200  # per thread
MAX_ATTRIBUTES = 64


class Instance(NamedTuple):
    """One object. `kind` is the wanted class (module.qualname), `shown` its own class."""

    address: int
    kind: str
    shown: str


def shared_instances(target: Target, python: PythonState) -> InstancesByClass:
    """Return the objects of a process; all callers share one scan of its memory."""
    searched = python.searched or MemorySearchResults()
    if searched.instances is None:
        searched.instances = InstancesByClass(MemoryReader(target, python.layout), python)
    instances: InstancesByClass = searched.instances
    return instances


class InstancesByClass:
    """The objects of one process by class; the objects are listed once."""

    def __init__(self, reader: MemoryReader, python: PythonState) -> None:
        self.reader, self._python = reader, python
        self.objects = NamespaceReader(reader)
        self.types = TypeReader(reader, self.objects, python.interpreter_addresses())
        self.ident = self.types.root_builtin_type_name
        self._containers = ContainerReader(reader)
        self._listed: list[int] = []
        self._types: list[int] | None = None  # of each of those
        self._distinct: list[int] = []
        self._kinds: dict[int, tuple[frozenset[str], str] | None] = {}
        self.problems: list[SoftError] = []

    @property
    def are_listed(self) -> bool:
        """Whether memory was walked already, so that asking costs nothing."""
        return self._types is not None

    def instances_of(self, wanted: Iterable[str]) -> tuple[Instance, ...]:
        """Return the instances of classes named `module.qualname`, or by a built-in's tp_name."""
        return self._instances_of_types(frozenset(wanted))

    @memoized
    def _instances_of_types(self, names: frozenset[str]) -> tuple[Instance, ...]:
        # The ob_type of each object in the list; the scan is made once. An object may be listed
        # twice, and what frames hold may be no object: type_of_object() sorts that out among the
        # few that it looks for.
        if self._types is None:
            type_at = self.reader.layout.require("PyObject", "ob_type")
            self._listed, self._types = self._tracked_objects()
            others = self._objects_outside_gc_lists()
            self._listed += others
            self._types += self.reader.words([address + type_at for address in others])
            self._distinct = [kind for kind in dict.fromkeys(self._types) if kind]
        types = self._types
        kinds = {
            type_at: kind
            for type_at in self._distinct
            if (kind := self._wanted_and_own_class(type_at, names)) is not None
        }
        if not kinds:
            return ()
        places = [place for place, type_at in enumerate(types) if type_at in kinds]
        listed = dict.fromkeys((self._listed[place], types[place]) for place in places)
        some = [(address, kind) for address, kind in listed if address and not address & 7]
        return tuple(Instance(address, *kinds[kind]) for address, kind in some[:MAX_FOUND])

    def wanted_class_of(self, address: int, names: frozenset[str]) -> tuple[str, str] | None:
        """Return the named class that an object is an instance of, and its own; None for none."""
        try:
            return self._wanted_and_own_class(self.types.type_of_object(address).address, names)
        except UnreadableMemory:
            return None

    def _wanted_and_own_class(self, type_at: int, names: frozenset[str]) -> tuple[str, str] | None:
        if type_at not in self._kinds:
            self._kinds[type_at] = None
            with suppress(UnreadableMemory):
                lineage = self.types.lineage(type_at)
                shown = [info.qualified_name for info in lineage.types]
                self._kinds[type_at] = (frozenset({*shown, lineage.ident}), shown[0])
        kind = self._kinds[type_at]
        hit = frozenset() if kind is None else kind[0] & names
        return (min(hit), kind[1]) if kind is not None and hit else None

    def _tracked_objects(self) -> tuple[list[int], list[int]]:
        objects, types, missing = tracked_objects(self.reader, self._python)
        for why in missing:
            self.problems.append(SoftError("objects", "the collector's lists", why.detail))
        return objects, types

    def _objects_outside_gc_lists(self) -> list[int]:
        objects = objects_being_collected(self.reader, self._python)
        for thread in self._python.threads():
            for frame in thread.frames[:MAX_FRAMES]:
                if frame.hole is None:
                    objects += read_possible_pointers_in_locals(self.reader, frame.address)
        objects += self._objects_threads_refer_to()
        return objects

    def _objects_threads_refer_to(self) -> Iterator[int]:
        """Yield what threads refer to: attributes, arguments, what weak references refer to."""
        for interpreter in self._python.interpreters:
            try:
                contents = find_threading_globals(self.reader, self.objects, interpreter.address)
                if isinstance(contents, Absent):
                    continue
                active = self.objects.dict_get(contents, "_active")
                if isinstance(active, Absent):
                    continue
                for _, thread in self.objects.dict_items(active):
                    yield from self._objects_thread_object_refers_to(thread)
            except UnreadableMemory as error:
                who = f"threads of interpreter {interpreter.id}"
                self.problems.append(SoftError("objects", who, str(error)))

    def _objects_thread_object_refers_to(self, thread: int) -> Iterator[int]:
        values = [value for _, value in self.objects.attributes(thread)][:MAX_ATTRIBUTES]
        arguments = self.objects.attribute(thread, "_args")
        if not isinstance(arguments, Absent) and self.ident(arguments) == "tuple":
            values += self._containers.tuple_items(arguments)[:MAX_ATTRIBUTES]
        for value in values:
            yield value
            if referent := self.referent_of_weak_reference(value):
                yield referent

    def referent_of_weak_reference(self, address: int) -> int:
        """Return what a weak reference refers to; 0 when it is dead or none."""
        if self.ident(address) not in ("weakref", "weakref.ReferenceType"):
            return 0
        referent = self.reader.field(address, "PyWeakReference", "wr_object")
        return 0 if self.ident(referent) == "NoneType" else referent
