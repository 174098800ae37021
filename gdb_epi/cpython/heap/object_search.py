# SPDX-License-Identifier: Apache-2.0
"""Objects found in memory by their type pointers.

Every object holds the address of its type, so a search for that word finds all of them: tracked by
the garbage collector or not, with the GIL and free-threaded, with and without symbols, wherever the
allocator put them. What a hit has to be beside, so that a stray pointer to a type is not taken for
an object, is in `ObjectSearch.may_be_alive` and `.links`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import INLINE_VALUES
from gdb_epi.cpython.objects.type_objects import HEAPTYPE, TypeInfo
from gdb_epi.cpython.types import MemorySearchResults, PythonState
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import LayoutError, SoftError, UnreadableMemory
from gdb_epi.sizes import ADDRESS_BITS
from gdb_epi.target.api import Target
from gdb_epi.target.memory_search import BUDGET, MemorySearch, Ranges
from gdb_epi.typing_lite import NamedTuple

MAX_TYPES = 200_000
MAX_OBJECTS = 5_000_000  # hits of one search
MAX_KEPT = 1_000_000  # objects of all types, for later searches: 100 MB
MAX_METATYPES = 500
MAX_OBJECT_BYTES = 1 << 36
BACKWARDS = (512, 1 << 14, 1 << 20)  # bytes searched before an address for an object's header

# Include/object.h, public ABI, 3.8 to 3.15.
HAVE_GC = 1 << 14
TYPE_SUBCLASS = 1 << 31
_TRACKED = 1  # _PyGC_BITS_TRACKED, Include/internal/pycore_gc.h (free-threaded 3.13+)
_MAX_REFCOUNT = 1 << 33  # 3.12+ (PEP 683): immortal objects have up to 2 ** 32 - 1
# _Py_REF_DEFERRED << _Py_REF_SHARED_SHIFT (Include/internal/pycore_object.h, free-threaded 3.14+):
# added to ob_ref_shared of types, functions and code objects, which only the collector frees. It
# takes this off before it frees one (disable_deferred_refcounting, Python/gc_free_threading.c).
_DEFERRED = ((1 << 63) - 1) // 8 << 2
_MAX_SHARED = 1 << 40


class GcStatus(NamedTuple):
    """What the garbage collector's own words say about an object."""

    plausible: bool
    tracked: bool | None  # None: a type without GC, or the words cannot be read


