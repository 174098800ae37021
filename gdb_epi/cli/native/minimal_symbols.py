# SPDX-License-Identifier: Apache-2.0
"""What GDB calls a place in a file without debug information: by its symbols alone.

As GDB's lookup_minimal_symbol_by_pc_section() (minsyms.c, 13.1 to 18.1): the last symbol of the
place's section that begins before it, those without a size only where no other covers it; of
several at one address the one whose name comes last, but a global one before a local one of its
size. The names of a linkage table GDB makes up: then GdbNeeded is raised.
"""

from __future__ import annotations

import mmap
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.elf import STT_FILE, STT_SECTION, STT_TLS, SYM
from gdb_epi.target.elf_files import ElfFile
from gdb_epi.target.gdb_like_unwinder import GdbNeeded
from gdb_epi.target.symbols import SymbolTable, read_sections, symbol_tables
from gdb_epi.typing_lite import NamedTuple

MAX_TABLE = 48 << 20  # bytes of symbols that are looked through: 2 million symbols
MAX_SORTED = 2 << 20  # bytes of symbols that are all put in order
MAX_NAME = 1 << 14
MAX_STEPS = 1000  # symbols that are looked at before a place
NEAR = 1 << 16  # bytes before a place in which the symbol nearly always begins
_LOCAL = 0
_NOT_OF_CODE = (STT_SECTION, STT_FILE, STT_TLS)


class Symbol(NamedTuple):
    """One symbol, in the order of GDB's table."""

    start: int
    name: bytes
    size: int
    is_local: bool

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + self.size


class MinimalSymbols:
    """The symbols of one file's section .text, which goes from `start` to `end`.

    `packed` are those of the file that unpacked() returns. Raises GdbNeeded for files that have no
    such section, or more symbols than are read in a moment.
    """

    def __init__(self, file: ElfFile, packed: MinimalSymbols | None = None) -> None:
        self._file = file
        self._packed = packed
        self._number, self.start, self.end = _text_section(file)
        # Of a file with a .symtab GDB reads nothing else (elf_symtab_read(), `stripped`).
        tables = [table for table in symbol_tables(file) if table.size > SYM.size]
        self._table = tables[0] if tables else SymbolTable(0, 0, 0, 0)
        if self._table.size > MAX_TABLE:
            raise GdbNeeded("many symbols")

    def symbols_between(self, low: int, high: int) -> list[Symbol]:
        """Return the symbols that begin between two addresses, both included, in order.

        Of a library with 200,000 symbols a stack needs a handful: only their addresses are read.
        """
        symbols = set()
        raw = self._file.read(self._table.symbols, self._table.size)
        starts = memoryview(raw)[: len(raw) // SYM.size * SYM.size].cast("Q")[1::3]
        for number in [n for n, start in enumerate(starts) if low <= start <= high]:
            at, info, _, section, start, size = SYM.unpack_from(raw, number * SYM.size)
            if section == self._number and at and info & 15 not in _NOT_OF_CODE:
                name, is_local = self._symbol_name(self._table.names + at), info >> 4 == _LOCAL
                if not (is_local and name.startswith(b".L")):  # labels of compilers
                    symbols.add(Symbol(start, name, size, is_local))
        return sorted(symbols)

    @cached_property
    def _all_symbols(self) -> list[Symbol]:
        if self._table.size > MAX_SORTED:
            raise GdbNeeded("many symbols")
        return self.symbols_between(0, WORD_MASK)

    def name_at_address(self, place: int) -> str | None:
        """Return the name of the symbol at an address of the file. Raises GdbNeeded."""
        chosen = self._symbol_at(place)
        more = None if self._packed is None else self._packed._symbol_at(place)
        if more is not None and (chosen is None or chosen.start < more.start):
            chosen = more
        if chosen is None:
            return None
        name = chosen.name
        if not name or b"@" in name or name[:1] in b".$":
            raise GdbNeeded("a name that GDB may not take as it is")
        return name.decode("utf-8", "replace")

    def _symbol_at(self, place: int) -> Symbol | None:
        if not self.start <= place < self.end:
            raise GdbNeeded("not in .text")
        chosen, is_sure = _symbol_that_gdb_takes(self.symbols_between(place - NEAR, place), place)
        if not is_sure:
            end = bisect_right(self._all_symbols, (place + 1,))
            chosen, _ = _symbol_that_gdb_takes(
                self._all_symbols[max(end - MAX_STEPS - 1, 0) : end], place
            )
        return chosen

    def _symbol_name(self, at: int) -> bytes:
        end = self._file.data.find(b"\0", at, at + MAX_NAME)
        return self._file.data[at:end] if end > at else b""


def unpack_debug_data(file: ElfFile) -> ElfFile:
    """Return the file with more symbols that a file's .gnu_debugdata packs. Raises GdbNeeded."""
    for section in read_sections(file):
        if section.name == b".gnu_debugdata":
            try:
                from lzma import LZMADecompressor, LZMAError
            except ImportError:
                break
            raw = file.read(section.offset, min(section.size, MAX_TABLE))
            try:
                content = LZMADecompressor().decompress(raw, MAX_TABLE)
            except (LZMAError, EOFError):
                break
            if not content:
                break
            memory = mmap.mmap(-1, len(content))
            memory.write(content)
            return ElfFile(file.path, memory, file.build_id, {})
    raise GdbNeeded("symbols that cannot be unpacked")


def _text_section(file: ElfFile) -> tuple[int, int, int]:
    """Return number, start and end of .text. Raises GdbNeeded without one."""
    for number, section in enumerate(read_sections(file)):
        if section.name == b".text":
            return number, section.address, section.address + section.size
    raise GdbNeeded("no .text")


def _symbol_that_gdb_takes(symbols: Sequence[Symbol], place: int) -> tuple[Symbol | None, bool]:
    """Return which symbol before a place GDB takes, and whether that is sure."""
    sizeless = None
    for at in range(len(symbols) - 1, -1, -1):
        if len(symbols) - at > MAX_STEPS:
            raise GdbNeeded("many symbols before a place")
        symbol = symbols[at]
        before = symbols[at - 1] if at else None
        is_second = symbol.is_local and before is not None and not before.is_local
        if is_second and before is not None and before[::2] == symbol[::2]:
            continue
        if not symbol.size:
            sizeless = sizeless or symbol
        elif before is None or not symbol.end <= place < before.end:
            return (symbol if place < symbol.end else sizeless), before is not None
    return sizeless, False
