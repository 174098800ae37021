# SPDX-License-Identifier: Apache-2.0
"""Readers of memory that all checks share: words, pages that are kept, a sweep within the budget.

A default run reads pages and single words; a sweep reads all dumped writable memory in pieces.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise
from struct import Struct

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.heap.pymalloc_pools import SIZES, pool_shape
from gdb_epi.cpython.heap.by_type import Heap
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault.find import GENERAL
from gdb_epi.target.api import Region, Target
from gdb_epi.target.search import Ranges
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.corruption.context import Context, once_per_run


CHUNK = 1 << 20
STEP = min(SIZES)  # of pools
_ZEROS = bytes(CHUNK)
MAX_STACK_WORDS = 512  # of the crashed thread, from rsp on, that count as touched


class SweepProgress(NamedTuple):
    """How far a sweep came: bytes in all, bytes done; `complete` unless the budget ended."""

    total: int
    done: int

    @property
    def complete(self) -> bool:
        """Whether all of it was read."""
        return self.done >= self.total


class MemorySweep:
    """Iterate over writable memory as (address, bytes), without pieces that are all zero."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._ranges = [
            (region.start, min(region.dumped, region.size))
            for region in context.target.regions()
            if "w" in region.perms and region.dumped > 0
        ]
        self.swept = SweepProgress(sum(size for _, size in self._ranges), 0)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        done, total = 0, self.swept.total
        budget, read = self._context.budget, self._context.target.read
        for first, length in self._ranges:
            for start in range(first, first + length, CHUNK):
                size = min(CHUNK, first + length - start)
                if not budget.take(size):
                    return
                try:
                    data = read(start, size)
                except UnreadableMemory:
                    data = b""
                if data and data != (_ZEROS if size == CHUNK else _ZEROS[:size]):
                    yield start, data
                done += size
                self.swept = SweepProgress(total, done)
                self._context.progress(done, total)

    def again(self, start: int) -> bytes:
        """Return the piece of memory that begins at an address once more."""
        first, length = next(piece for piece in self._ranges if piece[0] <= start < sum(piece))
        try:
            return self._context.target.read(start, min(CHUNK, first + length - start))
        except UnreadableMemory:
            return b""


@once_per_run
def heap_of(context: Context) -> Heap:
    """Return the search for objects that all checks of a Python share: it finds types once.

    Raises LayoutError.
    """
    python = context.state.python
    assert isinstance(python, PythonState)
    heap = Heap(context.target, python)
    if context.sweep and not python.layout.free_threaded:
        heap.places_of_types = partial(outside_pools, context.target)
    return heap


def outside_pools(target: Target, ranges: Ranges) -> Ranges:
    """Return what of ranges pymalloc's pools do not fill: no type lies in one.

    Blocks of pools have up to 512 bytes (SMALL_REQUEST_THRESHOLD, Objects/obmalloc.c), and types
    made at run time more (PyHeapTypeObject: from 848 on, 3.8 to 3.15); others are data of files.
    """
    outside: Ranges = []
    for start, end in ranges:
        try:
            data = target.read(start, end - start)
        except UnreadableMemory:
            outside.append((start, end))  # the search says so
            continue
        low, at = 0, -start % STEP
        while at + STEP <= len(data):
            pool = pool_shape(start + at, data, at)
            if pool is None:
                at += STEP
                continue
            if low < at:
                outside.append((start + low, start + at))
            low = at = at + pool[0]
        if low < len(data):
            outside.append((start + low, end))
    return outside


def read_words(context: Context, start: int, count: int) -> memoryview:
    """Return 64-bit words at an aligned address; empty when they cannot be read."""
    try:
        return memoryview(context.target.read(start, 8 * count)).cast("Q")
    except UnreadableMemory:
        return memoryview(b"").cast("Q")


