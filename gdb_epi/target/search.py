# SPDX-License-Identifier: Apache-2.0
"""Scans over a target's memory.

Find 64-bit words in the dumped writable memory of a process.

Searches of all dumped memory for bytes and words, within a budget of seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from gdb_epi.errors import SoftError, UnreadableMemory
from gdb_epi.target.api import Region, Target
from gdb_epi.typing_lite import NamedTuple

SCAN_CHUNK = 16 << 20
MAX_SCAN_HITS = 10_000


def find_bytes(target: Target, needle: bytes, start: int, end: int) -> Iterator[int]:
    """Yield the addresses in [start, end) at which `needle` stands.

    A target may have a method `find(needle, start, end) -> address | None` of its own that copies
    nothing (a core file is searched in place); others are read in chunks.
    """
    search = getattr(target, "find", None)
    for _ in range(MAX_SCAN_HITS):
        address = search(needle, start, end) if search else _find(target, needle, start, end)
        if address is None:
            return
        yield address
        start = address + 1


def _find(target: Target, needle: bytes, start: int, end: int) -> int | None:
    overlap = len(needle) - 1
    while start < end:
        size = min(SCAN_CHUNK + overlap, end - start)
        try:
            at = target.read(start, size).find(needle)
        except UnreadableMemory:
            at = -1
        if at >= 0:
            return start + at
        start += SCAN_CHUNK
    return None


MAX_SEARCHED = 1 << 29  # bytes of one search; about a second at the speed of bytes.find
MAX_WORD_HITS = 64  # places reported of one word


class Hits(NamedTuple):
    """Where a word was found, ascending; `searched` bytes, `complete` unless a cap was hit."""

    addresses: tuple[int, ...]
    searched: int
    complete: bool


class WordSearch:
    """A search for one word in dumped, writable memory, of at most MAX_SEARCHED bytes.

    `searched` is how many it has looked at, `cut` whether there are more.
    """

    def __init__(self, target: Target, value: int) -> None:
        self._target, self._pattern = target, value.to_bytes(8, "little")
        self.searched = 0
        self.cut = False

    def addresses(self) -> Iterator[int]:
        """Yield the 8-aligned addresses that hold the word, ascending."""
        target, pattern = self._target, self._pattern
        needle = pattern.rstrip(b"\0") or pattern  # far faster than with the zero bytes at the end
        for region in target.regions():
            size = min(region.dumped, region.size, MAX_SEARCHED - self.searched)
            if "w" not in region.perms or region.dumped <= 0:
                continue
            if size <= 0:
                self.cut = True
                return
            self.searched += size
            for address in find_bytes(target, needle, region.start, region.start + size):
                if address % 8 == 0 and _is_word(target, address, pattern):
                    yield address


def find_word(target: Target, value: int, *, limit: int = MAX_WORD_HITS) -> Hits:
    """Return the 8-aligned addresses of a word in dumped, writable memory.

    The search stops after `limit` hits or MAX_SEARCHED bytes; `complete` says so.
    """
    search = WordSearch(target, value)
    hits: list[int] = []
    for address in search.addresses():
        hits.append(address)
        if len(hits) >= limit:
            return Hits(tuple(hits), search.searched, False)
    return Hits(tuple(hits), search.searched, not search.cut)


def _is_word(target: Target, address: int, pattern: bytes) -> bool:
    try:
        return target.read(address, 8) == pattern
    except UnreadableMemory:
        return False


CHUNK = 4 << 20
PIECE = 1 << 17  # bytes that are told to be all zero, or searched
BUDGET = 20.0  # seconds


PIECES_BETWEEN_CHECKS = 64
MAX_UNREADABLE = 4096  # pieces of one mapping
LOW_HALF = (1 << 32) - 1


Ranges = list[tuple[int, int]]


class OutOfTime(Exception):
    """The budget of a search is spent; what was found so far stands."""


class Search:
    """Search the memory of one process; one budget for all searches together."""

    def __init__(
        self,
        target: Target,
        *,
        budget: float = BUDGET,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.target = target
        self.soft_errors: list[SoftError] = []
        self._clock = clock
        self._deadline = clock() + budget
        self._known_ranges: dict[bool, list[tuple[int, int]]] = {}

    def check_time(self) -> None:
        """Raise OutOfTime when the budget is spent."""
        if self._clock() > self._deadline:
            raise OutOfTime

    def ranges(self, writable: bool) -> Ranges:
        """Return the ranges worth a search: dumped and not all zero; raises OutOfTime.

        Free-threaded builds reserve a gigabyte for mimalloc, of which the core holds zeros.
        """
        if writable not in self._known_ranges:
            found: list[tuple[int, int]] = []
            for region in self.target.regions():
                if region.dumped > 0 and ("w" in region.perms or not writable):
                    self._add_ranges(region, found)
            self._known_ranges[writable] = found
        return self._known_ranges[writable]

    def _add_ranges(self, region: Region, found: list[tuple[int, int]]) -> None:
        zeros = bytes(PIECE)
        end = region.start + min(region.dumped, region.size)
        unreadable = 0
        for number, start in enumerate(range(region.start, end, PIECE)):
            if not number % PIECES_BETWEEN_CHECKS:
                self.check_time()
            size = min(PIECE, end - start)
            try:
                data = self.target.read(start, size)
            except UnreadableMemory:
                self._unreadable(start)
                unreadable += 1
                if unreadable > MAX_UNREADABLE:
                    return  # a damaged size: nothing of it is there
                continue
            if data == zeros or (not any(data[:: max(1, size // 64)]) and not data.strip(b"\0")):
                continue
            if found and found[-1][1] == start and start + size - found[-1][0] <= CHUNK:
                found[-1] = (found[-1][0], start + size)
            else:
                found.append((start, start + size))

    def words(self, value: int, ranges: Ranges | None = None) -> Iterator[int]:
        """Yield the aligned addresses in writable memory, or in ranges, that hold a 64-bit word."""
        for address in self.find(value.to_bytes(8, "little"), writable=True, ranges=ranges):
            if not address & 7:
                yield address

    def words_of(
        self, values: Sequence[int], ranges: Ranges | None = None
    ) -> Iterator[tuple[int, int]]:
        """Yield (word, aligned address) of several words in writable memory, or in ranges.

        Within a range (4 MiB at most), word by word. Only the lower halves of memory's words are
        searched: half of the bytes, of memory that is read once for all. Raises OutOfTime.
        """
        import re
        from array import array

        for value in values:
            if not value & LOW_HALF:  # no address of an object
                yield from ((value, address) for address in self.words(value, ranges))
        needles = [(value, value.to_bytes(8, "little")) for value in values if value & LOW_HALF]
        leads = [4 - len(needle[:4].lstrip(b"\0")) for _, needle in needles]
        found = [
            re.compile(re.escape(needle[lead:4]))
            for (_, needle), lead in zip(needles, leads, strict=True)
        ]
        for start, end in self.ranges(True) if ranges is None else ranges:
            self.check_time()
            data = self._read_over(start, end, 0)[-start % 8 :]
            low = array("I", data[: len(data) & ~7])[::2].tobytes()
            for (value, needle), lead, pattern in zip(needles, leads, found, strict=True):
                hit = pattern.search(low)
                while hit is not None:
                    at = 2 * (hit.start() - lead)
                    if not at & 7 and data.startswith(needle, at):
                        yield value, start + (-start % 8) + at
                    hit = pattern.search(low, hit.start() + 1)

    def find(self, needle: bytes, *, writable: bool, ranges: Ranges | None = None) -> Iterator[int]:
        """Yield the addresses that hold some bytes; raises OutOfTime."""
        overlap = len(needle) - 1
        # Far faster without the zero bytes at the end, which are everywhere.
        short = needle.rstrip(b"\0") or needle
        for start, end in self.ranges(writable) if ranges is None else ranges:
            self.check_time()
            data = self._read_over(start, end, overlap)
            at = data.find(short)
            while 0 <= at < end - start:
                if data.startswith(needle, at):
                    yield start + at
                at = data.find(short, at + 1)

    def _read_over(self, start: int, end: int, overlap: int) -> bytes:
        """Read a range, and a little more where that is there."""
        try:
            return self.target.read(start, end + overlap - start)
        except UnreadableMemory:
            try:
                return self.target.read(start, end - start)
            except UnreadableMemory:
                self._unreadable(start)
                return b""

    def _unreadable(self, address: int) -> None:
        error = SoftError("heap", f"{address:#x}", "memory that cannot be read was left out")
        if error not in self.soft_errors[-20:]:
            self.soft_errors.append(error)
