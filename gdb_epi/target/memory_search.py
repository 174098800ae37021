# SPDX-License-Identifier: Apache-2.0
"""Search the memory of a process for bytes and for 64-bit words.

There are two ways. `find_bytes` and `find_word` look at memory in place: nothing is copied, each
hit costs a call, and a word is searched for in a limited number of bytes. `MemorySearch` is for
many searches, and for words that stand in millions of places: it leaves out what is all zero, reads
the rest in pieces, and all its searches share one budget of seconds. Needles are searched for
without the zero bytes at their end, which are everywhere: that is far faster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

from gdb_epi.errors import SoftError, UnreadableMemory
from gdb_epi.target.api import Target, shared_cache, try_read
from gdb_epi.typing_lite import NamedTuple

PIECE = 4 << 20  # bytes that are read and searched at once
MAX_HITS = 10_000  # of one needle in one range
MAX_SEARCHED = 1 << 29  # bytes of one search for a word; about a second at the speed of bytes.find
MAX_WORD_HITS = 64  # places reported of one word
MAX_KEPT_WORDS = 1024  # words of one core whose places are kept

BUDGET = 20.0  # seconds
ZERO_PIECE = 1 << 17  # bytes that are compared with zeros at once
PIECES_BETWEEN_CHECKS = 64  # of the clock
MAX_UNREADABLE = 4096  # pieces of one mapping
FEW = 3  # words: one search for bytes takes as long as four for words
LOW_HALF = (1 << 32) - 1
MIN_LARGE = 1 << 16  # of words without an upper half

Ranges = list[tuple[int, int]]  # (start, end) addresses, half-open, ascending


class OutOfTime(Exception):
    """The budget of a search is spent; what was found so far stands."""


class WordHits(NamedTuple):
    """The addresses of a word, ascending; `complete` unless a limit ended the search."""

    addresses: tuple[int, ...]
    complete: bool


def find_bytes(target: Target, needle: bytes, start: int, end: int) -> Iterator[int]:
    """Yield the addresses in [start, end) at which `needle` stands.

    A target may have a method `find(needle, start, end) -> address | None` of its own that copies
    nothing (a core file is searched in place); others are read in pieces.
    """

    def find_by_reading(needle: bytes, start: int, end: int) -> int | None:
        for low in range(start, end, PIECE):
            at = try_read(target, low, min(PIECE + len(needle) - 1, end - low)).find(needle)
            if at >= 0:
                return low + at
        return None

    yield from _occurrences(getattr(target, "find", find_by_reading), needle, start, end)


def _occurrences(
    find: Callable[[bytes, int, int], int | None], needle: bytes, start: int, end: int
) -> Iterator[int]:
    for _ in range(MAX_HITS):
        address = find(needle, start, end)
        if address is None:
            return
        yield address
        start = address + 1


def find_word(target: Target, value: int, *, limit: int | None = MAX_WORD_HITS) -> WordHits:
    """Return the 8-aligned addresses of a word in dumped, writable memory.

    The search stops after `limit` hits (None: only where there are no more) or MAX_SEARCHED bytes;
    `complete` says whether it did not. What was found in a core is kept; a search that is asked for
    more places goes on where it stopped.
    """
    kept = shared_cache(target)
    searches: dict[int, _WordSearch] = {} if kept is None else kept.setdefault(_WordSearch, {})
    search = searches.get(value)
    if search is None:
        search = _WordSearch(target, value)
        if limit is not None and len(searches) < MAX_KEPT_WORDS:
            searches[value] = search
    return search.first_places(limit)


class _WordSearch:
    """The search for one word: what was found so far, and where it goes on."""

    def __init__(self, target: Target, value: int) -> None:
        self._addresses: list[int] = []
        self._whole = True
        self._rest = _find_word_places(target, value)

    def first_places(self, limit: int | None) -> WordHits:
        """Return the first places, at most `limit`."""
        addresses = self._addresses
        while limit is None or len(addresses) < limit:
            try:
                addresses.append(next(self._rest))
            except StopIteration as end:
                self._whole = self._whole if end.value is None else end.value
                return WordHits(tuple(addresses), self._whole)
        return WordHits(tuple(addresses[:limit]), False)


def _find_word_places(target: Target, value: int) -> Generator[int, None, bool]:
    """Yield the places of a word; return whether all memory was looked at.

    A core file has a search for words of its own, by their lower halves; those whose lower half
    is a small number, which is in too many places for it, are searched for as bytes.
    """
    kept = shared_cache(target)
    ranges = (kept or {}).get(_searched_ranges) or _searched_ranges(target)
    if kept is not None:
        kept[_searched_ranges] = ranges
    pattern = value.to_bytes(8, "little")
    small = not value & LOW_HALF if value >> 32 else value < MIN_LARGE
    word_places = None if small or kept is None else getattr(target, "word_places", None)
    if word_places is not None:
        yield from word_places(pattern, ranges.ranges, MAX_HITS)
    for start, end in ranges.ranges if word_places is None else ():
        for address in find_bytes(target, pattern.rstrip(b"\0") or pattern, start, end):
            if address % 8 == 0 and try_read(target, address, 8) == pattern:
                yield address
    return ranges.complete


class _SearchedRanges(NamedTuple):
    """Where words are searched for; `complete` unless MAX_SEARCHED ends it."""

    ranges: Ranges
    complete: bool


def _searched_ranges(target: Target) -> _SearchedRanges:
    ranges: Ranges = []
    left = MAX_SEARCHED
    for region in target.regions():
        if "w" in region.perms and region.dumped > 0:
            size = min(region.dumped, region.size, left)
            if size <= 0:
                return _SearchedRanges(ranges, False)
            left -= size
            ranges.append((region.start, region.start + size))
    return _SearchedRanges(ranges, True)


def find_words(target: Target, values: Iterable[int], limit: int) -> dict[int, tuple[int, ...]]:
    """Return at most `limit` places of each word, as find_word does.

    Words that differ in their lowest byte alone are searched for together.
    """
    groups: dict[int, dict[int, list[int]]] = {}
    for value in values:
        groups.setdefault(value >> 8, {})[value] = []
    for upper, hits in groups.items():
        if not upper or len(hits) <= FEW:
            for value in hits:
                hits[value] = list(find_word(target, value, limit=limit).addresses)
            continue
        needle = upper.to_bytes(7, "little").rstrip(b"\0")
        for address in _find_bytes_in_writable_memory(target, needle):
            if address % 8 == 1:
                word = int.from_bytes(try_read(target, address - 1, 8), "little")
                if word in hits and len(hits[word]) < limit:
                    hits[word].append(address - 1)
                    if all(len(places) == limit for places in hits.values()):
                        break
    return {value: tuple(places) for hits in groups.values() for value, places in hits.items()}


def _find_bytes_in_writable_memory(target: Target, needle: bytes) -> Iterator[int]:
    """Yield the addresses of some bytes in the memory that find_word() searches."""
    for start, end in _searched_ranges(target).ranges:
        yield from find_bytes(target, needle, start, end)


class MemorySearch:
    """Searches of the memory of one process, with one budget of seconds for all of them."""

    def __init__(
        self,
        target: Target,
        *,
        budget: float = BUDGET,
        clock: Callable[[], float] = time.monotonic,
        kept: dict[bool, tuple[Ranges, list[SoftError]]] | None = None,
    ) -> None:
        self.target = target
        self.soft_errors: list[SoftError] = []
        self._clock = clock
        self._deadline = clock() + budget
        self._kept = {} if kept is None else kept  # by whether it may be written; for later ones
        self._ranges: dict[bool, Ranges] = {}

    def check_time(self) -> None:
        """Raise OutOfTime when the budget is spent."""
        if self._clock() > self._deadline:
            raise OutOfTime

    def nonzero_ranges(self, writable: bool) -> Ranges:
        """Return the ranges worth a search: dumped and not all zero; raises OutOfTime.

        Free-threaded builds reserve a gigabyte for mimalloc, which is zeros in the core.
        """
        if writable not in self._ranges:
            if writable not in self._kept:
                before = len(self.soft_errors)
                ranges: Ranges = []
                for region in self.target.regions():
                    if region.dumped > 0 and ("w" in region.perms or not writable):
                        self._add_nonzero_ranges(region.start, region.dumped_size, ranges)
                self._kept[writable] = ranges, self.soft_errors[before:]
                del self.soft_errors[before:]
            self._ranges[writable], errors = self._kept[writable]
            self.soft_errors += errors
        return self._ranges[writable]

    def _add_nonzero_ranges(self, first: int, length: int, ranges: Ranges) -> None:
        """Add the parts of a mapping that are not all zero, in ranges of at most a PIECE."""
        zeros = bytes(ZERO_PIECE)
        unreadable = 0
        for number, start in enumerate(range(first, first + length, ZERO_PIECE)):
            if not number % PIECES_BETWEEN_CHECKS:
                self.check_time()
            size = min(ZERO_PIECE, first + length - start)
            try:
                content = self.target.read(start, size)
            except UnreadableMemory:
                self._note_unreadable(start)
                unreadable += 1
                if unreadable > MAX_UNREADABLE:
                    return  # a damaged size: none of that memory exists
                continue
            if content == zeros or (
                not any(content[:: max(1, size // 64)]) and not content.strip(b"\0")
            ):
                continue
            if ranges and ranges[-1][1] == start and start + size - ranges[-1][0] <= PIECE:
                ranges[-1] = (ranges[-1][0], start + size)
            else:
                ranges.append((start, start + size))

    def find(self, needle: bytes, *, writable: bool, ranges: Ranges | None = None) -> Iterator[int]:
        """Yield the addresses that hold some bytes; raises OutOfTime."""
        short = needle.rstrip(b"\0") or needle
        for start, end in self.nonzero_ranges(writable) if ranges is None else ranges:
            self.check_time()
            piece = self._read(start, end, len(needle) - 1)
            at = piece.find(short)
            while 0 <= at < end - start:
                if piece.startswith(needle, at):
                    yield start + at
                at = piece.find(short, at + 1)

    def find_word(self, value: int, ranges: Ranges | None = None) -> Iterator[int]:
        """Yield the aligned addresses in writable memory, or in ranges, that hold a 64-bit word."""
        for address in self.find(value.to_bytes(8, "little"), writable=True, ranges=ranges):
            if not address & 7:
                yield address

    def find_any_word(
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
                yield from ((value, address) for address in self.find_word(value, ranges))
        searches = []  # (word, its bytes, zero bytes that its lower half begins with, the rest)
        for value in values:
            if value & LOW_HALF:
                needle = value.to_bytes(8, "little")
                zeros = 4 - len(needle[:4].lstrip(b"\0"))
                searches.append((value, needle, zeros, re.compile(re.escape(needle[zeros:4]))))
        for start, end in self.nonzero_ranges(True) if ranges is None else ranges:
            self.check_time()
            aligned = start + -start % 8
            piece = self._read(start, end, 0)[aligned - start :]
            low_halves = array("I", piece[: len(piece) & ~7])[::2].tobytes()
            for value, needle, zeros, pattern in searches:
                hit = pattern.search(low_halves)
                while hit is not None:
                    at = 2 * (hit.start() - zeros)
                    if not at & 7 and piece.startswith(needle, at):
                        yield value, aligned + at
                    hit = pattern.search(low_halves, hit.start() + 1)

    def _read(self, start: int, end: int, overlap: int) -> bytes:
        """Read a range, and `overlap` bytes more where they are there."""
        for size in (end + overlap - start, end - start):
            if content := try_read(self.target, start, size):
                return content
        self._note_unreadable(start)
        return b""

    def _note_unreadable(self, address: int) -> None:
        error = SoftError("heap", f"{address:#x}", "memory that cannot be read was left out")
        if error not in self.soft_errors[-20:]:
            self.soft_errors.append(error)
