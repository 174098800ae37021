# SPDX-License-Identifier: Apache-2.0
"""All of pymalloc's pools, and all classes, for checks that look everywhere.

Such checks run where nothing near the fault says what was wrong. Nothing is done block by block:
the blocks of all pools of one size stand in one row, and a byte at one place of each is a column,
which is sliced, translated and joined in two nanoseconds a block.

What fills Python's small blocks, objects that no variable leads to as well, is told by a sample. Of
pieces and of pools that are evenly spaced each block in use that begins with an object counts
for all. Blocks of other things (keys of dicts, items of lists) have no type.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, reduce
from itertools import accumulate
from operator import or_

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.malloc_chunks import HEAD, heap_chunks
from gdb_epi.corruption.heap.pymalloc_pools import (
    GC_HEAD,
    HEADER_SIZE,
    POOL_SIZES,
    heap_pieces,
    object_header_size,
    parse_pool,
    read_pool_shape,
)
from gdb_epi.corruption.heap.readers import (
    positions_of_0xff_bytes,
    shared_object_search,
    shared_reader,
)
from gdb_epi.cpython.heap.memory_use import ObjectsOfType
from gdb_epi.cpython.heap.object_search import TYPE_SUBCLASS
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import PAGE, WORD
from gdb_epi.target.api import Target, view_memory
from gdb_epi.util import memoized

MAX_BYTES = 16 << 20  # looked at; the rest of a larger heap is left out
MAX_CLASSES = 20_000
MIN_CLASS = 800  # bytes: PyHeapTypeObject has 848 and more, 3.8 to 3.15
MANY = 0xFFFF  # references; more may be a low address
GRAIN = 16  # bytes, of which every block is a multiple
MIN_COUNT = 32  # smaller ones are not asked for
_MARKED = b"\0".ljust(0x100, b"\xff")  # any byte but 0 becomes 0xFF
LOWEST = 3  # bytes of an address that tell it from nearly all other words
# The word of a pool's header with nextoffset and maxnextoffset; what the latter may be.
_LAST_WORD, _MAX_OFFSETS = (
    5,
    frozenset(size - block for size in POOL_SIZES for block in range(16, 513, 16)),
)
MAX_PIECES = 48  # of a megabyte
POOLS_OF_PIECE = 4


class SizeClassBlocks:
    """All blocks of one size, `block` bytes, that were ever handed out, numbered through."""

    def __init__(self, block: int) -> None:
        self.block = block
        self._starts: list[int] = []
        self._pools: list[memoryview] = []

    def add(self, start: int, blocks: memoryview) -> None:
        """Add the blocks of a pool."""
        self._starts.append(start)
        self._pools.append(blocks)

    @cached_property
    def all_block_words(self) -> BlockWords:
        """The words of all blocks, once no more are added."""
        return BlockWords(b"".join(self._pools), self.block)

    def start_of_block(self, number: int) -> int:
        """Return where a block begins."""
        pool = bisect_right(self._running_block_counts, number)
        first = self._running_block_counts[pool - 1] if pool else 0
        return self._starts[pool] + (number - first) * self.block

    @cached_property
    def _running_block_counts(self) -> list[int]:
        return list(accumulate(len(blocks) // self.block for blocks in self._pools))


class BlockWords:
    """The words of the blocks of one size, one block after the other.

    What is asked of all blocks is asked of columns of bytes, one byte of each block, joined as
    numbers of that many bytes: 0 says no. What may be left is looked at word by word.
    """

    def __init__(self, memory: bytes, block: int) -> None:
        self._memory, self._block = memory, block
        self._words, self._step = memoryview(memory).cast("Q"), block // WORD
        self._count = len(memory) // block
        self._bytes_of_counts: dict[int, tuple[bytes, int]] = {}

    def word(self, number: int, offset: int) -> int:
        """Return the word at an offset (in bytes) of a block."""
        word: int = self._words[number * self._step + offset // WORD]
        return word

    def words_of_blocks(self, numbers: Iterable[int], offset: int) -> list[int]:
        """Return the word at an offset (in bytes) of some blocks."""
        words, step, at = self._words, self._step, offset // WORD
        return [words[number * step + at] for number in numbers]

    def blocks_holding(self, word: int, offset: int) -> list[int]:
        """Return the blocks with a word at an offset (in bytes)."""
        return self._masked_blocks_holding(self._mask_of_blocks_holding(word, offset), word, offset)

    def blocks_of_type_without(
        self, kind: int, type_at: int, byte_at: int, right: bytes
    ) -> list[int]:
        """Return the blocks with an address at one offset, and none of some bytes at another."""
        may_be = self._mask_of_blocks_holding(kind, type_at)
        if may_be:
            wrong = bytes(0 if byte in right else 0xFF for byte in range(0x100))
            may_be &= int.from_bytes(self._column(byte_at).translate(wrong), "little")
        return self._masked_blocks_holding(may_be, kind, type_at)

    def blocks_counting_over(self, kind: int, type_at: int, count_at: int, most: int) -> list[int]:
        """Return the blocks with an address at one offset, and more than `most` at another.

        And MIN_COUNT or more.
        """
        may_be, least = self._mask_of_blocks_holding(kind, type_at), max(most + 1, MIN_COUNT)
        if not may_be:
            return []
        if count_at not in self._bytes_of_counts:
            lowest, *above = (self._column(count_at + n) for n in range(WORD))
            any_above = reduce(or_, (int.from_bytes(column, "little") for column in above))
            self._bytes_of_counts[count_at] = lowest, any_above
        lowest, large = self._bytes_of_counts[count_at]
        if least <= 0xFF:
            large |= int.from_bytes(lowest.translate(bytes(least).ljust(0x100, b"\xff")), "little")
        numbers = self._masked_blocks_holding(may_be & large, kind, type_at)
        counts = self.words_of_blocks(numbers, count_at)
        return [n for n, count in zip(numbers, counts, strict=True) if count >= least]

    @memoized
    def _column(self, offset: int) -> bytes:
        return self._memory[offset :: self._block]

    @memoized
    def _mask_of_blocks_holding(self, word: int, offset: int) -> int:
        """Return where the lowest bytes of a word stand at an offset; 0xFF says yes."""
        alike = -1
        for at, byte in enumerate(word.to_bytes(WORD, "little")[:LOWEST], offset):
            if alike:
                equal = bytes(byte) + b"\xff" + bytes(0xFF - byte)
                alike &= int.from_bytes(self._column(at).translate(equal), "little")
        return alike

    def _masked_blocks_holding(self, may_be: int, word: int, offset: int) -> list[int]:
        """Return the blocks that a number leaves over and that hold a word."""
        if not may_be:
            return []
        numbers = positions_of_0xff_bytes(may_be.to_bytes(self._count, "little").translate(_MARKED))
        held = self.words_of_blocks(numbers, offset)
        if held.count(word) == len(held):
            return numbers
        return [n for n, other in zip(numbers, held, strict=True) if other == word]


class PoolCensus:
    """The pools of a process. `complete` is False where the heap is larger than what is read."""

    def __init__(self, context: Context, python: PythonState) -> None:
        self._target = context.target
        self._type_at = python.layout.require("PyObject", "ob_type")
        self.complete = True
        classes: dict[int, SizeClassBlocks] = {}
        for start, block, blocks in self._pools():
            if block not in classes:
                classes[block] = SizeClassBlocks(block)
            classes[block].add(start, blocks)
        self.classes = [classes[block] for block in sorted(classes)]

    def objects_of_type(self, kind: int, head: int, size: int) -> Iterator[int]:
        """Yield the addresses of a type's objects, of `size` bytes and more after a head."""
        at = head + self._type_at
        for blocks in self.classes:
            if head + size <= blocks.block:
                row = blocks.all_block_words
                for number in row.blocks_holding(kind, at):
                    if self.is_reference_count(row.word(number, head)):
                        yield blocks.start_of_block(number) + head

    def has_typed_block(self, kind: int, head: int, block: int) -> bool:
        """Tell whether a block of a size holds a type's address after a head and a count."""
        at = head + self._type_at
        alike = [blocks for blocks in self.classes if blocks.block == block > at]
        return any(blocks.all_block_words.blocks_holding(kind, at) for blocks in alike)

    def is_reference_count(self, word: int) -> bool:
        """Tell whether a word counts references, and is no address.

        A freed block has none, or a link to the next. From 3.14 on (gh-126491) the count has 32
        bits, and flags are in the last 16.
        """
        count = word & 0xFFFFFFFF
        if not count or word >> 32 & 0xFFFF:
            return False
        return count <= MANY or bool(count & 7) or self._target.region_at(count) is None

    def _pools(self) -> Iterator[tuple[int, int, memoryview]]:
        """Yield (first block, bytes of a block, blocks that were ever handed out) of each pool."""
        left = MAX_BYTES
        for _, low, high in heap_pieces(self._target):
            left -= high - low
            if left < 0:
                self.complete = False
                return
            yield from _pools_in_piece(self._target, low, (high - low) & -PAGE)