def values_at_hand(context: Context) -> list[int]:
    """Return the values that the fault had at hand: registers and the top of its stack.

    Each value once, registers first; small numbers are left out.
    """
    from gdb_epi.errors import Absent

    fault = context.fault
    if isinstance(fault, Absent):
        return []
    values = [fault.registers.get(name, 0) for name in GENERAL]
    region = context.target.region_at(fault.sp)
    if region is not None:
        end = min(region.start + region.dumped, fault.sp + 8 * MAX_STACK_WORDS)
        start = fault.sp & ~7
        values += read_words(context, start, max(0, (end - start) // 8))
    return [value for value in dict.fromkeys(values) if value > 0xFFFF]


PAGE_BITS = 12
PAGE = 1 << PAGE_BITS
MAX_PAGES = 4096  # kept; then they are read again
KEPT = "pages"  # in Context.kept
NOTHING = memoryview(bytes(PAGE)).cast("Q")  # the words of a page of which nothing is mapped


class StructWords(NamedTuple):
    """Words of a struct: their offsets, ascending, and what takes them out of its bytes."""

    offsets: list[int]
    words: Struct


def struct_words(offsets: Iterable[int]) -> StructWords:
    """Return what takes the words at these offsets out of a struct."""
    ascending = sorted(offsets)
    gaps = [after - before - 8 for before, after in pairwise([-8, *ascending])]
    return StructWords(ascending, Struct("<" + "".join(f"{gap}xQ" for gap in gaps)))


class PagedReader(Reader):
    """A reader that reads each page of memory once."""

    def __init__(self, target: Target, layout: Layout) -> None:
        super().__init__(target, layout)
        self.read = self._read
        self._pages: dict[int, bytes | None] = {}  # None: not whole
        self._words: dict[int, memoryview | None] = {}  # the same; NOTHING where no mapping is

    def word(self, address: int) -> int:
        """Return a word; 0 when it cannot be read, or lies on an odd place."""
        words = self._words.get(address >> PAGE_BITS)
        if words is None or address & 7:
            return self._rare(address)
        return words[(address & PAGE - 1) >> 3]

    def words(self, addresses: Iterable[int]) -> list[int]:
        """Return the words at addresses, each as word() does."""
        get, rare = self._words.get, self._rare
        return [
            words[(address & PAGE - 1) >> 3]
            if (words := get(address >> PAGE_BITS)) is not None and not address & 7
            else rare(address)
            for address in addresses
        ]

    def _rare(self, address: int) -> int:
        if address & 7:  # heads of the collector's lists lie on a multiple of 4 in some builds
            return 0 if address & 3 else self._single(address)
        number = address >> PAGE_BITS
        words = self._words[number] if number in self._words else self._load(number)
        return self._single(address) if words is None else words[(address & PAGE - 1) >> 3]

    def run(self, start: int, count: int) -> list[int]:
        """Return `count` words that follow each other.

        Raises UnreadableMemory. What lies in one page, as nearly all, is not copied twice.
        """
        if count < 1:
            return []
        at = start & PAGE - 1
        words = self._words.get(start >> PAGE_BITS)
        if words is None or words is NOTHING or at & 7 or at + 8 * count > PAGE:
            return memoryview(self.read(start, 8 * count)).cast("Q").tolist()
        return words[at >> 3 : (at >> 3) + count].tolist()

    def members(self, address: int, members: StructWords) -> Sequence[int]:
        """Return the members of one struct, each as word() does."""
        page, at = self._pages.get(address >> PAGE_BITS), address & PAGE - 1
        if page is None or at + members.words.size > PAGE:
            return self.words([address + n for n in members.offsets])
        return members.words.unpack_from(page, at)

    def u64(self, address: int) -> int:
        """Read an unsigned 64-bit word; raise UnreadableMemory where none is."""
        if not address & 7:
            words = self._words.get(address >> PAGE_BITS)
            if words is not None and words is not NOTHING:
                return words[(address & PAGE - 1) >> 3]
        return super().u64(address)

    def i64(self, address: int) -> int:
        """Read a Py_ssize_t; raise UnreadableMemory where none is."""
        word = self.u64(address)
        return word - (word >> 63 << 64)

    def _single(self, address: int) -> int:
        try:
            return self.u64(address) if 0 <= address < 1 << 63 else 0
        except UnreadableMemory:
            return 0

    def _load(self, number: int) -> memoryview | None:
        if len(self._words) >= MAX_PAGES:
            self._words.clear()
            self._pages.clear()
        start = number << PAGE_BITS
        words: memoryview | None = None
        page: bytes | None = None
        if not self._is_mapped(start):  # an error for each of them takes long
            words = NOTHING
        elif 0 <= start < 1 << 63:
            try:
                page = self.target.read(start, PAGE)
                words = memoryview(page).cast("Q")
            except UnreadableMemory:
                page = None
        self._pages[number] = page
        self._words[number] = words
        return words

    def _is_mapped(self, start: int) -> bool:
        """Whether a mapping has any byte of a page, or mappings are not known."""
        if not self._regions:
            return True
        index = bisect_right(self._starts, start) - 1
        if index + 1 < len(self._starts) and self._starts[index + 1] < start + PAGE:
            return True
        region = self._regions[max(index, 0)]
        return index >= 0 and start < max(region.end, region.start + region.dumped)

    @cached_property
    def _regions(self) -> Sequence[Region]:
        return self.target.regions()

    @cached_property
    def _starts(self) -> list[int]:
        return [region.start for region in self._regions]

    def _read(self, address: int, size: int) -> bytes:
        number, at = address >> PAGE_BITS, address & PAGE - 1
        if at + size <= PAGE:
            if number not in self._pages:
                self._load(number)
            page = self._pages[number]
            if page is not None:
                return page[at : at + size]
        return self.target.read(address, size)


@once_per_run
def page_reader(context: Context) -> PagedReader:
    """Return the reader that all checks of a Python share: each page is read once."""
    python = context.state.python
    assert isinstance(python, PythonState)
    return PagedReader(context.target, python.layout)


def on_stack(context: Context, address: int) -> bool:
    """Whether an address lies in the stack of a thread, where compiled code spills registers."""
    region = context.target.region_at(address)
    pointers = (thread.registers.get("rsp", 0) for thread in context.target.threads())
    return region is not None and any(region.start <= sp < region.end for sp in pointers)
