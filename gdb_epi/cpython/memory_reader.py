# SPDX-License-Identifier: Apache-2.0
"""MemoryReader: a target and a layout together; words, fields and strings out of memory.

Each page of memory is read once: walks over many objects ask for a word at a time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from struct import Struct, calcsize

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.errors import UNPARSABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.sizes import PAGE, PAGE_BITS, WORD
from gdb_epi.target.api import Region, Target, shared_cache, view_memory_in_place
from gdb_epi.typing_lite import NamedTuple

MAX_C_STRING = 4096
MAX_STRING_CHARS = 1 << 20
MAX_PAGES = 4096  # kept; then they are read again
MAX_PAGES_IN_PLACE = 16384  # nothing of them is copied: 300 bytes each
FIRST_NODES = 4096  # of a list, after which it is asked whether they repeat
IN_PAGE = PAGE - 1  # the bits of an address that say where in its page it lies
NOTHING = memoryview(bytes(PAGE)).cast("Q")  # the words of a page that is not mapped
_U64 = Struct("<Q")
_U32 = Struct("<I")

# Width in bytes of one character, by PyUnicode kind (Include/cpython/unicodeobject.h, 3.3+).
CODECS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


def make_field_struct(fields: Iterable[tuple[int, str]]) -> Struct:
    """Return what takes (offset, format character) out of a struct; the offsets ascend."""
    parts, end = ["<"], 0
    for offset, code in fields:
        parts.append(f"{offset - end}x{code}")
        end = offset + calcsize("<" + code)
    return Struct("".join(parts))


class StructWords(NamedTuple):
    """Words of a struct: their offsets, ascending, and what takes them out of its bytes."""

    offsets: list[int]
    words: Struct


def make_struct_words(offsets: Iterable[int]) -> StructWords:
    """Return what takes the words at these offsets out of a struct."""
    ascending = sorted(offsets)
    return StructWords(ascending, make_field_struct([(offset, "Q") for offset in ascending]))


class StrCharacters(NamedTuple):
    """The characters of a str object: where they begin, how many, the bytes of one."""

    start: int
    length: int
    width: int
    is_ascii: bool


class CircularList(NamedTuple):
    """A circular list: its head, where a node has the next one, low bits of that which are flags.

    `size` is that of a node, `type_at` where ob_type lies in it.
    """

    head: int
    next_at: int
    flags: int
    size: int
    type_at: int


def why_linked_list_walk_ends(node: int, link: CircularList, cap: int, *, repeats: bool) -> str:
    """Return why a walk over a list does not go on at a node."""
    why = "a cycle or a NULL in a list of the collector"
    if node and not repeats:
        why = f"more than {cap} objects; not walked further"
    return str(UnreadableMemory(node, link.size, why))


@cache
def _bytes_unpacker(size: int) -> Callable[..., tuple[bytes]]:
    """Return what takes so many bytes out of a page at an offset, without a copy of the page."""
    return Struct(f"{size}s").unpack_from


def _no_page_in_place(_start: int) -> memoryview | None:
    """Stand for the method of a target whose pages must be copied."""
    return None


class MemoryReader:
    """Words, fields, C strings and str objects of one process.

    Methods raise UnreadableMemory; those that return text return an Absent instead.
    """

    def __init__(self, target: Target, layout: Layout) -> None:
        self.target = target
        self.layout = layout
        self._length_at = layout.require("PyASCIIObject", "length")
        names = ("state.kind", "state.compact", "state.ascii")  # of one word of 32 bits
        self._state = [layout.require_field("PyASCIIObject", name) for name in names]
        self._ascii_size = layout.size("PyASCIIObject") or 0
        self._compact_size = layout.size("PyCompactUnicodeObject") or 0
        self._data_at = layout.require("PyUnicodeObject", "data", "data.any")
        self._type_at = layout.require("PyObject", "ob_type")
        # All readers of a core read each page once. None: not whole; NOTHING where no mapping is.
        self._words: dict[int, memoryview | None] = {}
        self._in_place: Callable[[int], memoryview | None] = _no_page_in_place
        self._most = MAX_PAGES
        if (kept := shared_cache(target)) is not None:
            self._words = kept.setdefault(MemoryReader, self._words)
            if hasattr(target, "memory_view"):
                self._in_place, self._most = target.memory_view, MAX_PAGES_IN_PLACE
        # Which bits of `state` say that a str is compact and ASCII; what takes length and `state`.
        self._plain_mask = sum((1 << bits.bit_size) - 1 << bits.bit_offset for bits in self._state)
        self._plain_bits = sum(1 << bits.bit_offset for bits in self._state)
        self._head = make_field_struct(((self._length_at, "Q"), (self._state[0].offset, "I")))

    def read(self, address: int, size: int) -> bytes:
        """Return memory; raise UnreadableMemory."""
        at = address & IN_PAGE
        if 0 <= size <= PAGE - at:
            page = self._words.get(address >> PAGE_BITS) or self._whole_page_of_address(address)
            if page is not None and page is not NOTHING:
                return _bytes_unpacker(size)(page, at)[0]
        return self.target.read(address, size)

    def u64(self, address: int) -> int:
        """Read an unsigned 64-bit word; raise UnreadableMemory where none is."""
        if not address & 7:
            words = self._words.get(address >> PAGE_BITS) or self._whole_page_of_address(address)
            if words is not None and words is not NOTHING:
                return words[(address & IN_PAGE) >> 3]
        return int(_U64.unpack(self.read(address, WORD))[0])

    def i64(self, address: int) -> int:
        """Read a Py_ssize_t; raise UnreadableMemory where none is."""
        word = self.u64(address)
        return word - (word >> 63 << 64)

    def u32(self, address: int) -> int:
        """Read an unsigned 32-bit word."""
        return int(_U32.unpack(self.read(address, 4))[0])

    def u8(self, address: int) -> int:
        """Read one byte."""
        return self.read(address, 1)[0]

    def word(self, address: int) -> int:
        """Return a word; 0 when it cannot be read, or lies on an odd place."""
        words = self._words.get(address >> PAGE_BITS)
        if words is None or address & 7:
            return self._word_off_the_fast_path(address)
        return words[(address & IN_PAGE) >> 3]

    def words(self, addresses: Iterable[int]) -> list[int]:
        """Return the words at addresses, each as word() does."""
        get, rare = self._words.get, self._word_off_the_fast_path
        return [
            words[(address & IN_PAGE) >> 3]
            if (words := get(address >> PAGE_BITS)) is not None and not address & 7
            else rare(address)
            for address in addresses
        ]

    def word_columns(self, starts: Sequence[int], offsets: Sequence[int]) -> list[list[int]]:
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

    def _word_off_the_fast_path(self, address: int) -> int:
        if address & 7:  # heads of the collector's lists lie on a multiple of 4 in some builds
            return 0 if address & 3 else self._word_or_zero(address)
        number = address >> PAGE_BITS
        words = self._words[number] if number in self._words else self._load_page(number)
        return self._word_or_zero(address) if words is None else words[(address & IN_PAGE) >> 3]

    def consecutive_words(self, start: int, count: int) -> list[int]:
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

    def struct_words(self, address: int, members: StructWords) -> Sequence[int]:
        """Return the members of one struct, each as word() does."""
        page, at = self._words.get(address >> PAGE_BITS), address & IN_PAGE
        if page is None or page is NOTHING or at + members.words.size > PAGE:
            return self.words([address + n for n in members.offsets])
        return members.words.unpack_from(page, at)

    def field(self, address: int, struct: str, *members: str) -> int:
        """Return a pointer or size_t: the first of some members that the struct at an address has.

        Raises LayoutError where it has none of them, as signed_field() and field32() do.
        """
        return self.u64(address + self.layout.require(struct, *members))

    def signed_field(self, address: int, struct: str, *members: str) -> int:
        """Return a member that is a Py_ssize_t."""
        return self.i64(address + self.layout.require(struct, *members))

    def field32(self, address: int, struct: str, *members: str) -> int:
        """Return a member of 32 bits, taken as unsigned."""
        return self.u32(address + self.layout.require(struct, *members))

    def text_field(self, address: int, struct: str, member: str) -> str:
        """Return the text of a member that is a str; "" where it is none."""
        text = self.string(self.field(address, struct, member), MAX_C_STRING)
        return "" if isinstance(text, Absent) else text

    def method_def_name(
        self, address: int, struct: str = "PyCFunctionObject", member: str = "m_ml"
    ) -> str | Absent:
        """Return the name of a function or method of C, as its PyMethodDef has it."""
        definition = self.field(address, struct, member)
        return self.c_string(self.field(definition, "PyMethodDef", "ml_name"))

    def unpack_fields(self, address: int, fields: Struct) -> tuple[int, ...] | None:
        """Return the fields at an address; None where they do not lie in one whole page."""
        page, at = self._whole_page_of_address(address), address & IN_PAGE
        if page is None or at + fields.size > PAGE:
            return None
        return fields.unpack_from(page, at)

    def type_of(self, address: int) -> int:
        """Return ob_type of a PyObject."""
        return self.u64(address + self._type_at)

    def walk_circular_list(self, link: CircularList, cap: int) -> tuple[list[int], list[int], str]:
        """Return the nodes of a circular list, their types, and why the walk ended early.

        At most `cap` nodes; "" where it came back to the head. A node whose next one cannot be read
        is left out. There is no call for each node. A list that leads back into itself never ends.
        So each node is compared with one alone, that which was met before the length doubled
        (Brent's cycle detection); which nodes were met twice is asked only then, or where the walk
        stops before the end.
        """
        nodes: list[int] = []
        types: list[int] = []
        get, append, append_type = self._words.get, nodes.append, types.append
        head, next_at, mask = link.head, link.next_at, ~link.flags
        behind, end = link.type_at - next_at >> 3, PAGE >> 3
        try:
            node = self.u64(head + next_at) & mask
            while node != head:
                if not node or len(nodes) >= cap:
                    return (
                        nodes,
                        types,
                        why_linked_list_walk_ends(node, link, cap, repeats=node in nodes),
                    )
                first = node
                ends = {0, head, first}
                for _ in range(min(cap - len(nodes), max(len(nodes), FIRST_NODES))):
                    at = node + next_at
                    words = get(at >> PAGE_BITS)
                    place = (at & IN_PAGE) >> 3
                    if words is None or at & 7:
                        following = self._word_over_page_end(at)
                        append_type(self.word(node + link.type_at))
                    else:
                        following = words[place]
                        place += behind
                        append_type(words[place] if place < end else self.word(node + link.type_at))
                    append(node)
                    node = following & mask
                    if node in ends:
                        break
                if not node and get(nodes[-1] + next_at >> PAGE_BITS) is NOTHING:
                    types.pop()
                    self.u64(nodes.pop() + next_at)  # says why it cannot be read
                may_repeat = node == first or len(nodes) >= cap
                if may_repeat and len(set(nodes)) < len(nodes):
                    kept = list(dict.fromkeys(nodes))
                    many = next((n for n, node in enumerate(kept) if nodes[n] != node), len(kept))
                    why = why_linked_list_walk_ends(nodes[many], link, cap, repeats=True)
                    return kept[:many], types[:many], why
        except UnreadableMemory as error:
            return nodes, types, str(error)
        return nodes, types, ""

    def _word_over_page_end(self, address: int) -> int:
        if address >> PAGE_BITS not in self._words:
            self._load_page(address >> PAGE_BITS)
        return self.u64(address)

    def c_string(self, address: int, cap: int = MAX_C_STRING) -> str | Absent:
        """Read a NUL-terminated UTF-8 string, in small steps up to the end of its mapping."""
        parts: list[bytes] = []
        size = 0
        try:
            while size < cap:
                step = 64 - (address + size) % 64
                part = self.read(address + size, step)
                end = part.find(b"\0")
                parts.append(part if end < 0 else part[:end])
                if end >= 0:
                    return b"".join(parts).decode("utf-8", "surrogateescape")
                size += step
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))
        return Absent(UNPARSABLE, f"no end within {cap} bytes at {address:#x}")

    def type_name(self, type_address: int) -> str | Absent:
        """Return tp_name of a PyTypeObject, or what the modules of the process call the type.

        Absent when the name lies in read-only data that the core left out and no file has, and no
        module names it.
        """
        try:
            name_at = self.field(type_address, "PyTypeObject", "tp_name")
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))
        text = self.c_string(name_at, 512)
        if isinstance(text, Absent) and self.layout.type_name is not None:
            return self.layout.type_name(type_address) or text
        return text

    def is_interned(self, address: int) -> bool:
        """Tell whether a str is interned: one object for all of its text, as literals of a program.

        That is what the lowest two bits of `state` say, in all versions. Raises UnreadableMemory.
        """
        return bool(self.read(address + self._state[0].offset, 1)[0] & 3)

    def string(self, address: int, cap: int = MAX_STRING_CHARS) -> str | Absent:
        """Decode a str object; lone surrogates are kept as such.

        Absent when it is unreadable or does not look like a str. Reference:
        Include/cpython/unicodeobject.h (3.8 to 3.15).
        """
        try:
            return self._decode_str_object(address, cap)
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))

    def str_characters(self, address: int) -> StrCharacters:
        """Return where the characters of a str object lie; of no str a width that none has."""
        head = self.read(address, self._ascii_size)
        length = int.from_bytes(head[self._length_at : self._length_at + 8], "little")
        width, is_compact, is_ascii = (member.value_in(head) for member in self._state)
        start = address + (self._ascii_size if is_ascii else self._compact_size)
        if not is_compact and width in CODECS:
            start = self.u64(address + self._data_at)
        return StrCharacters(start, length, width, bool(is_ascii))

    def _decode_str_object(self, address: int, cap: int) -> str | Absent:
        plain = self.compact_ascii_string(address, cap)
        if plain is not None:
            return plain
        start, length, width, _ = self.str_characters(address)
        codec = CODECS.get(width)
        if codec is None:
            return Absent(UNPARSABLE, f"no str at {address:#x} (kind {width})")
        if length > cap:
            return Absent(UNPARSABLE, f"str of {length} characters at {address:#x} (cap {cap})")
        try:
            return self.read(start, length * width).decode(codec, "surrogatepass")
        except UnicodeDecodeError as error:
            return Absent(UNPARSABLE, f"damaged str at {address:#x}: {error.reason}")

    def is_str_object_with_text(self, address: int, text: str) -> bool:
        """Tell whether a str object holds `text`; most strings have another length."""
        if self.word(address + self._length_at) != len(text) and text.isascii():
            return False
        return self._str_object_is(address, text)

    def _str_object_is(self, address: int, text: str) -> bool:
        """Tell whether a str object holds `text`; ASCII in one read and without decoding it."""
        if not text.isascii():  # a module's name may be any identifier, or read from damaged memory
            return self.string(address, 4096) == text
        wanted = text.encode("ascii")
        size = self._ascii_size
        try:
            raw = self.read(address, size + len(wanted))
        except UnreadableMemory:  # a shorter str at the end of a mapping, or no str at all
            return self.string(address, 4096) == text
        length = int.from_bytes(raw[self._length_at : self._length_at + 8], "little")
        if length != len(wanted):
            return False
        return raw[size:] == wanted or self.string(address, 4096) == text

    def which_string(self, address: int, texts: Sequence[str]) -> str | None:
        """Return which of some texts a str object holds; None for another one."""
        length = self.word(address + self._length_at)
        for text in texts:
            if (len(text) == length or not text.isascii()) and self._str_object_is(address, text):
                return text
        return None

    def value_under_string(self, entries: Iterable[tuple[int, int]], text: str) -> int | None:
        """Return the value of the first (str object, value) whose str holds a text.

        Without a call for each key: walks over dicts read hundreds that they do not look for.
        """
        if not text.isascii():
            return next((value for key, value in entries if self._str_object_is(key, text)), None)
        get, rare, holds = self._words.get, self._word_off_the_fast_path, self._str_object_is
        at, length = self._length_at, len(text)
        for key, value in entries:
            place = key + at
            words = get(place >> PAGE_BITS)
            held = rare(place) if words is None or place & 7 else words[(place & IN_PAGE) >> 3]
            if held == length and holds(key, text):
                return value
        return None

    def compact_ascii_string(self, address: int, cap: int) -> str | None:
        """Return the text of a compact ASCII str that lies in one page; None of others."""
        page = self._words.get(address >> PAGE_BITS) or self._whole_page_of_address(address)
        at = address & IN_PAGE
        start = at + self._ascii_size
        if page is not None and start <= PAGE:
            length, state = self._head.unpack_from(page, at)
            plain = state & self._plain_mask == self._plain_bits
            if plain and length <= cap and start + length <= PAGE:
                return _bytes_unpacker(length)(page, start)[0].decode("latin-1")
        return None

    def compact_ascii_bytes(self, address: int, cap: int) -> bytes | None:
        """Return the bytes of a compact ASCII str, whatever its state says.

        is_str_object_with_text() compares these. None of one with more than
        `cap` characters, and where it cannot be read.
        """
        size = self._ascii_size
        try:
            length = self.u64(address + self._length_at)
            return self.read(address + size, length) if length <= cap else None
        except UnreadableMemory:
            return None

    def bytes_object(self, address: int, cap: int) -> bytes | Absent:
        """Return the contents of a bytes object of at most `cap` bytes."""
        try:
            size = self.signed_field(address, "PyBytesObject", "ob_size")
            if not 0 <= size <= cap:
                return Absent(UNPARSABLE, f"bytes of length {size} at {address:#x} (cap {cap})")
            return self.read(address + self.layout.require("PyBytesObject", "ob_sval"), size)
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))

    def _whole_page_of_address(self, address: int) -> memoryview | None:
        """Return the page of an address, if all of it can be read."""
        number = address >> PAGE_BITS
        page = self._words[number] if number in self._words else self._load_page(number)
        return None if page is NOTHING else page

    def _word_or_zero(self, address: int) -> int:
        try:
            return self.u64(address) if 0 <= address < 1 << 63 else 0
        except UnreadableMemory:
            return 0

    def _load_page(self, number: int) -> memoryview | None:
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
        index = bisect_right(self._region_starts, start) - 1
        if index + 1 < len(self._region_starts) and self._region_starts[index + 1] < start + PAGE:
            return True
        region = self._regions[max(index, 0)]
        return index >= 0 and start < max(region.end, region.start + region.dumped)

    @cached_property
    def _regions(self) -> Sequence[Region]:
        return self.target.regions()

    @cached_property
    def _region_starts(self) -> list[int]:
        return [region.start for region in self._regions]
