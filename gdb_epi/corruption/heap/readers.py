# SPDX-License-Identifier: Apache-2.0
"""Readers of memory that all checks share: words, pages that are kept, a sweep within the budget.

A default run reads pages and single words; a sweep reads all dumped writable memory in pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import compress

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.evidence import require
from gdb_epi.corruption.heap.pymalloc_pools import POOL_SIZES, read_pool_shape
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault.find_fault import GENERAL
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target
from gdb_epi.target.memory_search import Ranges
from gdb_epi.typing_lite import NamedTuple

AROUND = (-16, -8, 8, 16)  # bytes from a word to the four around it
POINTER_LANES = range(1, 6)  # bytes of a pointer but the lowest: an overflow by one writes that
CHUNK = 1 << 20
STEP = min(POOL_SIZES)  # of pools
FEW = 16  # one mark of so many: a call for each then costs what a look at every byte does
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
            (region.start, region.dumped_size)
            for region in context.target.regions()
            if "w" in region.perms and region.dumped > 0
        ]
        self.swept = SweepProgress(sum(size for _, size in self._ranges), 0)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        done, total = 0, self.swept.total
        budget, target = self._context.budget, self._context.target
        for first, length in self._ranges:
            for start in range(first, first + length, CHUNK):
                size = min(CHUNK, first + length - start)
                if not budget.take_bytes(size):
                    return
                piece = try_read(target, start, size)
                if piece and piece != (_ZEROS if size == CHUNK else _ZEROS[:size]):
                    yield start, piece
                done += size
                self.swept = SweepProgress(total, done)
                self._context.report_progress(done, total)

    def reread_piece(self, start: int) -> bytes:
        """Return the piece of memory that begins at an address once more."""
        first, length = next(piece for piece in self._ranges if piece[0] <= start < sum(piece))
        return try_read(self._context.target, start, min(CHUNK, first + length - start))


@once_per_run
def shared_object_search(context: Context) -> ObjectSearch:
    """Return the search for objects that all checks of a Python share: it finds types once.

    Raises LayoutError.
    """
    python = require(context.state.python)
    heap = ObjectSearch(context.target, python)
    if context.sweep and not python.layout.free_threaded:
        heap.places_of_types = partial(ranges_outside_pools, context.target)
    return heap


def ranges_outside_pools(target: Target, ranges: Ranges) -> Ranges:
    """Return what of ranges pymalloc's pools do not fill: no type lies in one.

    Blocks of pools have up to 512 bytes (SMALL_REQUEST_THRESHOLD, Objects/obmalloc.c), and types
    made at run time more (PyHeapTypeObject: from 848 on, 3.8 to 3.15); others are data of files.
    """
    outside: Ranges = []
    for start, end in ranges:
        try:
            memory = target.read(start, end - start)
        except UnreadableMemory:
            outside.append((start, end))  # the search says so
            continue
        low, at = 0, -start % STEP
        while at + STEP <= len(memory):
            pool = read_pool_shape(start + at, memory, at)
            if pool is None:
                at += STEP
                continue
            if low < at:
                outside.append((start + low, start + at))
            low = at = at + pool[0]
        if low < len(memory):
            outside.append((start + low, end))
    return outside


def read_words(context: Context, start: int, count: int) -> memoryview:
    """Return 64-bit words at an aligned address; empty when they cannot be read."""
    return memoryview(try_read(context.target, start, 8 * count)).cast("Q")


def where_in_range(words: memoryview, low: int, high: int) -> list[int]:
    """Return the numbers of the words that are more than one number and at most another.

    Two bytes of each word are looked at first, all at once: most words have others there.
    """
    count, first = len(words), low + 1
    if first > high or not count:
        return []
    memory, at = bytes(words), ((first ^ high).bit_length() + 7 >> 3 or 1) - 1
    may_be = -1
    for n in (at, at + 1) if at < WORD - 1 else (at,):  # from the second on both have the same
        least, most = first >> 8 * n & 0xFF, high >> 8 * n & 0xFF
        fits = bytes(least) + b"\xff" * (most - least + 1) + bytes(0xFF - most)
        may_be &= int.from_bytes(memory[n::WORD].translate(fits), "little")
    if not may_be:
        return []
    places = positions_of_0xff_bytes(may_be.to_bytes(count, "little"))
    return [number for number in places if low < words[number] <= high]


def positions_of_0xff_bytes(marks: bytes) -> list[int]:
    """Return the places of all bytes that are 0xFF; the others are 0."""
    if marks.count(0xFF) * FEW > len(marks):
        return list(compress(range(len(marks)), marks))
    places, at = [], marks.find(0xFF)
    while at >= 0:
        places.append(at)
        at = marks.find(0xFF, at + 1)
    return places


@once_per_run
def words_at_fault(context: Context) -> tuple[int, ...]:
    """Return the values that the fault had at hand: registers and the top of its stack.

    Each value once, registers first; small numbers are left out.
    """
    fault = context.fault
    if isinstance(fault, Absent):
        return ()
    registers = [fault.registers.get(name, 0) for name in GENERAL]
    values = dict.fromkeys([*registers, *read_top_of_stack(context, fault.sp)])
    return tuple(value for value in values if value > 0xFFFF)


def read_top_of_stack(context: Context, sp: int) -> memoryview:
    """Return the words that a function and its callers have on their stack; empty without one."""
    region, start = context.target.region_at(sp), sp & ~7
    if region is None:
        return memoryview(b"").cast("Q")
    end = min(region.start + region.dumped, sp + 8 * MAX_STACK_WORDS)
    return read_words(context, start, max(0, (end - start) // 8))


@once_per_run
def shared_reader(context: Context) -> MemoryReader:
    """Return the reader that all checks of a Python share: each page is read once."""
    return MemoryReader(context.target, require(context.state.python).layout)


def find_only_place_off_stack(context: Context, value: int, limit: int) -> int | None:
    """Return the one place outside of stacks that holds a word; None of several, or of `limit`."""
    places = context.places_of_word(value, limit)
    kept = [at for at in places if not is_on_stack(context, at)]
    return kept[0] if len(kept) == 1 and len(places) < limit else None


def is_on_stack(context: Context, address: int) -> bool:
    """Whether an address lies in the stack of a thread, where compiled code spills registers."""
    region = context.target.region_at(address)
    return region is not None and region.start in _starts_of_stacks(context)


@once_per_run
def _starts_of_stacks(context: Context) -> frozenset[int]:
    """Return where the mappings begin that a thread's stack pointer leads into."""
    pointers = (thread.registers.get("rsp", 0) for thread in context.target.threads())
    regions = map(context.target.region_at, pointers)
    return frozenset(region.start for region in regions if region is not None)