class ObjectSearch:
    """Search the memory of one process for objects. One budget of seconds for all searches."""

    def __init__(
        self,
        target: Target,
        python: PythonState,
        *,
        budget: float = BUDGET,
        access: PlainValues | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.target = target
        # Of one stop of the process: what is worth a search, and the types, are the same for all.
        self._searched = python.searched or MemorySearchResults()
        self.search = MemorySearch(target, budget=budget, clock=clock, kept=self._searched.ranges)
        self.access = access or PlainValues(target, python)
        self.reader = MemoryReader(target, python.layout)
        self.soft_errors = self.search.soft_errors
        self._python = python
        layout = self.reader.layout
        self.type_at = layout.require("PyObject", "ob_type")
        self._local_at = layout.offset("PyObject", "ob_ref_local")  # free-threaded
        self._shared_at = layout.offset("PyObject", "ob_ref_shared")
        self._gc_bits_at = layout.offset("PyObject", "ob_gc_bits")
        self._overflow_at = layout.offset("PyObject", "ob_overflow")  # 3.14+
        self._gc_size = layout.size("PyGC_Head") or 16
        self._size_at = layout.require("PyVarObject", "ob_size")
        self._types: dict[int, TypeInfo] | None = None
        # Takes the ranges of memory and gives those in which types may lie; all if it is None.
        self.places_of_types: Callable[[Ranges], Ranges] | None = None

    # -- types ------------------------------------------------------------------------------

    def metatype(self) -> int:
        """Return the address of `type`. Raises LayoutError when it cannot be found."""
        for interpreter in self._python.interpreters:
            contents = self.access.module_dict(interpreter.address, "builtins")
            metatype = self.access.dict_value(contents, "type") if contents else None
            if metatype and self._is_metatype(metatype):
                return metatype
        for thread in self._python.threads():
            for frame in thread.frames:
                try:
                    metatype = self.reader.type_of(self.reader.type_of(frame.code))
                except UnreadableMemory:
                    continue
                if self._is_metatype(metatype):
                    return metatype
        raise LayoutError("the type of types cannot be found: no builtins and no frames")

    def _is_metatype(self, address: int) -> bool:
        try:
            return self.reader.type_of(address) == address
        except UnreadableMemory:
            return False

    def types_by_address(self) -> dict[int, TypeInfo]:
        """Return every type of the process by address; raises OutOfTime."""
        if self._types is None and self.places_of_types is None:
            self._types = self._searched.types
        if self._types is None:
            metatype = self.metatype()
            ranges = None
            if self.places_of_types is not None:
                ranges = self.places_of_types(self.search.nonzero_ranges(True))
            types: dict[int, TypeInfo] = {}
            level, seen = [metatype], {metatype}
            while level:
                following: list[int] = []
                for _, place in self.search.find_any_word(level, ranges):
                    address = place - self.type_at
                    info = self._type_at(address) if self.may_be_alive(address) else None
                    if info is None:
                        continue
                    if len(types) < MAX_TYPES:
                        types[address] = info
                    is_metatype = info.flags & TYPE_SUBCLASS and address not in seen
                    if is_metatype and len(seen) < MAX_METATYPES:
                        seen.add(address)
                        following.append(address)
                level = following
            self._types = types
            if self.places_of_types is None:
                self._searched.types = types
        return self._types

    def _type_at(self, address: int) -> TypeInfo | None:
        try:
            return self.access.context.types.type_at(address)
        except (UnreadableMemory, LayoutError):
            return None

    # -- objects ----------------------------------------------------------------------------

    def may_be_alive(self, address: int) -> bool:
        """Tell whether the words of an object's header can be those of a living object."""
        try:
            if self._local_at is None:
                word = self.reader.u64(address)
                if self._overflow_at is not None:
                    count = word & 0xFFFFFFFF
                    return (
                        count > 0
                        and not word >> 32 & 0xFFFF
                        and not self._is_count_an_address(word)
                    )
                return 0 < word < _MAX_REFCOUNT and not self._is_count_an_address(word)
            return self._may_be_alive_free_threaded(address)
        except UnreadableMemory:
            return False

    def _is_count_an_address(self, word: int) -> bool:
        """Tell whether a word that should count is an address: a freed block's link to the next."""
        return word > 0xFFFF and not word & 7 and self.target.region_at(word) is not None

    def _may_be_alive_free_threaded(self, address: int) -> bool:
        """Judge a free-threaded header: owner, local and shared count (PEP 703)."""
        owner = self.reader.u64(address)
        local = self.reader.u32(address + (self._local_at or 0))
        shared = self.reader.i64(address + (self._shared_at or 0))
        if owner and (owner < 1 << 20 or owner & 7 or owner >> ADDRESS_BITS):
            return False
        if self._types is not None and self.reader.u64(address + 8) in self._types:
            return False  # a tuple's type lies there: this is the inside of a tuple
        if abs(shared - _DEFERRED) < _MAX_SHARED:
            return True
        if not -_MAX_SHARED < shared < _MAX_SHARED:
            return False
        return local > 0 or shared >> 2 > 0

    def compare_gc_links(self, address: int, info: TypeInfo) -> GcStatus:
        """Compare an object's GC words with its neighbours'.

        With the GIL the head lies before the object, in a doubly linked list; free-threaded
        builds have a bit. An object that is not tracked has no links.
        """
        if not info.flags & HAVE_GC:
            return GcStatus(True, None)
        try:
            if self._gc_bits_at is not None:
                return GcStatus(True, bool(self.reader.u8(address + self._gc_bits_at) & _TRACKED))
            if info.flags & TYPE_SUBCLASS and not self._is_heap_type(address):
                return GcStatus(True, False)  # static types have no GC head
            head = address - self._gc_size
            following, previous = self.reader.u64(head), self.reader.u64(head + 8)
            if not following & ~3:
                return GcStatus(previous < 4, False)
            back = self.reader.u64((following & ~3) + 8) & ~3
            # While a collection runs, _gc_prev counts references (Modules/gcmodule.c).
            return (
                GcStatus(True, True)
                if back == head
                else GcStatus(self._is_collection_running(), None)
            )
        except UnreadableMemory:
            return GcStatus(False, None)

    def _is_heap_type(self, address: int) -> bool:
        info = self._type_at(address)
        return info is not None and bool(info.flags & HEAPTYPE)

    def _is_collection_running(self) -> bool:
        layout = self.reader.layout
        for struct, base in (
            ("PyInterpreterState", self._python.interpreter_addresses()),
            ("_PyRuntimeState", (self._python.runtime,)),  # before 3.9 (bpo-40513)
        ):
            at = layout.offset(struct, "gc.collecting")
            inner = layout.offset("_gc_runtime_state", "collecting")
            if at is None and inner is not None:
                start = layout.offset(struct, "gc")
                at = None if start is None else start + inner
            if at is not None:
                try:
                    return any(self.reader.u32(address + at) for address in base)
                except UnreadableMemory:
                    return True
        return True

    def objects_of_type(self, kind: int) -> Iterator[tuple[int, bool | None]]:
        """Yield (address, tracked by the GC) of the living objects of exactly one type.

        Raises OutOfTime.
        """
        kept = self._searched.objects
        if kind in kept:
            yield from kept[kind]
            return
        info = self.types_by_address().get(kind) or self._type_at(kind)
        if info is None:
            return
        objects: list[tuple[int, bool | None]] = []
        for hit in self.search.find_word(kind):
            address = hit - self.type_at
            status = self.gc_status(address, info)
            if status is None:
                continue
            if len(objects) >= MAX_OBJECTS:
                text = f"stopped after {MAX_OBJECTS} objects of one type"
                self.soft_errors.append(SoftError("heap", info.qualified_name, text))
                return
            objects.append((address, status.tracked))
            yield objects[-1]
        if sum(map(len, kept.values())) + len(objects) <= MAX_KEPT:
            kept[kind] = objects

    def gc_status(self, address: int, info: TypeInfo) -> GcStatus | None:
        """Return what the collector says about an object of a type; None when there is none."""
        if (
            not self._is_aligned(address)
            or not self.may_be_alive(address)
            or self._is_inside_of_sequence(address)
        ):
            return None
        status = self.compare_gc_links(address, info)
        return status if status.plausible else None

    def _is_aligned(self, address: int) -> bool:
        """Tell whether an allocator could have put an object here: all of CPython's align to 16."""
        if not address & 15:
            return True
        region = self.target.region_at(address)
        return region is not None and region.path is not None and not address & 7

    def _is_inside_of_sequence(self, address: int) -> bool:
        """Whether this is the inside of a tuple or the like: its ob_size, then its first item."""
        if self._local_at is not None:
            return False  # told by `_may_be_alive_free_threaded`
        try:
            before = self.reader.u64(address - 8)
        except UnreadableMemory:
            return False
        return before in self.types_by_address() and self.may_be_alive(address - self._size_at)

    def size_of(self, address: int) -> int:
        """Return how many bytes an object takes, without what it points to."""
        kind = self.reader.type_of(address)
        info = self.types_by_address().get(kind)
        if info is None:
            return 0
        ident = self.access.ident(address)
        if ident == "str":
            return self._str_size(address)
        if ident in ("generator", "coroutine", "async_generator"):
            return info.basicsize + 8 * 512 if info.itemsize else info.basicsize
        if info.flags & TYPE_SUBCLASS and not self._is_heap_type(address):
            return self.reader.layout.size("PyTypeObject") or info.basicsize
        if not info.itemsize:
            return info.basicsize + self._inline_values_size(address, info)
        count = self.reader.i64(address + self._size_at)
        if ident in ("int", "bool") and self.reader.layout.offset("PyLongObject", "lv_tag"):
            count >>= 3  # 3.12 (gh-101291)
        size = info.basicsize + abs(count) * info.itemsize
        return size if size < MAX_OBJECT_BYTES else 0

    def _inline_values_size(self, address: int, info: TypeInfo) -> int:
        """Return the bytes of attribute values after an instance (3.13, gh-115776)."""
        layout = self.reader.layout
        capacity_at = layout.offset("PyDictValues", "capacity")
        embedded = layout.offset("PyDictValues", "embedded") is not None
        if not embedded or capacity_at is None or not info.flags & INLINE_VALUES:
            return 0
        capacity = self.reader.u8(address + info.basicsize + capacity_at)
        return (layout.offset("PyDictValues", "values") or 8) + 8 * capacity

    def _str_size(self, address: int) -> int:
        _, length, width, _ = self.reader.str_characters(address)
        head = self.reader.layout.size("PyCompactUnicodeObject") or 72
        size = head + (length + 1) * max(width, 1)
        return size if size < MAX_OBJECT_BYTES else 0

    def object_enclosing(self, address: int) -> int | None:
        """Return the object whose bytes hold an address, the nearest one before it."""
        region = self.target.region_at(address)
        if region is None:
            return None
        types = self.types_by_address()
        end = (address & ~7) + 8
        done = end
        for distance in BACKWARDS:
            start = max(region.start, end - distance)
            if start >= done:
                return None
            try:
                memory = self.target.read(start, done - start)
            except UnreadableMemory:
                return None
            words = memoryview(memory).cast("Q")
            for at in range(len(words) - 1, -1, -1):
                if words[at] in types:
                    candidate = start + 8 * at - self.type_at
                    if self._object_covers(candidate, address):
                        return candidate
            done = start
        return None

    def _object_covers(self, candidate: int, address: int) -> bool:
        try:
            if (
                not self._is_aligned(candidate)
                or not self.may_be_alive(candidate)
                or self._is_inside_of_sequence(candidate)
            ):
                return False
            return candidate <= address < candidate + self.size_of(candidate)
        except (UnreadableMemory, LayoutError):
            return False
