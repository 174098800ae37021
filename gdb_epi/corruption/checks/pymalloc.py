# SPDX-License-Identifier: Apache-2.0
"""R9, R13, R11: pymalloc's pools, and the types and counts of the objects in their blocks."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.memory import heap_of, touched
from gdb_epi.corruption.heap.pymalloc_blocks import Blocks
from gdb_epi.corruption.heap.pymalloc_pools import (
    SIZES,
    Pool,
    Wrong,
    damage_in,
    damaged_header,
    pool_at,
)
from gdb_epi.corruption.heap.typed_walk import walk_of
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence, Skipped, word_evidence
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.target.search import OutOfTime

MAX_POOLS = 96  # of a default run
MAX_PAGE = SIZES[0]
MAX_WRONG = 24  # slots of containers that hold no object; more are an overwrite
STEP = 4096
PIECE = 1 << 20
INCREMENT = "an increment of the reference count of a freed object (use after free)"


@check("R9", needs="python")
def pymalloc(context: Context) -> Iterator[Evidence | Skipped]:
    """Check pool headers and free lists, and the type words of objects in blocks in use.

    By default of the pools that the fault touched; in a sweep of all. A type word counts only at a
    block in use, one bit from a type whose size fits the block, with a count and collector's links
    as an object has them. Innocent causes: a count raised in a freed object (low bits of a link:
    ambiguous), a crash inside the allocator, overruns (many bits), stale headers of empty pools.
    """
    python = context.state.python
    if not isinstance(python, PythonState):
        return
    if python.layout.free_threaded:
        yield Skipped("R9", "free-threaded builds use mimalloc, not pymalloc")
        return
    try:
        heap = heap_of(context, python)
        blocks = Blocks(heap, context)
    except LayoutError as error:
        yield Skipped("R9", f"{error}")
        return
    if context.sweep:
        try:
            blocks.know_all_types()
        except (LayoutError, OutOfTime) as error:
            yield Skipped("R13", f"the types of the process: {error or 'out of time'}")
    found = _Pools(context)
    pools = found.everywhere() if context.sweep else found.near_the_fault()
    number = 0
    for pool, data in pools:
        number += 1
        wrong = damage_in(pool, data)
        if wrong is not None:
            yield _evidence(wrong, pool.address)
        blocks.look(pool, data)
    for place, wrong in found.headers:
        yield _evidence(wrong, place)
    yield from blocks.evidence()
    context.counts["pools"] = number
    context.counts["blocks"] = blocks.looked
    if not number and found.complete:
        what = "in writable memory" if context.sweep else "at what the fault had at hand"
        yield Skipped("R9", f"no pool of pymalloc {what} (another allocator, or big objects)")
    if not found.complete:
        yield Skipped("R9", "the budget ended before all pools were seen")


def _evidence(wrong: Wrong, pool: int) -> Evidence:
    made = word_evidence(
        "R9",
        wrong.where,
        wrong.found,
        wrong.corrected,
        MEMORY,
        f"{wrong.what} in pymalloc's pool at {pool:#x} holds {wrong.found:#x}; with "
        f"{wrong.corrected:#x} header and free list agree",
    )
    return made._replace(ambiguous=INCREMENT) if wrong.low else made


class _Pools:
    """Find pools; remember headers that one bit makes a pool's."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.headers: list[tuple[int, Wrong]] = []
        self.complete = True
        self._before: Pool | None = None  # what ends where the next place begins, if it is a pool

    def near_the_fault(self) -> Iterator[tuple[Pool, bytes]]:
        """Yield the pools that registers and the stack's top point into."""
        seen: set[int] = set()
        read = self._context.target.read
        for value in self._values():
            for size in SIZES:
                start = value & -size
                if start in seen or len(seen) >= 2 * MAX_POOLS:
                    continue
                seen.add(start)
                try:
                    data = read(start, size)
                except UnreadableMemory:
                    continue
                pool = pool_at(start, data)
                if pool is not None:
                    yield pool, data
                    break
                self._header(start, size, data)

    def _values(self) -> Iterator[int]:
        """Yield addresses: where the wrong pointer lies, what it should be, what was at hand."""
        for one in self._context.findings:
            if one.detector == "pointer_one_bit_off":
                yield from (int(place, 16) for place in one.facts.get("where", ()))
                yield int(one.facts["corrected"], 16)
        yield from touched(self._context)
        walk = walk_of(self._context)  # slots that name no object: its header may be what is wrong
        wrong = [] if isinstance(walk, Absent) else walk.without_type()
        yield from (slot.value for slot in wrong if len(wrong) <= MAX_WRONG)

    def _header(self, start: int, size: int, data: bytes) -> None:
        """Look at a place beside two pools that is none."""
        read = self._context.target.read
        try:
            around = [read(start - size, size), read(start + size, size)]
        except UnreadableMemory:
            return
        sides = [
            pool_at(start + step, raw) for step, raw in zip((-size, size), around, strict=True)
        ]
        if all(side is not None and side.size == size for side in sides):
            wrong = damaged_header(start, size, data)
            if wrong is not None:
                self.headers.append((start, wrong))

    def everywhere(self) -> Iterator[tuple[Pool, bytes]]:
        """Yield the pools of anonymous writable memory."""
        for region in self._context.target.regions():
            if region.path is not None or "w" not in region.perms:
                continue
            end = region.start + min(region.dumped, region.size)
            self._before = None
            for start in range(region.start & -MAX_PAGE, end, PIECE):
                low, high = max(start, region.start), min(start + PIECE, end)
                if high <= low:
                    continue
                if not self._context.budget.take(high - low):
                    self.complete = False
                    return
                yield from self._in_piece(low, high)

    def _in_piece(self, low: int, high: int) -> Iterator[tuple[Pool, bytes]]:
        try:
            data = self._context.target.read(low, high - low)
        except UnreadableMemory:
            return
        if not any(data[::STEP]) and not data.strip(b"\0"):
            return
        at = -low % STEP
        while at + STEP <= len(data):
            pool = pool_at(low + at, data[at : at + MAX_PAGE])
            if pool is not None:
                yield pool, data[at : at + pool.size]
            elif self._before is not None and not (low + at) % self._before.size:
                size = self._before.size
                self._header(low + at, size, data[at : at + size])
            at += pool.size if pool is not None else STEP
            self._before = pool
