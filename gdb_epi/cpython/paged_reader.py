# SPDX-License-Identifier: Apache-2.0
"""A reader that reads each page of memory once, for walks over many objects."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from struct import Struct

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import (
    CircularList,
    MemoryReader,
    make_field_struct,
    why_chain_ends,
)
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import PAGE, PAGE_BITS, WORD
from gdb_epi.target.api import Region, Target, shared_cache, view_memory_in_place
from gdb_epi.typing_lite import NamedTuple

MAX_PAGES = 4096  # kept; then they are read again
MAX_PAGES_IN_PLACE = 16384  # nothing of them is copied: 300 bytes each
FIRST_NODES = 4096  # of a list, after which it is asked whether they repeat
IN_PAGE = PAGE - 1  # the bits of an address that say where in its page it lies
NOTHING = memoryview(bytes(PAGE)).cast("Q")  # the words of a page that is not mapped


class StructWords(NamedTuple):
    """Words of a struct: their offsets, ascending, and what takes them out of its bytes."""

    offsets: list[int]
    words: Struct


def make_struct_words(offsets: Iterable[int]) -> StructWords:
    """Return what takes the words at these offsets out of a struct."""
    ascending = sorted(offsets)
    return StructWords(ascending, make_field_struct([(offset, "Q") for offset in ascending]))


@cache
def _take(size: int) -> Callable[..., tuple[bytes]]:
    """Return what takes so many bytes out of a page at an offset, without a copy of the page."""
    return Struct(f"{size}s").unpack_from


def _nothing_in_place(_start: int) -> memoryview | None:
    """Stand for the method of a target whose pages must be copied."""
    return None


class PagedReader(MemoryReader):
    """A reader that reads each page of memory once."""

    def __init__(self, target: Target, layout: Layout) -> None:
        super().__init__(target, layout)
        self.read = self._read
        # All readers of a core read each page once. None: not whole; NOTHING where no mapping is.
        self._words: dict[int, memoryview | None] = {}
        self._in_place: Callable[[int], memoryview | None] = _nothing_in_place
        self._most = MAX_PAGES
        if (kept := shared_cache(target)) is not None:
            self._words = kept.setdefault(PagedReader, self._words)
            if hasattr(target, "in_place"):
                self._in_place, self._most = target.in_place, MAX_PAGES_IN_PLACE
        self._plain = self._plain_ascii()
        # What takes the length and `state` out of a str.
        self._head: Struct | None = None
        if self._state is not None and self._length_at < self._state.offset:
            fields = ((self._length_at, "Q"), (self._state.offset, "I"))
            self._head = make_field_struct(fields)

    def word(self, address: int) -> int:
        """Return a word; 0 when it cannot be read, or lies on an odd place."""
        words = self._words.get(address >> PAGE_BITS)
        if words is None or address & 7:
            return self._rare(address)
        return words[(address & IN_PAGE) >> 3]

    def words(self, addresses: Iterable[int]) -> list[int]:
        """Return the words at addresses, each as word() does."""
        get, rare = self._words.get, self._rare
        return [
            words[(address & IN_PAGE) >> 3]
            if (words := get(address >> PAGE_BITS)) is not None and not address & 7
            else rare(address)
            for address in addresses
        ]

    def columns(self, starts: Sequence[int], offsets: Sequence[int]) -> list[list[int]]:
        """Return, for each offset, the words so far behind addresses, each as word() does.

        The addresses ascend, and are multiples of 8 as the offsets are. Of thousands that lie
        everywhere, page by page, the pages would take longer than the words.
        """
        columns: list[list[int]] = [[] for _ in offsets]
        number = 0
        while number < len(starts):
            region = self.target.region_at(starts[number])
            dumped = 0 if region is None else region.dumped_size & -WORD
            low, stop = 0 if region is None else region.start, number
            view = view_memory_in_place(self.target, low, dumped) if dumped else None
            if view is not None:
                words = view.cast("Q")
                stop = bisect_left(starts, low + dumped - max(offsets), number)
                places = [start - low >> 3 for start in starts[number:stop]]
                for column, offset in zip(columns, offsets, strict=True):
                    behind = offset >> 3
                    column += [words[place + behind] for place in places]
            if stop == number:
                stop = number + 1
                for column, offset in zip(columns, offsets, strict=True):
                    column.append(self.word(starts[number] + offset))
            number = stop
        return columns

    def _rare(self, address: int) -> int:
        if address & 7:  # heads of the collector's lists lie on a multiple of 4 in some builds
            return 0 if address & 3 else self._single(address)
        number = address >> PAGE_BITS
        words = self._words[number] if number in self._words else self._load(number)
        return self._single(address) if words is None else words[(address & IN_PAGE) >> 3]

    def run(self, start: int, count: int) -> list[int]:
        """Return `count` words that follow each other.

        Raises UnreadableMemory. What lies in one page, as nearly all, is not copied twice.
        """
        if count < 1:
            return []
        at = start & IN_PAGE
        words = self._words.get(start >> PAGE_BITS)
        if words is None or words is NOTHING or at & 7 or at + 8 * count > PAGE:
            return memoryview(self.read(start, 8 * count)).cast("Q").tolist()
        return words[at >> 3 : (at >> 3) + count].tolist()

    def members(self, address: int, members: StructWords) -> Sequence[int]:
        """Return the members of one struct, each as word() does."""
        page, at = self._words.get(address >> PAGE_BITS), address & IN_PAGE
        if page is None or page is NOTHING or at + members.words.size > PAGE:
            return self.words([address + n for n in members.offsets])
        return members.words.unpack_from(page, at)

    def unpack(self, address: int, fields: Struct) -> tuple[int, ...] | None:
        """Return the fields at an address; None where they do not lie in one whole page."""
        page, at = self._page(address), address & IN_PAGE
        if page is None or at + fields.size > PAGE:
            return None
        return fields.unpack_from(page, at)

    def u64(self, address: int) -> int:
        """Read an unsigned 64-bit word; raise UnreadableMemory where none is."""
        if not address & 7:
            words = self._words.get(address >> PAGE_BITS) or self._page(address)
            if words is not None and words is not NOTHING:
                return words[(address & IN_PAGE) >> 3]
        return super().u64(address)

    def i64(self, address: int) -> int:
        """Read a Py_ssize_t; raise UnreadableMemory where none is."""
        word = self.u64(address)
        return word - (word >> 63 << 64)

    def chain(self, link: CircularList, cap: int) -> tuple[list[int], str]:
        """Do what MemoryReader.chain does, without a call for each node.

        A list that leads back into itself never ends. So each node is compared with one alone, that
        which was met before the length doubled (Brent's cycle detection); which nodes were met
        twice is asked only then, or where the walk stops before the end.
        """
        nodes: list[int] = []
        get, append = self._words.get, nodes.append
        head, next_at, mask = link.head, link.next_at, ~link.flags
        try:
            node = self.u64(head + next_at) & mask
            while node != head:
                if not node or len(nodes) >= cap:
                    return nodes, why_chain_ends(node, link, cap, repeats=node in nodes)
                first = node
                ends = {0, head, first}
                for _ in range(min(cap - len(nodes), max(len(nodes), FIRST_NODES))):
                    at = node + next_at
                    words = get(at >> PAGE_BITS)
                    if words is None or at & 7:
                        following = self._following(at)
                    else:
                        following = words[(at & IN_PAGE) >> 3]
                    append(node)
                    node = following & mask
                    if node in ends:
                        break
                if not node and get(nodes[-1] + next_at >> PAGE_BITS) is NOTHING:
                    self.u64(nodes.pop() + next_at)  # says why it cannot be read
                may_repeat = node == first or len(nodes) >= cap
                if may_repeat and len(set(nodes)) < len(nodes):
                    kept = list(dict.fromkeys(nodes))
                    many = next((n for n, node in enumerate(kept) if nodes[n] != node), len(kept))
                    return kept[:many], why_chain_ends(nodes[many], link, cap, repeats=True)
        except UnreadableMemory as error:
            return nodes, str(error)
        return nodes, ""

    def _following(self, address: int) -> int:
        if address >> PAGE_BITS not in self._words:
            self._load(address >> PAGE_BITS)
        return self.u64(address)

    def is_string(self, address: int, text: str) -> bool:
        """Do what MemoryReader.is_string does; most strings have another length."""
        if self.word(address + self._length_at) != len(text) and text.isascii():
            return False
        return super().is_string(address, text)

    def which_string(self, address: int, texts: Sequence[str]) -> str | None:
        """Do what MemoryReader.which_string does, with one look at the length."""
        length = self.word(address + self._length_at)
        for text in texts:
            if (len(text) == length or not text.isascii()) and super().is_string(address, text):
                return text
        return None

    def value_of(self, entries: Iterable[tuple[int, int]], text: str) -> int | None:
        """Do what MemoryReader.value_of does, without a call for each key."""
        if not text.isascii():
            return super().value_of(entries, text)
        get, rare, is_string = self._words.get, self._rare, super().is_string
        at, length = self._length_at, len(text)
        for key, value in entries:
            place = key + at
            words = get(place >> PAGE_BITS)
            held = rare(place) if words is None or place & 7 else words[(place & IN_PAGE) >> 3]
            if held == length and is_string(key, text):
                return value
        return None

    def _plain_ascii(self) -> tuple[int, int]:
        """Return which bits of `state` say that a str is compact and ASCII: a mask, and its bits.

        (0, 1), which no word has, where they do not stand in one word of 32 bits.
        """
        wanted = ((self._kind, 1), (self._compact, 1), (self._ascii, 1))
        mask = bits = 0
        for member, value in wanted:
            if member is None or self._state is None or member[:2] != (self._state.offset, 4):
                return 0, 1
            mask |= (1 << member[3]) - 1 << member[2]
            bits |= value << member[2]
        return mask, bits

    def plain_string(self, address: int, cap: int) -> str | None:
        """Do what MemoryReader.plain_string does: of a str in one page."""
        page, at = self._page(address), address & IN_PAGE
        start = at + self._ascii_size
        mask, bits = self._plain
        if page is not None and start <= PAGE and self._head is not None:
            length, state = self._head.unpack_from(page, at)
            if state & mask == bits and length <= cap and start + length <= PAGE:
                return _take(length)(page, start)[0].decode("latin-1")
        return None

    def _string(self, address: int, cap: int) -> str | Absent:
        """Do what MemoryReader._string does; most are plain."""
        plain = self.plain_string(address, cap)
        return super()._string(address, cap) if plain is None else plain

    def _page(self, address: int) -> memoryview | None:
        """Return the page of an address, if all of it can be read."""
        number = address >> PAGE_BITS
        page = self._words[number] if number in self._words else self._load(number)
        return None if page is NOTHING else page

    def _single(self, address: int) -> int:
        try:
            return self.u64(address) if 0 <= address < 1 << 63 else 0
        except UnreadableMemory:
            return 0

    def _load(self, number: int) -> memoryview | None:
        if len(self._words) >= self._most:
            self._words.clear()
        start = number << PAGE_BITS
        page: bytes | memoryview | None = self._in_place(start) if start < 1 << 63 else None
        words: memoryview | None = None
        if page is None and not self._is_mapped(start):  # an error for each of them takes long
            words = NOTHING
        elif page is None and 0 <= start < 1 << 63:
            with suppress(UnreadableMemory):
                page = self.target.read(start, PAGE)
        if page is not None:
            words = memoryview(page).cast("Q")
        self._words[number] = words
        return words

    def _is_mapped(self, start: int) -> bool:
        """Tell whether a mapping has any byte of a page, or mappings are not known."""
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
        at = address & IN_PAGE
        page = self._page(address) if 0 <= size <= PAGE - at else None
        return self.target.read(address, size) if page is None else _take(size)(page, at)[0]
