# SPDX-License-Identifier: Apache-2.0
"""A reader that reads each page of memory once, for walks over many objects."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from struct import Struct

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.reader import Reader, struct_fields
from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import PAGE, PAGE_BITS
from gdb_epi.target.api import Region, Target
from gdb_epi.typing_lite import NamedTuple

MAX_PAGES = 4096  # kept; then they are read again
NOTHING = memoryview(bytes(PAGE)).cast("Q")  # the words of a page of which nothing is mapped


class StructWords(NamedTuple):
    """Words of a struct: their offsets, ascending, and what takes them out of its bytes."""

    offsets: list[int]
    words: Struct


def struct_words(offsets: Iterable[int]) -> StructWords:
    """Return what takes the words at these offsets out of a struct."""
    ascending = sorted(offsets)
    return StructWords(ascending, struct_fields([(offset, "Q") for offset in ascending]))


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

    def unpack(self, address: int, fields: Struct) -> tuple[int, ...] | None:
        """Return the fields at an address; None where they do not lie in one whole page."""
        number, at = address >> PAGE_BITS, address & PAGE - 1
        page = self._pages.get(number)
        if page is None and number not in self._pages:
            self._load(number)
            page = self._pages[number]
        if page is None or at + fields.size > PAGE:
            return None
        return fields.unpack_from(page, at)

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

    def is_string(self, address: int, text: str) -> bool:
        """Do what Reader.is_string does; most strings have another length."""
        if self.word(address + self._length_at) != len(text) and text.isascii():
            return False
        return super().is_string(address, text)

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