def _pools_in_piece(target: Target, low: int, size: int) -> Iterator[tuple[int, int, memoryview]]:
    """Yield the pools of a piece of memory; it begins and ends with a page."""
    try:
        memory = view_memory(target, low, size)
    except UnreadableMemory:
        return
    page_words = PAGE // WORD
    heads = memory.cast("Q")[_LAST_WORD::page_words].tolist()
    following = 0
    for at in [PAGE * n for n, head in enumerate(heads) if head >> 32 in _MAX_OFFSETS]:
        shape = read_pool_shape(low + at, memory, at) if at >= following else None
        if shape is not None:
            pool, block, carved = shape
            following = at + pool
            first = at + HEADER_SIZE
            yield low + first, block, memory[first : first + carved * block]


@once_per_run
def pool_census(context: Context) -> PoolCensus | Absent:
    """Return the census of a process. Absent where no pymalloc is."""
    python = context.state.python
    if not isinstance(python, PythonState):
        return python
    if python.layout.free_threaded:
        return Absent("not_applicable", "free-threaded builds use mimalloc, not pymalloc")
    try:
        return PoolCensus(context, python)
    except LayoutError as error:
        return Absent("not_available", str(error))


@once_per_run
def classes_in_malloc_heap(context: Context) -> list[int]:
    """Return the classes in the chunks of glibc's main heap: types that were made at run time.

    Raises LayoutError.
    """
    reader, metatype = shared_reader(context), shared_object_search(context).metatype()
    type_at = reader.layout.require("PyObject", "ob_type")
    flags_at = reader.layout.require("PyTypeObject", "tp_flags")
    chunks = heap_chunks(context)
    first = HEAD + GC_HEAD // WORD  # every class is the collector's
    words, at = chunks.words, first + type_at // WORD
    metatypes = {metatype: True}
    classes: list[int] = []
    for place in chunks.places_of_size(MIN_CLASS):
        if place + at >= len(words):
            continue
        kind = words[place + at]
        if kind not in metatypes:
            metatypes[kind] = reader.word(kind + type_at) == metatype and bool(
                reader.word(kind + flags_at) & TYPE_SUBCLASS
            )
        if metatypes[kind] and words[place + first] and len(classes) < MAX_CLASSES:
            classes.append(chunks.start + WORD * (place + first))
    return classes


