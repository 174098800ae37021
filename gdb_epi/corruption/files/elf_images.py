# SPDX-License-Identifier: Apache-2.0
"""ELF files as a second copy of what a process holds: text, and words that ld.so relocated.

Reference: System V gABI with the x86-64 supplement (relocation types); DT_RELR of the gABI draft,
in glibc since 2.36.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from operator import itemgetter, sub

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.errors import Absent
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target import elf
from gdb_epi.target.api import Module
from gdb_epi.target.elf_files import ElfFile, FileFinder, open_elf
from gdb_epi.typing_lite import NamedTuple

DT_SYMTAB, DT_RELA, DT_RELASZ, DT_TEXTREL, DT_FLAGS, DT_RELRSZ, DT_RELR = 6, 7, 8, 22, 30, 35, 36
DT_RELACOUNT = 0x6FFFFFF9
DF_TEXTREL = 4
R_64, R_GLOB_DAT, R_JUMP_SLOT, R_RELATIVE = 1, 6, 7, 8
PF_W = 2
MAX_TABLE = 256 << 20  # bytes of one relocation table
MAX_RELR = 4_000_000
MAX_MOVED = 1 << 16  # words of one file whose pointers are kept
MAX_RANGES = 16  # of one file whose relocations are kept
_RELA = struct.Struct("<QQq")


class ElfTables:
    """What an ELF file says by itself, each part read once. Addresses are the file's own."""

    def __init__(self, file: ElfFile) -> None:
        self.data = file.data
        header = elf.parse_header(self.data[:64])
        self.fixed = header is not None and header.type == elf.ET_EXEC
        segments = list(elf.read_segments(self.data, header)) if header is not None else []
        self.loads = [segment for segment in segments if segment.type == elf.PT_LOAD]
        self.relro = next(
            (segment for segment in segments if segment.type == elf.PT_GNU_RELRO), None
        )
        self._dynamic_segment = next(
            (segment for segment in segments if segment.type == elf.PT_DYNAMIC), None
        )
        self.kept: dict[int, int | None] = {}  # by address: what relocated_pointer() has answered
        self._ranges: dict[tuple[int, int], RelocatedWords] = {}

    @cached_property
    def dynamic_section(self) -> dict[int, int]:
        """The dynamic section of the file."""
        segment = self._dynamic_segment
        if segment is None:
            return {}
        size = min(segment.filesz, elf.MAX_DYNAMIC * elf.DYN.size)
        raw = self.data[segment.offset : segment.offset + size]
        return dict(elf.DYN.iter_unpack(raw[: len(raw) // elf.DYN.size * elf.DYN.size]))

    @property
    def has_text_relocations(self) -> bool:
        """Whether ld.so writes into this object's text."""
        return DT_TEXTREL in self.dynamic_section or bool(
            self.dynamic_section.get(DT_FLAGS, 0) & DF_TEXTREL
        )

    def file_offset(self, address: int, size: int = 8) -> int | None:
        """Return the place in the file of an address of the ELF file; None when it has none."""
        for load in self.loads:
            if load.vaddr <= address and address + size <= load.vaddr + load.filesz:
                return address - load.vaddr + load.offset
        return None

    def word_in_file(self, address: int) -> int | None:
        """Return the word that the file has at an address of its own."""
        at = self.file_offset(address)
        return None if at is None else int.from_bytes(self.data[at : at + 8], "little")

    @cached_property
    def _rela_table(self) -> array[int]:
        """The table DT_RELA as words: offset, info, addend, and so on."""
        words: array[int] = array("Q")
        at = self.file_offset(self.dynamic_section.get(DT_RELA, 0), 1)
        size = min(self.dynamic_section.get(DT_RELASZ, 0), MAX_TABLE) // _RELA.size * _RELA.size
        if at is not None and at + size <= len(self.data):
            words.frombytes(self.data[at : at + size])
        return words

    @cached_property
    def _relative_relocations(self) -> tuple[array[int], array[int]]:
        """Addresses, ascending, and values of the entries R_X86_64_RELATIVE of DT_RELA."""
        table, infos = self._rela_table, self._rela_table[1::3]
        # Linkers put them first and sorted (-z combreloc): then no entry is looked at singly.
        count = min(self.dynamic_section.get(DT_RELACOUNT, 0), len(infos))
        head = infos[:count] == array("Q", [R_RELATIVE]) * count
        if not head or R_RELATIVE in infos[count:]:
            rows = sorted(
                (place, value)
                for place, info, value in zip(table[0::3], infos, table[2::3], strict=True)
                if info == R_RELATIVE
            )
            return array("Q", (row[0] for row in rows)), array("Q", (row[1] for row in rows))
        places, values = table[0 : 3 * count : 3], table[2 : 3 * count : 3]
        listed = places.tolist()
        if listed != sorted(listed):
            order = sorted(range(count), key=listed.__getitem__)
            values = array("Q", (values[number] for number in order))
            places = array("Q", sorted(listed))
        return places, values

    def relative_relocations(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """Return (address, value), both of the file's own, of R_X86_64_RELATIVE in a range.

        What ld.so put there is that value plus the load base.
        """
        places, values = self._relative_relocations
        first, last = bisect_left(places, low), bisect_left(places, high)
        from_rela = zip(places[first:last], values[first:last], strict=True)
        return (
            chain(from_rela, self._relr_relocations(low, high))
            if self._relr_addresses
            else from_rela
        )

    def _relr_relocations(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        for address in self._relr_addresses:
            if low <= address < high:
                word = self.word_in_file(address)
                if word is not None:
                    yield address, word

    @cached_property
    def _relr_addresses(self) -> list[int]:
        """The addresses that DT_RELR packs: an address, then bitmaps of the 63 words after it."""
        at = self.file_offset(self.dynamic_section.get(DT_RELR, 0), 1)
        size = min(self.dynamic_section.get(DT_RELRSZ, 0), MAX_TABLE) // 8 * 8
        addresses: list[int] = []
        if at is None or not size or at + size > len(self.data):
            return addresses
        where = 0
        for (entry,) in struct.iter_unpack("<Q", self.data[at : at + size]):
            if len(addresses) > MAX_RELR:
                break
            if not entry & 1:
                addresses.append(entry)
                where = entry + 8
                continue
            addresses += [where + 8 * bit for bit in range(63) if entry >> bit + 1 & 1]
            where += 63 * 8
        return addresses

    @cached_property
    def _symbol_relocations(self) -> dict[int, int]:
        """The rows of DT_RELA after those of R_X86_64_RELATIVE, by address.

        A libpython has 15,000, nearly all of words that name a symbol: picking those one by one
        took a third of R14.
        """
        table, infos = self._rela_table, self._rela_table[1::3]
        count = min(self.dynamic_section.get(DT_RELACOUNT, 0), len(infos))
        first = count if infos[:count] == array("Q", [R_RELATIVE]) * count else 0
        return dict(zip(table[3 * first :: 3], range(first, len(infos)), strict=True))

    def symbol_address_relocated_to(self, own: int, kinds: Sequence[int] = (R_64,)) -> int | None:
        """Return the address, the file's own, of the symbol that a word names (R_X86_64_64).

        None for another word, and when the symbol is not defined here.
        """
        row = self._symbol_relocations.get(own)
        info, addend = (0, 0) if row is None else self._rela_table[3 * row + 1 : 3 * row + 3]
        if info & 0xFFFFFFFF not in kinds:
            return None
        at = self.file_offset(self.dynamic_section.get(DT_SYMTAB, 0) + 24 * (info >> 32), 24)
        raw = b"" if at is None else self.data[at : at + 24]
        if raw[6:8] in (b"", b"\0\0"):  # st_shndx: defined in another object
            return None
        return int.from_bytes(raw[8:16], "little") + addend & WORD_MASK

    @cached_property
    def _relr_places(self) -> frozenset[int]:
        return frozenset(self._relr_addresses)

    def relocated_pointer(self, own: int) -> int | None:
        """Return the address, the file's own, that ld.so makes a pointer of, at an address.

        None where no relocation is known, and no symbol of the file is named.
        """
        if own not in self.kept:
            if len(self.kept) >= MAX_MOVED:
                self.kept.clear()
            symbol = self.symbol_address_relocated_to(own)
            self.kept[own] = self._relative_relocation_at(own) if symbol is None else symbol
        return self.kept[own]

    def _relative_relocation_at(self, own: int) -> int | None:
        value = self.word_in_file(own) if own in self._relr_places else None
        if value is None:
            places, values = self._relative_relocations
            number = bisect_right(places, own) - 1
            value = values[number] if number >= 0 and places[number] == own else None
        return value

    def relocated_pointers(self) -> dict[int, int]:
        """Return what relocated_pointer() says of each word that it says anything about."""
        pointers = dict(self.relative_relocations(0, WORD_MASK))
        named = {own: self.symbol_address_relocated_to(own) for own in self._symbol_relocations}
        pointers.update((own, value) for own, value in named.items() if value is not None)
        return pointers

    def relocated_words(self, low: int, size: int) -> RelocatedWords:
        """Return the words of a range, which begins on a word, that are relative relocations."""
        key = low, size
        if key not in self._ranges:
            if len(self._ranges) >= MAX_RANGES:
                self._ranges.clear()
            rows = [row for row in self.relative_relocations(low, low + size - 7) if not row[0] & 7]
            numbers = [address - low >> 3 for address, _ in rows]
            take = itemgetter(*numbers) if len(rows) > 1 else None
            self._ranges[key] = RelocatedWords(take, [value for _, value in rows])
        return self._ranges[key]


class RelocatedWords(NamedTuple):
    """Words that ld.so relocates: what takes them out of a range, and what they are without base.

    In a libpython one word in ten is such, so that is less work than sums over all words.
    """

    take: Callable[[Sequence[int]], Iterable[int]] | None
    values: Sequence[int]

    def are_held_by(self, words: memoryview, base: int) -> bool:
        """Tell whether words hold what ld.so put there; also False where that is not certain."""
        return self.take is not None and set(map(sub, self.take(words), self.values)) == {base}


class ImageFile:
    """One mapped object and the file with its build-id."""

    def __init__(self, module: Module, file: ElfFile) -> None:
        self.module = module
        self.name = module.path.rpartition("/")[2]
        self.base = module.base
        self.data = file.data
        self.tables: ElfTables = file.kept.get(ElfTables) or ElfTables(file)
        file.kept[ElfTables] = self.tables
        self.loads = self.tables.loads
        self.relro = self.tables.relro
        self.has_text_relocations = self.tables.has_text_relocations
        self.offset = self.tables.file_offset
        self.relatives = self.tables.relative_relocations

    def relocated_pointers(self) -> Iterator[tuple[int, int]]:
        """Yield (run-time address, pointer) as ld.so left them; of a fixed image as in the file."""
        for address, value in self.tables.relocated_pointers().items():
            yield address + self.base, value + self.base & WORD_MASK
        for load in self.loads if self.tables.fixed else ():
            if load.flags & PF_W:
                raw = self.data[load.offset : load.offset + load.filesz & ~7]
                for number, value in enumerate(memoryview(raw[: len(raw) & ~7]).cast("Q")):
                    if value:
                        yield load.vaddr + self.base + 8 * number, value

    def expected_word(self, address: int) -> int | None:
        """Return what ld.so left at a run-time address: a pointer, or the word of the file.

        None where the file does not tell. A symbol may have been preempted by another object.
        """
        own = address - self.base
        value = self.tables.relocated_pointer(own)
        if value is not None:
            return value + self.base & WORD_MASK
        return self.tables.word_in_file(own) if self.tables.fixed else None

    def expected_words(self, addresses: Sequence[int]) -> list[int | None]:
        """Return what expected_word() says of each of many addresses."""
        base, tables = self.base, self.tables
        if tables.fixed:
            return [self.expected_word(address) for address in addresses]
        kept, moved = tables.kept, tables.relocated_pointer
        values = [
            kept[own] if (own := address - base) in kept else moved(own) for address in addresses
        ]
        return [None if value is None else value + base & WORD_MASK for value in values]

    def is_as_ld_so_left_it(self, address: int, value: int) -> bool:
        """Tell whether a word is what ld.so left there, those of the table of symbols included."""
        if self.expected_word(address) == value:
            return True
        symbol = self.tables.symbol_address_relocated_to(
            address - self.base, (R_GLOB_DAT, R_JUMP_SLOT)
        )
        return symbol is not None and symbol + self.base & WORD_MASK == value


@once_per_run
def image_files_of_modules(context: Context) -> tuple[list[ImageFile], list[str]]:
    """Return the objects whose file is here, and the names of those without (not the vDSO)."""
    files: list[ImageFile] = []
    missing: list[str] = []
    finder: FileFinder | None = getattr(context.target, "files", None)  # it has opened them
    at = open_elf if finder is None else finder.elf_file_at
    for module in context.target.modules():
        file = None if isinstance(module.file, Absent) else at(module.file)
        if isinstance(file, ElfFile):
            files.append(ImageFile(module, file))
        elif module.path.startswith("/") and not module.path.startswith("/memfd:"):
            missing.append(module.path)
    return files, missing


def read_only_memory(context: Context, low: int, high: int) -> Iterator[tuple[int, bytes]]:
    """Yield (address, bytes) of the read-only memory of a range, within the budget.

    Only what the core itself holds; never bytes that come from a file.
    """
    # Mappings, ascending, that include all those that overlap a range.
    starts, ends = _mapping_bounds(context)
    for region in context.target.regions()[bisect_right(ends, low) : bisect_left(starts, high)]:
        start = max(low, region.start)
        end = min(high, region.dumped_end)
        if start >= end or "w" in region.perms:
            continue
        if not context.budget.take_bytes(end - start):
            return
        memory = try_read(context.target, start, end - start)
        if memory:
            yield start, memory


@once_per_run
def _mapping_bounds(context: Context) -> tuple[list[int], list[int]]:
    """Return where the mappings start, and the highest end so far: it never falls.

    Damaged headers may make mappings overlap.
    """
    regions = context.target.regions()
    ends = list(accumulate((region.end for region in regions), max))
    return [region.start for region in regions], ends


def missing_files_line(missing: list[str]) -> str:
    """Return one line about objects whose file is not here."""
    names = ", ".join(path.rpartition("/")[2] for path in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return f"no file with the core's build-id for {names}{more}"
