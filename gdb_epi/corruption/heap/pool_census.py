# SPDX-License-Identifier: Apache-2.0
"""All of pymalloc's pools, and all classes, for checks that look everywhere.

Such checks run where nothing near the fault says what was wrong. Words are taken by columns (the
same place of every block of a pool), a hundred times as fast as one by one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.malloc_chunks import HEAD, heap_chunks
from gdb_epi.corruption.heap.memory import heap_of, page_reader
from gdb_epi.corruption.heap.pymalloc_pools import GC_HEAD, OVERHEAD, SIZES, pool_shape
from gdb_epi.cpython.heap.objects_by_type import HAVE_GC, TYPE_SUBCLASS
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import WORD

MAX_BYTES = 16 << 20  # looked at; the rest of a larger heap is left out
PIECE = 1 << 20
MAX_CLASSES = 20_000
LEAST_CLASS = 800  # bytes: PyHeapTypeObject has 848 and more, 3.8 to 3.15
MANY = 0xFFFF  # references; more may be a low address
_STEP = min(SIZES)
# Include/object.h: words of a managed dict, or of weak references, before the collector's head.
_PREHEADER = 1 << 3 | 1 << 4


class PoolBlocks:
    """A pool's blocks that were ever handed out; `block` is their size in bytes."""

    def __init__(self, address: int, block: int, data: bytes) -> None:
        self.address, self.block, self.data = address, block, data
        self._words: array[int] | None = None
        self._columns: dict[int, tuple[array[int], set[int]]] = {}

    @property
    def count(self) -> int:
        """Return the number of blocks."""
        return len(self.data) // self.block

    def column(self, offset: int) -> array[int]:
        """Return the word at an offset (in bytes) of each block."""
        if self._words is None:
            self._words = array("Q", self.data)
        return self._words[offset // WORD :: self.block // WORD]

    def types(self, offset: int) -> tuple[array[int], set[int]]:
        """Return the column in which types may be, and what is in it; each is made once."""
        if offset not in self._columns:
            column = self.column(offset)
            self._columns[offset] = column, set(column)
        return self._columns[offset]

    def start(self, number: int) -> int:
        """Return where a block begins."""
        return self.address + OVERHEAD + number * self.block


class PoolCensus:
    """The pools of a process. `complete` is False where the heap is larger than what is read."""

    def __init__(self, context: Context, python: PythonState) -> None:
        self._target = context.target
        self._type_at = python.layout.require("PyObject", "ob_type")
        self.complete = True
        self.pools = list(self._every_pool())

    def pools_with(self, kind: int, head: int) -> Iterator[PoolBlocks]:
        """Yield the pools in which a block holds a type's address behind a head and a count."""
        at = head + self._type_at
        for pool in self.pools:
            if at < pool.block and kind in pool.types(at)[1]:
                yield pool

    def is_object(self, pool: PoolBlocks, kind: int, head: int) -> Iterator[bool]:
        """Yield for each block of a pool whether a type's address is there."""
        return map(kind.__eq__, pool.types(head + self._type_at)[0])

    def objects(self, pool: PoolBlocks, kind: int, head: int, numbers: Iterable[int]) -> list[int]:
        """Return the addresses of the objects of a type in those blocks of a pool that hold one.

        Such an object has references; what was freed has none, or a link to the next.
        """
        counts, types = pool.column(head), pool.types(head + self._type_at)[0]
        return [
            pool.start(number) + head
            for number in numbers
            if types[number] == kind and self.counts(counts[number])
        ]

    def counts(self, word: int) -> bool:
        """Whether a word counts references, and is no address.

        From 3.14 on (gh-126491) the count has 32 bits, and flags are in the last 16.
        """
        count = word & 0xFFFFFFFF
        if not count or word >> 32 & 0xFFFF:
            return False
        return count <= MANY or bool(count & 7) or self._target.region_at(count) is None

    def _every_pool(self) -> Iterator[PoolBlocks]:
        left = MAX_BYTES
        for region in self._target.regions():
            if region.path is not None or "w" not in region.perms:
                continue
            end = region.start + min(region.dumped, region.size)
            for start in range(region.start & -SIZES[0], end, PIECE):
                low, high = max(start, region.start), min(start + PIECE, end)
                if high - low < _STEP:
                    continue
                left -= high - low
                if left < 0:
                    self.complete = False
                    return
                yield from self._in_piece(low, high)

    def _in_piece(self, low: int, high: int) -> Iterator[PoolBlocks]:
        try:
            memory = self._target.read(low, high - low)
        except UnreadableMemory:
            return
        at = -low % _STEP
        while at + _STEP <= len(memory):
            shape = pool_shape(low + at, memory, at)
            if shape is None:
                at += _STEP
                continue
            size, block, carved = shape
            data = memory[at + OVERHEAD : at + OVERHEAD + carved * block]
            yield PoolBlocks(low + at, block, data)
            at += size


def head_of(flags: int) -> int:
    """Return how many bytes lie before an object in its block, by its type's tp_flags.

    3.11 (bpo-44590 and later) put dict and values before the collector's head, 3.12 (gh-95649)
    the list of weak references too.
    """
    if not flags & HAVE_GC:
        return 0
    return 2 * GC_HEAD if flags & _PREHEADER else GC_HEAD


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
def classes_of_heap(context: Context) -> list[int]:
    """Return the classes in the chunks of glibc's main heap: types that were made at run time.

    Raises LayoutError.
    """
    reader, metatype = page_reader(context), heap_of(context).metatype()
    type_at = reader.layout.require("PyObject", "ob_type")
    flags_at = reader.layout.require("PyTypeObject", "tp_flags")
    chunks = heap_chunks(context)
    first = HEAD + GC_HEAD // WORD  # every class is the collector's
    words, at = chunks.words, first + type_at // WORD
    metatypes = {metatype: True}
    classes: list[int] = []
    for place in chunks.places:
        if words[place + 1] < LEAST_CLASS or place + at >= len(words):
            continue
        kind = words[place + at]
        if kind not in metatypes:
            metatypes[kind] = reader.word(kind + type_at) == metatype and bool(
                reader.word(kind + flags_at) & TYPE_SUBCLASS
            )
        if metatypes[kind] and words[place + first] and len(classes) < MAX_CLASSES:
            classes.append(chunks.start + WORD * (place + first))
    return classes
