# SPDX-License-Identifier: Apache-2.0
"""Who refers to an object: every word of memory that holds its address, and what that word is.

Memory is searched for the address, so untracked containers, C stacks and static data are covered
too. Each place is then explained: a slot of a Python frame, a C stack, a member of an object, an
entry of a dict, list, set or deque, or a buffer that an object points to. A dict is explained
by whose namespace it is: a module's, a class's or an instance's.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator

from gdb_epi.cpython.heap.find_objects import AddressLocations, find_struct_member
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.decoders.collections import deque_items
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.errors import LayoutError, SoftError, UnreadableMemory
from gdb_epi.target.memory_search import OutOfTime
from gdb_epi.typing_lite import NamedTuple

MAX_OWNERS = 32  # dicts of instances whose owners are looked for in all memory
MAX_DICT = 1 << 20
MAX_BLOCKS = 1 << 16
MAX_PLACES = 10_000  # words that hold the address
MAX_CONTAINERS = 2_000_000
MAX_NEAR = 4096  # bytes from the start of a buffer at which a word in it is looked for
MAX_NEAR_SEARCHES = 16
MIN_SEARCHES_BACK = 128  # words whose object is looked for; 10 ms each, where none is
# Kinds of locations (Reference.kind).
FRAME, OBJECT, BUFFER = "frame", "object", "buffer"
STACK, STALE, STATIC, MEMORY = "C stack", "unused stack", "static data", "memory"
# Built-in types and the structs that say what their members are called.
_STRUCTS = {
    "function": "PyFunctionObject",
    "method": "PyMethodObject",
    "cell": "PyCellObject",
    "module": "PyModuleObject",
    "frame": "PyFrameObject",
    "generator": "PyGenObject",
    "coroutine": "PyCoroObject",
    "async_generator": "PyAsyncGenObject",
    "builtin_function_or_method": "PyCFunctionObject",
    "traceback": "PyTracebackObject",
    "code": "PyCodeObject",
    "type": "PyHeapTypeObject",
    "weakref": "PyWeakReference",
    "slice": "PySliceObject",
    "mappingproxy": "mappingproxyobject",
    "BaseException": "PyBaseExceptionObject",
    "functools.partial": "partialobject",
    "collections.defaultdict": "defdictobject",
    "_asyncio.Task": "TaskObj",
    "_asyncio.Future": "FutureObj",
}
_GENERATORS = ("generator", "coroutine", "async_generator")
_TOO_COMMON = (
    "a word that is held so often is no single object's: the objects of the words behind the first"
    " ones were not looked for, only containers and mappings (a larger --limit looks for more)"
)
_WEAK = ("weakref", "weakref.ReferenceType", "weakproxy")
_ORDER = (FRAME, OBJECT, BUFFER, STATIC, STACK, MEMORY, STALE)


class DictOwners:
    """Name the owners of the dicts of one process."""

    def __init__(self, heap: ObjectSearch, python: PythonState) -> None:
        self._heap = heap
        self._python = python
        self._reader = heap.reader
        self._access = heap.access
        self._known: dict[int, str] | None = None
        self._cap = 0

    def owner_text(self, holder: int) -> str | None:
        """Return whose namespace a dict is, in words; raises OutOfTime."""
        if self._known is None:
            types = self._heap.types_by_address().values()
            self._known = {info.dict: f"class {info.qualified_name}" for info in types if info.dict}
            at = self._reader.layout.offset("PyInterpreterState", "imports.modules", "modules")
            dict_at = self._reader.layout.require("PyModuleObject", "md_dict")
            for interpreter in self._python.interpreters if at is not None else ():
                modules = self._reader.u64(interpreter.address + (at or 0))
                for key, value in self._access.dict_pairs(modules):
                    name = self._access.text(key, 4096)
                    if name and self._access.ident(value) == "module":
                        self._known[self._reader.u64(value + dict_at)] = f"module {name}"
            self._cap = len(self._known) + MAX_OWNERS
        owners = self._known
        if holder not in owners and len(owners) < self._cap:
            for at in self._heap.search.find_word(holder):
                instance = self._heap.object_enclosing(at)
                if instance is not None and self._is_instance_dict(instance, at):
                    owners[holder] = f"{self._access.type_name(instance)} at {instance:#x}"
                    break
        return owners.get(holder)

    def _is_instance_dict(self, instance: int, at: int) -> bool:
        try:
            kind = self._reader.type_of(instance)
            offset = self._reader.signed_field(kind, "PyTypeObject", "tp_dictoffset")
        except UnreadableMemory:
            return False
        return offset > 0 and at == instance + offset


class ContainerStorage(NamedTuple):
    """A range of memory that belongs to a container but lies elsewhere."""

    start: int
    end: int
    owner: int
    ident: str


def _storage_of_dict(access: PlainValues, holder: int) -> Iterator[ContainerStorage]:
    layout = access.reader.layout
    keys = access.reader.field(holder, "PyDictObject", "ma_keys")
    start, count, width, _ = access.objects.keys_table_entries(keys)
    yield ContainerStorage(start, start + min(count, MAX_DICT) * width, holder, "dict")
    values = access.reader.field(holder, "PyDictObject", "ma_values")
    if values:
        values += layout.offset("PyDictValues", "values") or 0
        yield ContainerStorage(values, values + 8 * count, holder, "dict")


def _list_storage(access: PlainValues, holder: int) -> Iterator[ContainerStorage]:
    start = access.reader.field(holder, "PyListObject", "ob_item")
    count = access.reader.signed_field(holder, "PyListObject", "ob_size")
    if start and 0 < count < 1 << 40:
        yield ContainerStorage(start, start + 8 * count, holder, "list")


def _set_storage(access: PlainValues, holder: int) -> Iterator[ContainerStorage]:
    layout = access.reader.layout
    start = access.reader.field(holder, "PySetObject", "table")
    mask = access.reader.field(holder, "PySetObject", "mask")
    if mask < 1 << 36:
        size = layout.size("setentry") or 16
        yield ContainerStorage(start, start + size * (mask + 1), holder, "set")


def _deque_storage(access: PlainValues, holder: int) -> Iterator[ContainerStorage]:
    layout = access.reader.layout
    block = access.reader.field(holder, "dequeobject", "leftblock")
    last = access.reader.field(holder, "dequeobject", "rightblock")
    link = layout.require("dequeblock", "rightlink")
    seen: set[int] = set()
    while block and block not in seen and len(seen) < MAX_BLOCKS:
        seen.add(block)
        yield ContainerStorage(block, block + (layout.size("dequeblock") or 528), holder, "deque")
        if block == last:
            return  # its rightlink is never set
        block = access.reader.u64(block + link)


# By the name of the built-in type; each raises what reading raises.
STORAGES: dict[str, Callable[[PlainValues, int], Iterator[ContainerStorage]]] = {
    "dict": _storage_of_dict,
    "list": _list_storage,
    "set": _set_storage,
    "frozenset": _set_storage,
    "collections.deque": _deque_storage,
}


class Reference(NamedTuple):
    """One word that holds the address."""

    place: int
    kind: str
    holder: int  # the object that refers to it; 0 when that is not an object
    type: str  # of the holder
    how: str  # "local x of frame 3, f", "['key']", ".attribute", "[7]", "+0x18"
    counted: bool | None = None  # None: unknown; False: a weak reference


class Referrers:
    """Find the references to objects of one process."""

    def __init__(self, heap: ObjectSearch, python: PythonState) -> None:
        self._heap = heap
        self._reader = heap.reader
        self._access = heap.access
        self._decoder = heap.access.values.decoder()
        self.locations = AddressLocations(heap, python)
        self._namespaces = DictOwners(heap, python)
        self._passed_over = 0  # words that were only counted
        # 3.14 (gh-117139) and free-threaded 3.13+: slots of frames are tagged.
        tagged = self._reader.layout.offset("_PyInterpreterFrame", "f_executable.bits")
        self._tags = (0, 1) if tagged is not None else (0,)

    def references_to(self, address: int, limit: int) -> list[Reference]:
        """Return the references to an object, at most `limit`.

        What cut the search short is in `heap.soft_errors`.
        """
        references: list[Reference] = []
        storages: dict[int, ContainerStorage] = {}
        try:
            self._heap.types_by_address()
            rest = self._explain_by_place(address, limit, references)
            self._explain_by_storage(rest, address, references, storages)
        except OutOfTime:
            self._note_out_of_time(address)
        references.sort(key=lambda reference: (_ORDER.index(reference.kind), reference.place))
        more = max(0, len(references) - limit) + self._passed_over
        if more:
            self._note_incomplete(address, f"{more} more (--limit N)")
        return self._name_container_entries(address, references[:limit], storages)

    def _name_container_entries(
        self, address: int, references: list[Reference], storages: dict[int, ContainerStorage]
    ) -> list[Reference]:
        """Say which entry of its container each is: last, for a dict may hold it 10,000 times."""
        try:
            for number, reference in enumerate(references):
                if reference.place in storages:
                    self._heap.search.check_time()
                    how = self._entry_name(reference.place, storages[reference.place])
                    references[number] = reference._replace(how=how)
        except OutOfTime:
            self._note_out_of_time(address)
        return references

    def _note_out_of_time(self, address: int) -> None:
        self._note_incomplete(
            address, "the budget of time is spent; there may be more (--budget SECONDS)"
        )

    def _note_incomplete(self, address: int, text: str) -> None:
        error = SoftError("refs", f"{address:#x}", text)
        if error not in self._heap.soft_errors:
            self._heap.soft_errors.append(error)

    def _referring_words(self, address: int) -> Iterator[tuple[int, int]]:
        count = 0
        for tag in self._tags:
            for place in self._heap.search.find_word(address | tag):
                count += 1
                if count > MAX_PLACES:
                    self._note_incomplete(address, f"stopped after {MAX_PLACES} words that hold it")
                    return
                yield place, tag

    # -- what a word is -----------------------------------------------------------------------

    def _explain_by_place(self, address: int, limit: int, references: list[Reference]) -> list[int]:
        """Explain words by the frame, the C stack or the object that they lie in.

        Return those that are left. Once `limit` of the kinds that are shown first are known, the
        words after them are only counted: of a number that is everywhere there are thousands.
        """
        rest: list[int] = []
        objects = 0
        searches = max(MIN_SEARCHES_BACK, 2 * limit)
        self._passed_over = 0
        for place, tag in self._referring_words(address):
            near = self._reference_in_frame(place) or (
                None if tag else self._reference_on_stack(place)
            )
            if near is not None:
                references.append(near)
                objects += near.kind == FRAME
            elif objects >= limit:
                self._passed_over += not tag
            elif not tag:
                holder = self._reference_in_object(place, address) if searches > 0 else None
                if holder is not None:
                    references.append(holder)
                    objects += 1
                else:
                    rest.append(place)
                    searches -= 1
        if searches < 0:
            self._note_incomplete(address, _TOO_COMMON)
        return rest

    def _reference_in_frame(self, place: int) -> Reference | None:
        slot = self.locations.slot_at(place)
        if slot is None:
            return None
        where = f"frame {slot.number} of thread {slot.tid}"
        how = f"{slot.what} of {where}, {slot.frame.qualname or slot.frame.name}"
        return Reference(place, FRAME, slot.frame.address, "frame", how)

    def _reference_on_stack(self, place: int) -> Reference | None:
        stack = self.locations.thread_whose_stack_holds(place)
        if stack is None:
            return None
        text = f"C stack of thread {stack[0]}"
        return Reference(place, STACK if stack[1] else STALE, 0, "", text)

    def _reference_in_object(self, place: int, address: int) -> Reference | None:
        self._heap.search.check_time()
        holder = self._heap.object_enclosing(place)
        if holder is None or holder == address:
            return None
        return self._reference_in_member(place, holder, address)

    def _reference_in_member(self, place: int, holder: int, address: int) -> Reference:
        """Name the member of an object that a word is."""
        kind, ident = self._access.type_name(holder), self._access.ident(holder)
        offset = place - holder
        how = self._attribute_name(holder, address) or self._member_name(holder, ident, offset)
        counted = False if ident in _WEAK else None
        return Reference(place, OBJECT, holder, kind, how, counted)

    def _member_name(self, holder: int, ident: str, offset: int) -> str:
        """Name the member at an offset of an object of a built-in type."""
        layout = self._reader.layout
        if ident == "tuple":
            return f"[{(offset - layout.require('PyTupleObject', 'ob_item')) // 8}]"
        if ident in ("set", "frozenset"):
            return "a member"
        frame = layout.offset("PyGenObject", "gi_iframe")
        if ident in _GENERATORS and frame is not None and offset >= frame:
            local = self.locations.local_name_at(holder + frame, offset - frame)
            if local is not None:
                return f"{local} of its frame"
        if ident == "frame" and frame is None:  # up to 3.10, of a generator
            return self.locations.local_name_at(holder, offset) or f"+{offset:#x}"
        struct = _STRUCTS.get(ident)
        named = find_struct_member(self._heap, struct, offset) if struct else None
        return "." + (named or f"+{offset:#x}")

    def _attribute_name(self, holder: int, address: int) -> str | None:
        try:
            if self._access.ident(holder) == "type":
                return None
            info = self._access.context.types.type_at(self._reader.type_of(holder))
            for name, at in self._access.context.slots(info):
                if self._reader.u64(holder + at) == address:
                    return f".{name}"
            for key, value in self._access.objects.attributes(holder):
                if value == address:
                    name_of = self._access.context.attribute_name(key)
                    return f".{name_of}" if name_of else None
        except (UnreadableMemory, LayoutError, Undecodable):
            return None
        return None

    # -- storage outside of objects -----------------------------------------------------------

    def _explain_by_storage(
        self,
        locations: list[int],
        address: int,
        references: list[Reference],
        storages: dict[int, ContainerStorage],
    ) -> None:
        """Explain words that lie in no object: storage of containers, buffers, static data."""
        left = set(locations)
        try:
            if left:
                self._explain_by_containers(left, references, storages)
            for number, place in enumerate(sorted(left)):
                near = (
                    self._reference_by_buffer(place, address)
                    if number < MAX_NEAR_SEARCHES
                    else None
                )
                references.append(near or self._unknown_referrer(place))
                left.discard(place)
        finally:  # out of time: the remaining references exist, but their owners are not looked up
            references += [self._unknown_referrer(place) for place in left]

    def _explain_by_containers(
        self, left: set[int], references: list[Reference], storages: dict[int, ContainerStorage]
    ) -> None:
        """Take the words that lie in the storage of dicts, lists, sets and deques."""
        locations = sorted(left)
        for count, (holder, kind, ident) in enumerate(self._possible_container_objects(), 1):
            if count & 4095 == 0:
                self._heap.search.check_time()
            if not left or count > MAX_CONTAINERS:
                return
            for place, storage in self._places_in_container(holder, kind, ident, locations):
                if place in left:
                    left.discard(place)
                    storages[place] = storage
                    type_name = self._access.type_name(storage.owner)
                    references.append(
                        Reference(place, OBJECT, storage.owner, type_name, "an entry")
                    )

    def _possible_container_objects(self) -> Iterator[tuple[int, int, str]]:
        """Yield what may be containers: the address, its type, and the built-in base of that."""
        for ident in STORAGES:
            # The types that go back to a built-in container
            lineage = self._access.context.types.lineage
            kinds = []
            for address in self._heap.types_by_address():
                try:
                    line = lineage(address)
                except UnreadableMemory:
                    continue
                names = (line.ident, *(base.full_name for base in line.types))
                if ident in names:
                    kinds.append(address)
            for kind in kinds:
                for hit in self._heap.search.find_word(kind):
                    yield hit - self._heap.type_at, kind, ident

    def _places_in_container(
        self, holder: int, kind: int, ident: str, locations: list[int]
    ) -> Iterator[tuple[int, ContainerStorage]]:
        """Yield those of the locations that lie in the storage of one container, with it."""
        # Whether it is a container is asked last: nearly none of them holds what is sought.
        for storage in self._container_storages(holder, ident):
            low = bisect_left(locations, storage.start)
            inside = locations[low : bisect_right(locations, storage.end - 1)]
            if (
                inside
                and self._heap.gc_status(holder, self._heap.types_by_address()[kind]) is not None
            ):
                yield from ((place, storage) for place in inside)

    def _container_storages(self, holder: int, ident: str) -> Iterator[ContainerStorage]:
        try:
            yield from STORAGES[ident](self._access, holder)
        except (UnreadableMemory, LayoutError, Undecodable):
            return

    def _entry_name(self, place: int, storage: ContainerStorage) -> str:
        address = self._reader.u64(place)
        if storage.ident == "dict":
            return self._key_text(storage.owner, address)
        if storage.ident == "list":
            return f"[{(place - storage.start) // 8}]"
        if storage.ident == "deque":
            return self._deque_index(storage.owner, address)
        return "a member"

    def _key_text(self, holder: int, address: int) -> str:
        for key, value in self._access.objects.dict_items(holder):
            if value == address:
                shown = self._access.values.value_of(key).text
                owner = self._namespaces.owner_text(holder)
                return f"[{shown[:200]}]" + (f", names of {owner}" if owner else "")
            if key == address:
                return "a key"
        return "an entry"

    def _deque_index(self, holder: int, address: int) -> str:
        try:
            count = self._reader.signed_field(holder, "dequeobject", "ob_size")
            for number, item in enumerate(deque_items(self._decoder, holder, count)):
                if item == address:
                    return f"[{number}]"
        except (UnreadableMemory, LayoutError, Undecodable):
            pass
        return "an item"

    # -- buffers ------------------------------------------------------------------------------

    def _reference_by_buffer(self, place: int, address: int) -> Reference | None:
        """Find an object that points to the start of the buffer that a word lies in.

        E.g. the values of an instance (3.11, 3.12), or the array of a type written in C. The
        buffer may begin up to MAX_NEAR bytes before the word.
        """
        best: tuple[int, int] | None = None
        for high in {place >> 16, place - MAX_NEAR >> 16}:
            for at in self._heap.search.find(high.to_bytes(6, "little"), writable=True):
                if at & 7 != 2 or at - 2 == place:
                    continue
                try:
                    word = self._reader.u64(at - 2)
                except UnreadableMemory:
                    continue
                # 3.12 keeps the address of an instance's values less one.
                if place - MAX_NEAR <= word <= place and (best is None or word > best[0]):
                    best = (word, at - 2)
        return self._explain_by_buffer_pointer(place, address, best) if best is not None else None

    def _explain_by_buffer_pointer(
        self, place: int, address: int, best: tuple[int, int]
    ) -> Reference | None:
        """Explain a word by the pointer to the buffer that holds it."""
        word, at = best
        for holder in (at + 24, at + 32):  # the two words before an instance (3.11, 3.12)
            if self._heap.may_be_alive(holder) and self._attribute_name(holder, address):
                return self._reference_in_member(place, holder, address)._replace(kind=OBJECT)
        owner = self._heap.object_enclosing(at)
        if owner is None or self.locations.thread_whose_stack_holds(at) is not None:
            return None
        how = f"+{place - word:#x} of a buffer at {word:#x}, of its member +{at - owner:#x}"
        return Reference(place, BUFFER, owner, self._access.type_name(owner), how)

    def _unknown_referrer(self, place: int) -> Reference:
        region = self._heap.target.region_at(place)
        static = region is not None and region.path is not None
        return Reference(
            place, STATIC if static else MEMORY, 0, "", self.locations.mapping_text(place)
        )
