# SPDX-License-Identifier: Apache-2.0
"""Memory by pages that are kept: for walks that read very many words."""

from __future__ import annotations

from gdb_epi.cpython.layout import Layout
from gdb_epi.cpython.reader import Reader
from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.api import Target

PAGE_BITS = 12
PAGE = 1 << PAGE_BITS
MAX_PAGES = 4096  # kept; then they are read again


class PagedReader(Reader):
    """A reader that reads each page of memory once."""

    def __init__(self, target: Target, layout: Layout) -> None:
        super().__init__(target, layout)
        self.read = self._read
        self._pages: dict[int, bytes | None] = {}  # None: not whole
        self._words: dict[int, memoryview | None] = {}

    def word(self, address: int) -> int:
        """Return a word; 0 when it cannot be read, or lies on an odd place."""
        if address & 7:  # heads of the collector's lists lie on a multiple of 4 in some builds
            return 0 if address & 3 else self._single(address)
        number = address >> PAGE_BITS
        words = self._words.get(number)
        if words is None and number not in self._words:
            words = self._load(number)
        return self._single(address) if words is None else words[(address & PAGE - 1) >> 3]

    def u64(self, address: int) -> int:
        """Read an unsigned 64-bit word; raise UnreadableMemory where none is."""
        if not address & 7:
            words = self._words.get(address >> PAGE_BITS)
            if words is not None:
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
        page: bytes | None = None
        if 0 <= number < 1 << 63 - PAGE_BITS:
            try:
                page = self.target.read(number << PAGE_BITS, PAGE)
            except UnreadableMemory:
                page = None
        self._pages[number] = page
        words = self._words[number] = None if page is None else memoryview(page).cast("Q")
        return words

    def _read(self, address: int, size: int) -> bytes:
        number, at = address >> PAGE_BITS, address & PAGE - 1
        if at + size <= PAGE:
            if number not in self._pages:
                self._load(number)
            page = self._pages[number]
            if page is not None:
                return page[at : at + size]
        return self.target.read(address, size)
