# SPDX-License-Identifier: Apache-2.0
"""Symbols: the tables of ELF files, the name of a code address, addresses of exported names.

The tables are read with struct from the mapped file. pyelftools answers the same, but makes an
object of each symbol: one of PyTorch's 530,000 names took it seconds, and it has to be importable
inside GDB.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from gdb_epi.errors import Absent
from gdb_epi.target import elf
from gdb_epi.target.api import Target, module_at, shared_cache
from gdb_epi.target.elf_files import ElfFile, open_elf
from gdb_epi.typing_lite import NamedTuple

SHN_UNDEF = 0
MAX_SECTIONS = 1 << 16
MAX_TABLE = 1 << 28  # bytes of one symbol table: 11 million symbols
MAX_HITS = 256  # places of a name among the strings; names share their tails
MAX_COVERING = 4096  # places of a file whose symbols are kept
MAX_NAME = 1 << 16
MAX_NAMES = 1 << 20  # bytes of the sections' names


class SymbolTable(NamedTuple):
    """Where a file's symbols and their names lie: file offsets and sizes in bytes."""

    symbols: int
    size: int
    names: int
    names_size: int


class Section(NamedTuple):
    """One section of a file: its name, sh_type, address, place in the file, size and sh_link."""

    name: bytes
    type: int
    address: int
    offset: int
    size: int
    link: int
    flags: int = 0


def read_sections(file: ElfFile) -> list[Section]:
    """Return the sections of a file, as far as its headers can be; b"" is a name that cannot."""
    header = elf.parse_header(file.read(0, 64))
    if header is None or not header.is_64:
        return []
    count, names_in = struct.unpack_from("<HH", file.read(60, 4))
    raw = file.read(header.shoff, min(count, MAX_SECTIONS) * elf.SHDR.size)
    rows = list(elf.SHDR.iter_unpack(raw[: len(raw) // elf.SHDR.size * elf.SHDR.size]))
    _, _, _, _, at, size, *_ = rows[names_in] if names_in < len(rows) else (0,) * 10
    names = file.read(at, min(size, MAX_NAMES))
    ends = (names.find(b"\0", row[0]) for row in rows)
    return [
        Section(names[row[0] : max(end, 0)], row[1], row[3], row[4], row[5], row[6], row[2])
        for row, end in zip(rows, ends, strict=True)
    ]


def symbol_tables(file: ElfFile) -> list[SymbolTable]:
    """Return .symtab, then .dynsym, as far as the file has them; found once in a file."""
    tables: list[SymbolTable] | None = file.kept.get(symbol_tables)
    if tables is not None:
        return tables
    every = read_sections(file)
    tables = file.kept[symbol_tables] = []
    for kind in (elf.SHT_SYMTAB, elf.SHT_DYNSYM):
        for section in every:
            if section.type == kind and section.link < len(every) and section.size <= MAX_TABLE:
                names = every[section.link]
                tables.append(SymbolTable(section.offset, section.size, names.offset, names.size))
    return tables


def symbols_with_prefix(
    file: ElfFile, table: SymbolTable, name: bytes
) -> Iterator[tuple[int, int]]:
    """Yield (st_info, st_value) of the defined symbols whose name begins so; b"\\0" ends a name."""
    names_end, raw = table.names + table.names_size, b""
    place = file.data.find(name, table.names, names_end)  # whole, or the tail of another name
    for _ in range(MAX_HITS):
        if place < 0:
            return
        raw = raw or file.read(table.symbols, table.size)
        st_name = struct.pack("<I", place - table.names)
        at = raw.find(st_name)
        while at >= 0:
            if at % elf.SYM.size == 0 and at + elf.SYM.size <= len(raw):
                _, info, _, section, value, _ = elf.SYM.unpack_from(raw, at)
                if section != SHN_UNDEF and info & 15 not in (elf.STT_SECTION, elf.STT_FILE):
                    yield info, value
            at = raw.find(st_name, at + 1)
        place = file.data.find(name, place + 1, names_end)


def symtab_value(file: ElfFile, name: str) -> int | None:
    """Return the value of a defined .symtab symbol; None when the file is stripped or lacks it.

    The names that are asked for are those that decoders know: each is looked up once in a file.
    """
    values: dict[str, int | None] = file.kept.setdefault(symtab_value, {})
    if name not in values:
        named = (
            value
            for table in symbol_tables(file)[:1]
            for _, value in symbols_with_prefix(file, table, name.encode() + b"\0")
        )
        values[name] = next(filter(None, named), None)
    return values[name]


def symbol_covering(file: ElfFile, value: int) -> tuple[str, int] | None:
    """Return (name, start) of the first symbol, .symtab before .dynsym, that covers a value.

    Threads of many processes wait at the same places of the same libraries.
    """
    covering: dict[int, tuple[str, int] | None] = file.kept.setdefault(symbol_covering, {})
    if value not in covering:
        if len(covering) >= MAX_COVERING:
            covering.clear()
        covering[value] = _find_covering(file, value)
    return covering[value]


def _find_covering(file: ElfFile, value: int) -> tuple[str, int] | None:
    for table in symbol_tables(file):
        raw = file.read(table.symbols, table.size)
        whole = memoryview(raw)[: len(raw) // elf.SYM.size * elf.SYM.size]
        for at, _, _, section, start, size in elf.SYM.iter_unpack(whole):
            if start <= value < start + size and section != SHN_UNDEF and at < table.names_size:
                first = table.names + at
                last = min(first + MAX_NAME, table.names + table.names_size)
                end = file.data.find(b"\0", first, last)
                if end > first:
                    return file.data[first:end].decode("utf-8", "replace"), start
    return None


class SymbolAtAddress(NamedTuple):
    """The symbol of a loaded file that covers an address, and the bytes from its start."""

    name: str
    offset: int


def symbol_at(target: Target, address: int) -> SymbolAtAddress | None:
    """Return the symbol that covers an address; None where none is known to.

    In a stripped file the nearest symbol below says nothing. The threads of a pool are all in the
    same functions: each is looked up once.
    """
    kept = shared_cache(target)
    places: dict[int, SymbolAtAddress | None] = {}
    if kept is not None:
        places = kept.setdefault(symbol_at, places)
    if address not in places:
        places[address] = _find_symbol_at_address(target, address)
    return places[address]


def _find_symbol_at_address(target: Target, address: int) -> SymbolAtAddress | None:
    module = module_at(target, address)
    if module is None or isinstance(module.file, Absent):
        return None
    file = open_elf(module.file)
    if isinstance(file, Absent):
        return None
    value = address - module.base
    symbol = symbol_covering(file, value)
    return None if symbol is None else SymbolAtAddress(symbol[0], value - symbol[1])


def symbolize(target: Target, address: int) -> str:
    """Return `name`, `name+0x12`, `file+0x345` or the bare address."""
    symbol = symbol_at(target, address)
    if symbol is not None:
        return f"{symbol.name}+{symbol.offset:#x}" if symbol.offset else symbol.name
    module = module_at(target, address)
    if module is None:
        return f"{address:#x}"
    return f"{module.path.rpartition('/')[2]}+{address - module.base:#x}"


def exported_address(target: Target, name: str) -> int | None:
    """Return the run-time address of a dynamic symbol, or None.

    `Target.symbol` falls back to every .symtab, which takes 0.1 s when an old glibc lacks a name.
    """
    lookup = getattr(target, "dynamic_symbol", None) or target.symbol
    address: int | None = lookup(name)
    return address
