# SPDX-License-Identifier: Apache-2.0
"""Pieces of dumped writable memory, within the budget; single words; small neighbourhoods."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.cpython.heap import Heap
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import UnreadableMemory
from gdb_epi.fault import GENERAL
from gdb_epi.lean import NamedTuple

CHUNK = 1 << 20
_ZEROS = bytes(CHUNK)
MAX_STACK_WORDS = 512  # of the crashed thread, from rsp on, that count as touched


class Sweep(NamedTuple):
    """How far a sweep came: bytes in all, bytes done; `complete` unless the budget ended."""

    total: int
    done: int

    @property
    def complete(self) -> bool:
        """Whether all of it was read."""
        return self.done >= self.total


class Chunks:
    """Iterate over writable memory as (address, bytes), without pieces that are all zero."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._ranges = [
            (region.start, min(region.dumped, region.size))
            for region in context.target.regions()
            if "w" in region.perms and region.dumped > 0
        ]
        self.swept = Sweep(sum(size for _, size in self._ranges), 0)

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
                self.swept = Sweep(total, done)
                self._context.progress(done, total)


def heap_of(context: Context, python: PythonState) -> Heap:
    """Return the search for objects that all checks share: types are looked for once.

    Raises LayoutError.
    """
    if "heap" not in context.kept:
        context.kept["heap"] = Heap(context.target, python)
    heap: Heap = context.kept["heap"]
    return heap


def read_words(context: Context, start: int, count: int) -> memoryview:
    """Return 64-bit words at an aligned address; empty when they cannot be read."""
    try:
        return memoryview(context.target.read(start, 8 * count)).cast("Q")
    except UnreadableMemory:
        return memoryview(b"").cast("Q")


def touched(context: Context) -> list[int]:
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
