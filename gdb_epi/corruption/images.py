# SPDX-License-Identifier: Apache-2.0
"""ELF files as a second copy of what a process holds: text, and words that ld.so relocated.

Reference: System V gABI with the x86-64 supplement (relocation types); DT_RELR of the gABI draft,
in glibc since 2.36.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from functools import cached_property

from gdb_epi.corruption.context import Context
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.target import elf
from gdb_epi.target.api import Module
from gdb_epi.target.files import ElfFile, open_elf

PAGE = 4096
DT_SYMTAB, DT_RELA, DT_RELASZ, DT_TEXTREL, DT_FLAGS, DT_RELRSZ, DT_RELR = 6, 7, 8, 22, 30, 35, 36
DF_TEXTREL = 4
R_64, R_RELATIVE = 1, 8
PF_W = 2
MAX_DYNAMIC = 1024
MAX_TABLE = 256 << 20  # bytes of one relocation table
MAX_RELR = 4_000_000
MASK = (1 << 64) - 1
_DYN = struct.Struct("<qQ")
_RELA = struct.Struct("<QQq")


class ImageFile:
    """One mapped object and the file with its build-id."""

    def __init__(self, module: Module, file: ElfFile) -> None:
        self.module = module
        self.base = module.base
        self.data = file.data
        header = elf.parse_header(self.data[:64])
        self.fixed = header is not None and header.type == elf.ET_EXEC
        found = list(elf.segments(self.data, header)) if header is not None else []
        self.loads = [one for one in found if one.type == elf.PT_LOAD]
        self.relro = next((one for one in found if one.type == elf.PT_GNU_RELRO), None)
        self._dynamic_segment = next((one for one in found if one.type == elf.PT_DYNAMIC), None)

    @cached_property
    def dynamic(self) -> dict[int, int]:
        """The dynamic section of the file."""
        segment = self._dynamic_segment
        if segment is None:
            return {}
        size = min(segment.filesz, MAX_DYNAMIC * _DYN.size)
        raw = self.data[segment.offset : segment.offset + size]
        return dict(_DYN.iter_unpack(raw[: len(raw) // _DYN.size * _DYN.size]))

    @property
    def has_text_relocations(self) -> bool:
        """Whether ld.so writes into this object's text."""
        return DT_TEXTREL in self.dynamic or bool(self.dynamic.get(DT_FLAGS, 0) & DF_TEXTREL)

    def offset(self, address: int, size: int = 8) -> int | None:
        """Return the place in the file of an address of the ELF file; None when it has none."""
        for load in self.loads:
            if load.vaddr <= address and address + size <= load.vaddr + load.filesz:
                return address - load.vaddr + load.offset
        return None

    def word(self, address: int) -> int | None:
        """Return the word that the file has at an address of its own."""
        at = self.offset(address)
        return None if at is None else int.from_bytes(self.data[at : at + 8], "little")

    @cached_property
    def _rela(self) -> array[int]:
        """The table DT_RELA as words: offset, info, addend, and so on."""
        found: array[int] = array("Q")
        at = self.offset(self.dynamic.get(DT_RELA, 0), 1)
        size = min(self.dynamic.get(DT_RELASZ, 0), MAX_TABLE) // _RELA.size * _RELA.size
        if at is not None and at + size <= len(self.data):
            found.frombytes(self.data[at : at + size])
        return found

    def relatives(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """Yield (address, value), both of the file's own, of R_X86_64_RELATIVE in a range.

        What ld.so put there is that value plus the load base.
        """
        table = self._rela
        for address, info, value in zip(table[0::3], table[1::3], table[2::3], strict=True):
            if info == R_RELATIVE and low <= address < high:
                yield address, value
        for address in self._relr:
            if low <= address < high:
                word = self.word(address)
                if word is not None:
                    yield address, word

    @cached_property
    def _relr(self) -> list[int]:
        """The addresses that DT_RELR packs: an address, then bitmaps of the 63 words behind it."""
        at = self.offset(self.dynamic.get(DT_RELR, 0), 1)
        size = min(self.dynamic.get(DT_RELRSZ, 0), MAX_TABLE) // 8 * 8
        found: list[int] = []
        if at is None or not size or at + size > len(self.data):
            return found
        where = 0
        for (entry,) in struct.iter_unpack("<Q", self.data[at : at + size]):
            if len(found) > MAX_RELR:
                break
            if not entry & 1:
                found.append(entry)
                where = entry + 8
                continue
            found += [where + 8 * bit for bit in range(63) if entry >> bit + 1 & 1]
            where += 63 * 8
        return found

    @cached_property
    def _expected(self) -> dict[int, int]:
        """What ld.so put at addresses: relative relocations, and symbols defined here."""
        base = self.base
        found = {address: value + base & MASK for address, value in self.relatives(0, MASK)}
        table = self._rela
        symbols = self.dynamic.get(DT_SYMTAB, 0)
        for address, info, addend in zip(table[0::3], table[1::3], table[2::3], strict=True):
            if info & 0xFFFFFFFF == R_64:
                at = self.offset(symbols + 24 * (info >> 32), 24)
                if at is not None:
                    raw = self.data[at : at + 24]
                    if raw[6:8] != b"\0\0":  # st_shndx: defined in this object
                        value = int.from_bytes(raw[8:16], "little")
                        found[address] = value + addend + base & MASK
        return found

    def pointers(self) -> Iterator[tuple[int, int]]:
        """Yield (run-time address, pointer) as ld.so left them; of a fixed image as in the file."""
        for address, value in self._expected.items():
            yield address + self.base, value
        for load in self.loads if self.fixed else ():
            if load.flags & PF_W:
                raw = self.data[load.offset : load.offset + load.filesz & ~7]
                for number, value in enumerate(memoryview(raw[: len(raw) & ~7]).cast("Q")):
                    if value:
                        yield load.vaddr + self.base + 8 * number, value

    def expected(self, address: int) -> int | None:
        """Return what ld.so left at a run-time address: a pointer, or the word of the file.

        None where the file does not tell. A symbol may have been preempted by another object.
        """
        own = address - self.base
        found = self._expected.get(own)
        return self.word(own) if found is None and self.fixed else found


def image_files(context: Context) -> tuple[list[ImageFile], list[str]]:
    """Return the objects whose file is here, and the names of those without (not the vDSO)."""
    known = context.kept.get("images")
    if known is None:
        files: list[ImageFile] = []
        missing: list[str] = []
        for module in context.target.modules():
            found = None if isinstance(module.file, Absent) else open_elf(module.file)
            if isinstance(found, ElfFile):
                files.append(ImageFile(module, found))
            elif module.path.startswith("/") and not module.path.startswith("/memfd:"):
                missing.append(module.path)
        known = context.kept["images"] = files, missing
    return known


def dumped_pieces(
    context: Context, low: int, high: int, *, writable: bool
) -> Iterator[tuple[int, bytes]]:
    """Yield (address, bytes) of what the core itself holds in a range, within the budget.

    Only of mappings that are (or are not) `writable`; never bytes that come from a file.
    """
    for region in context.target.regions():
        start = max(low, region.start)
        end = min(high, region.start + min(region.dumped, region.size))
        if start >= end or ("w" in region.perms) != writable:
            continue
        if not context.budget.take(end - start):
            return
        try:
            yield start, context.target.read(start, end - start)
        except UnreadableMemory:
            continue


def missing_text(missing: list[str]) -> str:
    """Return one line about objects whose file is not here."""
    names = ", ".join(path.rpartition("/")[2] for path in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return f"no file with the core's build-id for {names}{more}"