def sample_memory_pieces(pieces: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, float]]:
    """Return (start, end, how many it stands for) of some pieces (mapping, start, end) of a heap.

    The largest mapping is sampled apart: where it has large blocks alone, the others would be in no
    sample.
    """
    mappings: dict[int, list[tuple[int, int]]] = {}
    for mapping, low, high in pieces:
        mappings.setdefault(mapping, []).append((low, high))
    largest = mappings.pop(max(mappings, key=lambda at: len(mappings[at]), default=0), [])
    chosen: list[tuple[int, int, float]] = []
    for group in (largest, [piece for others in mappings.values() for piece in others]):
        some = group[:: len(group) // MAX_PIECES + 1]
        chosen += [(*piece, len(group) / len(some)) for piece in some]
    return chosen


def sample_small_blocks(target: Target, python: PythonState) -> tuple[int, list[ObjectsOfType]]:
    """Return the bytes of small blocks in use, and the types of the objects in them; estimates.

    Nothing for free-threaded builds, which use mimalloc.
    """
    if python.layout.free_threaded:
        return 0, []
    type_at = python.layout.require("PyObject", "ob_type")
    values = PlainValues(target, python)
    heads: dict[int, int] = {}  # type -> bytes before its objects; -1: no type

    def head_size_of_type(kind: int) -> int:
        if kind not in heads:
            heads[kind] = -1
            try:
                info = values.context.types.type_at(kind)
                metatype = values.context.types.type_at(values.reader.type_of(kind))
                begins_a_name = info.qualified_name[:1].isalpha() or info.qualified_name.startswith(
                    "_"
                )
                if metatype.flags & TYPE_SUBCLASS and begins_a_name:
                    heads[kind] = object_header_size(info.flags)
            except (UnreadableMemory, LayoutError):
                pass
        return heads[kind]

    pieces = ((region.start, low, high) for region, low, high in heap_pieces(target))
    chosen = sample_memory_pieces(pieces)
    used = 0.0
    numbers: dict[int, float] = {}
    sizes: dict[int, float] = {}
    for low, high, times in chosen:
        try:
            memory = view_memory(target, low, (high - low) & -PAGE)
        except UnreadableMemory:
            continue
        places = [
            at
            for at in range(-low % PAGE, len(memory) - HEADER_SIZE, PAGE)
            if read_pool_shape(low + at, memory, at) is not None
        ]
        sampled = places[:: len(places) // POOLS_OF_PIECE + 1]
        for place in sampled:
            pool = parse_pool(low + place, bytes(memory[place : place + POOL_SIZES[0]]))
            if pool is None:
                continue
            weight = times * len(places) / len(sampled)
            used += weight * pool.used * pool.block
            words = memory[place : place + pool.size].cast("Q")
            for offset in pool.used_block_offsets():
                for head in (0, 16, 32):
                    at = (offset + head + type_at) // WORD
                    if head + type_at < pool.block and head_size_of_type(words[at]) == head:
                        kind = words[at]
                        numbers[kind] = numbers.get(kind, 0.0) + weight
                        sizes[kind] = sizes.get(kind, 0.0) + weight * pool.block
                        break
    kinds = [
        ObjectsOfType(
            values.context.types.type_at(kind).qualified_name, round(numbers[kind]), round(total)
        )
        for kind, total in sorted(sizes.items(), key=lambda pair: -pair[1])
    ]
    return round(used), kinds
