# SPDX-License-Identifier: Apache-2.0
"""The dynamic symbols of a mapped ELF object: of the matching file, or of the process' memory.

By PT_DYNAMIC and DT_GNU_HASH, so they work wherever the pages come from.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from contextlib import suppress

from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.elf_files import ElfFile
from gdb_epi.typing_lite import NamedTuple, Protocol

DT_STRTAB, DT_SYMTAB, DT_DEBUG, DT_GNU_HASH = 5, 6, 21, 0x6FFFFEF5

MAX_CHAIN = 100_000
MAX_BLOOM = 1 << 20  # words


class ReadableMemory(Protocol):
    """What is asked of the process: its memory."""

    def read(self, address: int, size: int) -> bytes: ...


def dynamic_section_matches(file: bytes, memory: bytes, base: int) -> bool:
    """Tell whether a dynamic section in memory is that of a file.

    ld.so adds the load address to the pointers among the values and stores one of its own after
    DT_DEBUG; nothing else changes.
    """
    if len(file) != len(memory) or len(file) % elf.DYN.size:
        return False
    pairs = zip(elf.DYN.iter_unpack(file), elf.DYN.iter_unpack(memory), strict=True)
    return all(
        tag == held_tag and (held in (value, value + base) or tag == DT_DEBUG)
        for (tag, value), (held_tag, held) in pairs
    )


def gnu_hash(name: bytes) -> int:
    """Return the hash of DT_GNU_HASH tables."""
    value = 5381
    for byte in name:
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def _dynamic(target: ReadableMemory, base: int, segments: Sequence[elf.Segment]) -> dict[int, int]:
    segment = next((s for s in segments if s.type == elf.PT_DYNAMIC), None)
    if segment is None:
        return {}
    size = min(segment.memsz, elf.MAX_DYNAMIC * elf.DYN.size) // elf.DYN.size * elf.DYN.size
    entries = dict(elf.DYN.iter_unpack(target.read(base + segment.vaddr, size)))
    # ld.so relocates these pointers in place, except where the section is read-only (vDSO).
    for tag in (DT_STRTAB, DT_SYMTAB, DT_GNU_HASH):
        if 0 < entries.get(tag, 0) < base:
            entries[tag] += base
    return entries


class GnuHashTable(NamedTuple):
    """An object's DT_GNU_HASH table, and where the symbols and names are that it leads to.

    `base` is the load base; the addresses are those of the process.
    """

    target: ReadableMemory
    base: int
    symbols: int
    names: int
    buckets: int
    bucket_count: int
    first: int  # index of the first symbol that has a hash
    bloom: memoryview  # words in which two bits are set of each name that there is
    shift: int

    def address(self, name: bytes, hashed: int) -> int | None:
        """Return the address of a symbol, whose `gnu_hash` is given.

        Raises UnreadableMemory when the tables are neither in the core nor in a matching file.
        """
        bits = self.bloom[(hashed >> 6) % len(self.bloom)]
        if not bits >> (hashed & 63) & bits >> (hashed >> self.shift & 63) & 1:
            return None
        read = self.target.read
        bucket = read(self.buckets + 4 * (hashed % self.bucket_count), 4)
        index = int.from_bytes(bucket, "little")
        if index < self.first:
            return None
        chains = self.buckets + 4 * (self.bucket_count - self.first)
        for number in range(index, index + MAX_CHAIN):
            entry = int.from_bytes(read(chains + 4 * number, 4), "little")
            if entry | 1 == hashed | 1:
                symbol = read(self.symbols + number * elf.SYM.size, elf.SYM.size)
                st_name, _, _, shndx, value, _ = elf.SYM.unpack(symbol)
                ended = name + b"\0"
                if shndx and read(self.names + st_name, len(ended)) == ended:
                    return self.base + int(value)
            if entry & 1:
                return None
        return None


def open_symbol_table(
    target: ReadableMemory, base: int, segments: Sequence[elf.Segment]
) -> GnuHashTable | None:
    """Return the dynamic symbols of an object; None when it has no hash table of them.

    Raises UnreadableMemory when the tables are neither in the core nor in a matching file.
    """
    dynamic = _dynamic(target, base, segments)
    if not all(tag in dynamic for tag in (DT_STRTAB, DT_SYMTAB, DT_GNU_HASH)):
        return None
    table = dynamic[DT_GNU_HASH]
    bucket_count, first, bloom_size, shift = struct.unpack("<4I", target.read(table, 16))
    if not bucket_count or not 0 < bloom_size < MAX_BLOOM:
        return None
    bloom = memoryview(target.read(table + 16, 8 * bloom_size)).cast("Q")
    buckets = table + 16 + 8 * bloom_size
    symbols, names = dynamic[DT_SYMTAB], dynamic[DT_STRTAB]
    return GnuHashTable(target, base, symbols, names, buckets, bucket_count, first, bloom, shift)


class _FileImage(NamedTuple):
    """The bytes of an ELF file as they would lie in memory from address 0 on.

    Not the file itself: that keeps the table which is read from here, and circles stay for ever.
    """

    data: mmap.mmap
    segments: Sequence[elf.Segment]

    def read(self, address: int, size: int) -> bytes:
        """Return bytes that the file has for an address. Raises UnreadableMemory."""
        for part in self.segments:
            within = address - part.vaddr
            if part.type == elf.PT_LOAD and 0 <= within <= part.filesz - size:
                return self.data[part.offset + within : part.offset + within + size]
        raise UnreadableMemory(address, size, "not in the file")


def symbol_table_of_file(file: ElfFile) -> GnuHashTable | None:
    """Return the dynamic symbols of a file, as if its load base were 0; opened once for all cores.

    None when it has no hash table of them.
    """
    if symbol_table_of_file not in file.kept:
        table = None
        _, segments = elf.parse_image(file.read(0, PAGE), 0) or (0, ())
        with suppress(UnreadableMemory, struct.error):
            table = open_symbol_table(_FileImage(file.data, segments), 0, segments)
        file.kept[symbol_table_of_file] = table
    kept: GnuHashTable | None = file.kept[symbol_table_of_file]
    return kept
