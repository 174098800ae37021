# SPDX-License-Identifier: Apache-2.0
"""What fills the memory: objects of Python by type, and the variables that hold most of them.

Everything that globals of modules and locals of frames lead to is walked. Of a container with many
items some are looked at, evenly spaced, and stand for the others; an object with more references
than one stands for fewer, by their number, so that a million references to one object are not
counted as a million objects. The number of objects that are opened is limited, not the time: the
same core gives the same answer. What no variable leads to (garbage in cycles, memory of C code) is
not found: the reader compares what was found with the memory that there is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from gdb_epi.cpython.heap.object_search import HAVE_GC, TYPE_SUBCLASS
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.str_layout import compact_str_size, str_object_layout
from gdb_epi.cpython.objects.type_objects import HEAPTYPE, TypeInfo
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.cpython.values.repr_decoder import ReprDecoder, Undecodable
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import PAGE, WORD, split_into_words
from gdb_epi.target.api import Target, try_read
from gdb_epi.typing_lite import NamedTuple

MAX_OPENED = 40_000  # objects in all; about a second
MAX_OF_VARIABLE = 12_000  # objects that one variable leads to
# Items that are looked at in one container, by how many containers around it were sampled.
SAMPLES = (100, 16, 6)
MAX_READ = 2000  # items of one container, evenly spaced
MAX_ATTRIBUTES = 1000
MAX_WORDS = 256  # of the body of an object of a type that is not known here
MAX_BLOCKS, MAX_HEADS = 100_000, 300_000
MAX_PIECE = 1 << 20  # bytes read at once in search of blocks
TELLING = 0.05  # of the memory: what a variable holds is told
MOST = 0.8  # of what an object holds: its attribute is named in its place
DEQUE_BLOCK = 66 * WORD
IMMORTAL = 1 << 30  # references; PEP 683
_ARRAY_FLAGS, _OWNS_DATA = 64, 4  # of PyArrayObject_fields, the same since numpy 1.7
# arrayobject (Modules/arraymodule.c, 3.8 to 3.14); the item size lies in its array descriptor.
_ITEMS, _ALLOCATED, _ARRAY_DESCR = 24, 32, 40
_LEAVES = frozenset((
    "int", "bool", "float", "complex", "NoneType", "module", "code", "builtin_function_or_method",
    "method_descriptor", "wrapper_descriptor", "getset_descriptor", "member_descriptor",
    "classmethod_descriptor", "ellipsis", "NotImplementedType", "slice", "range",
))  # fmt: skip


class ObjectsOfType(NamedTuple):
    """The objects of one type that were reached, with their buffers."""

    type: str
    number: int
    bytes: int


class MemoryHolder(NamedTuple):
    """A variable, or an attribute of what it holds, that leads to much of the memory.

    `where` names it; `length` counts its items, most of whose bytes are in objects of type `items`.
    """

    where: str
    type: str
    length: int | None
    items: str
    bytes: int


class MmappedMallocBlocks(NamedTuple):
    """Blocks of malloc that have mappings of their own (128 KiB and more)."""

    number: int
    bytes: int
    largest: int


class MemoryUse(NamedTuple):
    """What was reached. `sampled`: counts are estimates; `whole`: no limit ended the walk."""

    bytes: int
    sampled: bool
    whole: bool
    kinds: tuple[ObjectsOfType, ...]
    holders: tuple[MemoryHolder, ...]
    unowned: MmappedMallocBlocks  # of which no object that was reached has the address


class _RootVariable(NamedTuple):
    """A place where a walk begins."""

    where: str
    address: int


def mmapped_malloc_blocks(target: Target) -> dict[int, int]:
    """Return address -> size of glibc's blocks with mappings of their own.

    Such a chunk begins a page, and its size, whose only flag is IS_MMAPPED, is whole pages
    (sysmalloc_mmap, malloc/malloc.c). The kernel joins neighbouring mappings, and divides one whose
    pages were given different advice: numpy asks for huge pages from the second page of a block on.
    Where no such chunk begins more and more is read at once: a live process stands still meanwhile.
    """
    blocks: dict[int, int] = {}
    heads = at = 0
    regions = [r for r in target.regions() if r.path is None and "w" in r.perms]
    ends: dict[int, int] = {}  # start of a mapping -> where it and those that follow at once end
    for region in reversed(regions):
        ends[region.start] = ends.get(region.end, region.end)
    for region in regions:
        at = start = max(at, region.start)
        piece, wanted = b"", PAGE
        while at < region.dumped_end and heads < MAX_HEADS:
            heads += 1
            if at >= start + len(piece):
                start, piece = at, try_read(target, at, min(wanted, region.dumped_end - at))
                wanted = min(2 * wanted, MAX_PIECE) if piece else PAGE
                piece = piece or try_read(target, at, 2 * WORD)
            head = piece[at - start : at - start + 2 * WORD]
            before, size = split_into_words(head) if len(head) == 2 * WORD else (0, 0)
            length = size & ~7
            room = ends[region.start] - at
            if before or size & 7 != 2 or length % PAGE or not 0 < length <= room:
                at += PAGE
                continue
            if len(blocks) < MAX_BLOCKS:
                blocks[at + 16] = length
            at += length
            wanted = PAGE
    return blocks


def measure_memory_use(
    target: Target, python: PythonState, exceptions: Sequence[int] = ()
) -> MemoryUse:
    """Return what the variables of a process lead to; `exceptions` are roots too.

    Raises LayoutError.
    """
    return _MemoryUseWalk(target, python, exceptions).memory_use()


class _MemoryUseWalk:
    """One walk. Objects are numbered as they are met; what an object leads to comes after it."""

    def __init__(self, target: Target, python: PythonState, exceptions: Sequence[int]) -> None:
        self._values = PlainValues(target, python)
        self._context = self._values.context
        self._arrays: ReprDecoder | None = None
        self._objects = self._values.objects
        self._target, self._python = target, python
        self._reader = reader = MemoryReader(target, python.layout)
        self._containers = ContainerReader(reader)
        layout = python.layout
        self._type_at = layout.require("PyObject", "ob_type")
        self._size_at = layout.require("PyVarObject", "ob_size")
        self._local_count_at = layout.offset("PyObject", "ob_ref_local")
        self._blocks = mmapped_malloc_blocks(target)
        self._owned: set[int] = set()
        self._kinds: dict[int, tuple[TypeInfo, str] | None] = {}
        self._seen: set[int] = {0}
        # Of each object that was met: where it hangs, its type, for how many it stands, its bytes.
        self._parents: list[int] = []
        self._types: list[int] = []
        self._weights: list[float] = []
        self._bytes: list[float] = []
        self._labels: list[str] = []
        self._lengths: dict[int, int] = {}
        self._variables: dict[int, str] = {}
        self._whole = True
        for variable in self._root_variables(exceptions):
            if len(self._parents) >= MAX_OPENED:
                self._whole = False
                break
            self._visit_reachable_objects(variable)

    # -- where it begins ----------------------------------------------------------------------

    def _root_variables(self, exceptions: Sequence[int]) -> Iterator[_RootVariable]:
        """Yield globals of the program, locals of frames, then globals of the other modules."""
        modules = dict(self._module_dicts())
        self._seen.update(modules.values())
        yield from self._global_variables("__main__", modules.get("__main__", 0))
        yield from self._local_variables()
        for address in exceptions:
            yield _RootVariable("the traceback of an exception", address)
        for name, contents in modules.items():
            if name != "__main__":
                yield from self._global_variables(name, contents)

    def _module_dicts(self) -> Iterator[tuple[str, int]]:
        dict_at = self._python.layout.require("PyModuleObject", "md_dict")
        for interpreter in self._python.interpreters:
            try:
                modules = self._objects.sys_modules(interpreter.address)
                pairs = [] if isinstance(modules, Absent) else self._values.dict_pairs(modules)
                for key, module in pairs:
                    name = self._values.text(key, 200)
                    if name and self._values.ident(module) == "module":
                        self._seen.add(module)
                        yield name, self._reader.word(module + dict_at)
            except UnreadableMemory:
                continue

    def _global_variables(self, module: str, contents: int) -> Iterator[_RootVariable]:
        if contents:
            for key, value in self._values.dict_pairs(contents):
                if name := self._values.text(key, 200):
                    yield _RootVariable(f"{name} of module {module}", value)

    def _local_variables(self) -> Iterator[_RootVariable]:
        variables = FrameVariables(self._values.values)
        for thread in self._python.threads():
            for frame in thread.frames[:1000]:
                try:
                    of_frame = list(variables.variable_addresses(frame))
                    self._seen.add(variables.globals_and_names(frame)[0])
                except UnreadableMemory:
                    continue
                for name, address in of_frame:
                    yield _RootVariable(
                        f"{name}, a local of {frame.qualname or frame.name}()", address
                    )

    # -- the walk -----------------------------------------------------------------------------

    def _visit_reachable_objects(self, variable: _RootVariable) -> None:
        """Open what a variable leads to, breadth first."""
        first = len(self._parents)
        waiting = deque([(variable.address, -1, 1.0, 0, "")])
        while waiting:
            if len(self._parents) - first >= MAX_OF_VARIABLE or len(self._parents) >= MAX_OPENED:
                self._whole = False
                return
            address, parent, weight, sampled, label = waiting.popleft()
            if address in self._seen:
                continue
            kind = self._type_and_category(self._reader.word(address + self._type_at))
            references = self._reference_count(address)
            if kind is None or not references:
                continue
            info, category = kind
            self._seen.add(address)
            if parent < 0 and category in ("leaf", "function"):
                continue  # nearly all globals; they are the same in every process
            if weight > 1 and references > 1:
                weight = 1.0 if references >= IMMORTAL else max(1.0, weight / references)
            number = len(self._parents)
            if parent < 0:
                self._variables[number] = variable.where
            try:
                size, children, length = self._size_and_children(address, info, category)
            except (UnreadableMemory, LayoutError):
                size, children, length = info.basicsize, [], None
            self._parents.append(parent)
            self._types.append(info.address)
            self._weights.append(weight)
            self._bytes.append(weight * (size + 15 & ~15))
            self._labels.append(label)
            if length is not None:
                self._lengths[number] = length
            sample_size = SAMPLES[min(sampled, len(SAMPLES) - 1)]
            if length is not None and length > sample_size:
                width = 2 if category == "dict" else 1  # a value and its key
                count = len(children) // width
                starts = [
                    width * (at * count // sample_size) for at in range(min(sample_size, count))
                ]
                children = [child for at in starts for child in children[at : at + width]]
                weight *= length / max(1, len(starts))
                sampled += 1
            for name, child in children:
                if child and child not in self._seen:
                    waiting.append((child, number, weight, sampled, name))

    def _type_and_category(self, kind: int) -> tuple[TypeInfo, str] | None:
        """Return a type with how its objects are opened; None where there is none."""
        if kind not in self._kinds:
            self._kinds[kind] = None
            try:
                info = self._context.types.type_at(kind)
                metatype = self._context.types.type_at(self._reader.type_of(kind))
                if metatype.flags & TYPE_SUBCLASS:
                    ident = self._context.types.lineage(kind).ident
                    self._kinds[kind] = info, "leaf" if ident in _LEAVES else ident
            except (UnreadableMemory, LayoutError):
                pass
        return self._kinds[kind]

    def _reference_count(self, address: int) -> int:
        """Return how many references an object counts; 0 for what cannot be one."""
        word = self._reader.word(address)
        if self._local_count_at is None:
            return word & 0xFFFFFFFF
        shared = self._reader.word(address + 16) >> 2
        return (self._reader.word(address + self._local_count_at) & 0xFFFFFFFF) + shared or 1

    def _size_and_children(
        self, address: int, info: TypeInfo, category: str
    ) -> tuple[int, list[tuple[str, int]], int | None]:
        """Return the bytes of an object, what it leads to by name, and how many items it has."""
        reader, offset = self._reader, self._python.layout.require
        size = info.basicsize + (16 if info.flags & HAVE_GC else 0)
        self._note_owned_block(address)
        self._note_owned_block(address - 16)
        if category == "leaf":
            return size, [], None
        if category == "str":
            form = str_object_layout(self._python.layout, info.address)
            return compact_str_size(self._target, form, address) or size, [], None
        items: Iterable[int]
        buffer = 0
        if category in ("list", "tuple"):
            if category == "list":
                room = reader.i64(address + offset("PyListObject", "allocated"))
                number = reader.i64(address + self._size_at)
                items = self._sample_items(
                    reader.word(address + offset("PyListObject", "ob_item")), number
                )
                buffer = WORD * max(0, room)
                self._note_owned_block(reader.word(address + offset("PyListObject", "ob_item")))
            else:
                number = reader.i64(address + self._size_at)
                items = self._sample_items(address + offset("PyTupleObject", "ob_item"), number)
                size += WORD * number
            children = [("", item) for item in items]
            return size + buffer, children + self._attributes(address, info), number
        if category == "dict":
            size, children, number = self._dict_size_and_contents(address, size)
            return size, children + self._attributes(address, info), number
        if category in ("set", "frozenset"):
            members = list(self._containers.set_items(address))
            self._note_owned_block(reader.word(address + offset("PySetObject", "table")))
            mask = reader.word(address + offset("PySetObject", "mask"))
            size += 16 * (mask + 1) if mask > 7 else 0
            return size, [("", member) for member in members], len(members)
        if category == "collections.deque":
            members = list(self._containers.deque_items(address))
            size += DEQUE_BLOCK * (len(members) // 64 + 1)
            return size, [("", member) for member in members], len(members)
        if category == "bytearray":
            self._note_owned_block(reader.word(address + offset("PyByteArrayObject", "ob_bytes")))
            return size + reader.word(address + offset("PyByteArrayObject", "ob_alloc")), [], None
        if category == "type":
            contents = self._context.types.type_at(address).dict
            if not info.flags or not self._context.types.type_at(address).flags & HEAPTYPE:
                return size, [], None
            return size, list(self._named_values_of_pairs(self._values.dict_pairs(contents))), None
        if info.itemsize:  # frames and generators have no number of items there
            room = info.itemsize * abs(reader.i64(address + self._size_at))
            region = self._target.region_at(address)
            size += room if region is not None and address + size + room <= region.end else 0
        children = self._attributes(address, info)
        if category == "function":
            names = ("func_closure", "func_defaults", "func_kwdefaults", "func_dict")
            places = [offset("PyFunctionObject", name) for name in names]
            children += [("", reader.word(address + at)) for at in places]
            return size, children, None
        if category == "bytes":
            return size, children, None
        if info.flags & HEAPTYPE and children:
            size += WORD * len(children)  # values without a dict, 3.11 and later
        words = reader.consecutive_words(address + 16, min(size // WORD, MAX_WORDS))
        length = None
        if category == "array.array" and reader.word(address + _ITEMS) not in self._blocks:
            width = reader.word(reader.word(address + _ARRAY_DESCR)) >> 32
            size += width * reader.word(address + _ALLOCATED) if width in (1, 2, 4, 8) else 0
        if category == "numpy.ndarray":
            room, members, length = self._array_size_and_objects(address)
            size += room
            children += [("", member) for member in members]
        for word in words:
            if word in self._blocks and word not in self._owned:
                size += self._blocks[word]
                self._note_owned_block(word)
            elif (
                word > PAGE
                and not word & 7
                and self._type_and_category(reader.word(word + self._type_at))
            ):
                children.append(("", word))
        return size, children, length

    def _array_size_and_objects(self, address: int) -> tuple[int, list[int], int | None]:
        """Return the bytes that an array of numpy has in malloc's heap, its objects, their number.

        Nothing for one whose items belong to another, or are numbers in a mapping of their own. An
        array that owns its items holds each once (PyArray_NewFromDescr_int).
        """
        from gdb_epi.cpython.values.libraries.numpy import read_array_parts

        if not self._reader.word(address + _ARRAY_FLAGS) & _OWNS_DATA:
            return 0, [], None
        if self._arrays is None:
            self._arrays = self._values.values.decoder()
        try:
            parts = read_array_parts(self._arrays, self._context.obj(address))
        except Undecodable:
            return 0, [], None
        start, shape, _, item_type = parts
        count = 1
        for length in shape:
            count *= length
        region = self._target.region_at(start)
        if region is None or not 0 < count * item_type.size <= region.end - start:
            return 0, [], None
        size = 0 if start in self._blocks else count * item_type.size
        if item_type.kind != "O" or item_type.size != WORD:
            return size, [], None
        return size, self._sample_items(start, count), count

    def _sample_items(self, start: int, number: int) -> list[int]:
        """Return the items of an array, of a long one some. Raises UnreadableMemory."""
        region = self._target.region_at(start)
        if number and (region is None or not 0 < number <= (region.end - start) // WORD):
            raise UnreadableMemory(start, WORD, f"an array of {number} items")
        if number <= MAX_READ:
            return self._reader.consecutive_words(start, number)
        return [self._reader.word(start + WORD * (n * number // MAX_READ)) for n in range(MAX_READ)]

    def _note_owned_block(self, address: int) -> None:
        """Note that a block of malloc belongs to an object."""
        if address in self._blocks:
            self._owned.add(address)

    def _dict_size_and_contents(
        self, address: int, size: int
    ) -> tuple[int, list[tuple[str, int]], int]:
        """Return the bytes of a dict, its values and keys (of a large one some), and its length."""
        require = self._python.layout.require
        keys = self._reader.u64(address + require("PyDictObject", "ma_keys"))
        is_shared = self._reader.word(address + require("PyDictObject", "ma_values"))
        start, count, width, _ = self._objects.keys_table_entries(keys)
        self._note_owned_block(keys)
        number = self._reader.i64(address + require("PyDictObject", "ma_used"))
        if count > MAX_READ and not is_shared:
            places = [start + width * (n * count // MAX_READ) for n in range(MAX_READ)]
            words = [
                self._reader.consecutive_words(place + width - 2 * WORD, 2) for place in places
            ]
            pairs = [(key, value) for key, value in words if key and value]
        else:
            pairs = list(self._values.dict_pairs(address))
        children = [("", word) for key, value in pairs for word in (value, key)]
        if is_shared:  # the keys belong to the class (PEP 412)
            return size + WORD * count, children, number
        return size + (start - keys + count * width if children else 0), children, number

    def _attributes(self, address: int, info: TypeInfo) -> list[tuple[str, int]]:
        """Return the attributes of an instance of a class."""
        if not info.flags & HEAPTYPE:
            return []
        return list(self._named_values_of_pairs(self._objects.attributes(address)))

    def _named_values_of_pairs(self, pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[str, int]]:
        for number, (key, value) in enumerate(pairs):
            if number >= MAX_ATTRIBUTES:
                return
            name = self._reader.string(key, 200)
            yield "" if isinstance(name, Absent) else name, value

    # -- what it comes to ---------------------------------------------------------------------

    def memory_use(self) -> MemoryUse:
        """Return the sums."""
        held = list(self._bytes)
        below: dict[int, dict[int, float]] = {}  # object -> type of what it leads to -> bytes
        largest: dict[int, int] = {}  # object -> the one of what it leads to that holds most
        for number in range(len(held) - 1, -1, -1):
            parent = self._parents[number]
            if parent >= 0:
                held[parent] += held[number]
                kinds = below.setdefault(parent, {})
                kind = self._types[number]
                kinds[kind] = kinds.get(kind, 0) + held[number]
                if held[number] >= held[largest.setdefault(parent, number)]:
                    largest[parent] = number
        numbers: dict[str, tuple[float, float]] = {}
        for kind, weight, size in zip(self._types, self._weights, self._bytes, strict=True):
            name = self._type_name(kind)
            count, total = numbers.get(name, (0.0, 0.0))
            numbers[name] = count + weight, total + size
        most = sorted(numbers.items(), key=lambda pair: (-pair[1][1], pair[0]))
        total = sum(self._bytes)
        holders = [
            self._memory_holder(root, where, held, below, largest)
            for root, where in self._variables.items()
            if held[root] >= TELLING * total
        ]
        unowned = [size for at, size in self._blocks.items() if at not in self._owned]
        return MemoryUse(
            bytes=round(total),
            sampled=any(weight > 1 for weight in self._weights),
            whole=self._whole,
            kinds=tuple(ObjectsOfType(n, round(c), round(b)) for n, (c, b) in most),
            holders=tuple(sorted(holders, key=lambda holder: -holder.bytes)),
            unowned=MmappedMallocBlocks(len(unowned), sum(unowned), max(unowned, default=0)),
        )

    def _memory_holder(
        self,
        root: int,
        where: str,
        held: Sequence[float],
        below: dict[int, dict[int, float]],
        largest: dict[int, int],
    ) -> MemoryHolder:
        """Return what a variable holds; an attribute that has nearly all of it is named instead."""
        at, path = root, ""
        while at not in self._lengths and at in largest:
            child = largest[at]
            if not self._labels[child] or held[child] < MOST * held[at] or path.count(".") > 5:
                break
            at, path = child, f"{path}.{self._labels[child]}"
        name, comma, rest = where.partition(",") if "," in where else where.partition(" of ")
        kinds = below.get(at, {})
        items = max(kinds, key=lambda kind: kinds[kind]) if kinds and at in self._lengths else 0
        return MemoryHolder(
            where=f"{name}{path}{comma}{rest}",
            type=self._type_name(self._types[at]),
            length=self._lengths.get(at),
            items=self._type_name(items) if items else "",
            bytes=round(held[at]),
        )

    def _type_name(self, kind: int) -> str:
        type_info = self._kinds.get(kind)
        return type_info[0].qualified_name if type_info else "?"
