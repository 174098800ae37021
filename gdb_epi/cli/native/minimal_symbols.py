# SPDX-License-Identifier: Apache-2.0
"""What GDB calls a place in a file without debug information: by its symbols alone.

As GDB's lookup_minimal_symbol_by_pc_section() (minsyms.c, 13.1 to 18.1): the last symbol of the
place's section that begins before it, those without a size only where no other covers it. Which of
several names of one address GDB takes hangs on how its memory lies, and the names of a linkage
table it makes up: then GdbNeeded is raised.
"""

from __future__ import annotations

from bisect import bisect_right

from gdb_epi.target.elf import STT_FILE, STT_SECTION, STT_TLS, SYM
from gdb_epi.target.elf_files import ElfFile
from gdb_epi.target.gdb_like_unwinder import GdbNeeded
from gdb_epi.target.symbols import read_sections, symbol_tables
from gdb_epi.typing_lite import NamedTuple

MAX_TABLES = 2 << 20  # bytes of symbols that are read: 87,000 symbols
MAX_NAME = 1 << 14
MAX_STEPS = 1000  # symbols that are looked at before a place


class Symbol(NamedTuple):
    """One symbol: a range of addresses, and where its name is."""

    start: int
    size: int
    name: int  # file offset


class MinimalSymbols:
    """The symbols of one file's section .text, which goes from `start` to `end`.

    Raises GdbNeeded for files that have no such section, or more symbols than are read in a moment.
    """

    def __init__(self, file: ElfFile) -> None:
        self._file = file
        number, self.start, self.end = _text(file)
        tables = symbol_tables(file)
        if sum(table.size for table in tables) > MAX_TABLES:
            raise GdbNeeded("many symbols")
        symbols = set()
        for table in tables:
            raw = file.read(table.symbols, table.size)
            whole = memoryview(raw)[: len(raw) // SYM.size * SYM.size]
            for name, info, _, section, start, size in SYM.iter_unpack(whole):
                if section == number and name and info & 15 not in (STT_SECTION, STT_FILE, STT_TLS):
                    symbols.add(Symbol(start, size, table.names + name))
        self.symbols = sorted(symbols)
        self._starts = [symbol.start for symbol in self.symbols]

    def name(self, place: int) -> str | None:
        """Return the name of the symbol at an address of the file. Raises GdbNeeded."""
        if not self.start <= place < self.end:
            raise GdbNeeded("not in .text")
        index = self._index(place)
        if index < 0:
            return None
        symbol = self.symbols[index]
        first = bisect_right(self._starts, symbol.start - 1)
        last = bisect_right(self._starts, symbol.start)
        names = {self._text(alias.name) for alias in self.symbols[first:last]}
        if len(names) > 1:
            raise GdbNeeded("several names")
        if any(not name or b"@" in name or name[:1] in b".$" for name in names):
            raise GdbNeeded("a name that GDB may not take as it is")
        return names.pop().decode("utf-8", "replace")

    def _index(self, place: int) -> int:
        """Return which symbol GDB takes; -1 for none."""
        symbols = self.symbols
        at = bisect_right(self._starts, place) - 1
        lowest = at - MAX_STEPS
        sizeless = -1
        while at >= 0:
            if at < lowest:
                raise GdbNeeded("many symbols before a place")
            start, size, _ = symbols[at]
            if not size:
                sizeless = at if sizeless < 0 else sizeless
            else:
                before = symbols[at - 1] if at else None
                if before is None or not start + size <= place < before.start + before.size:
                    break
            at -= 1
        if at < 0 or place >= symbols[at].start + symbols[at].size:
            return sizeless
        return at

    def _text(self, at: int) -> bytes:
        end = self._file.data.find(b"\0", at, at + MAX_NAME)
        return self._file.data[at:end] if end > at else b""


def _text(file: ElfFile) -> tuple[int, int, int]:
    """Return number, start and end of .text. Raises GdbNeeded without one."""
    for number, section in enumerate(read_sections(file)):
        if section.name == b".text":
            return number, section.address, section.address + section.size
    raise GdbNeeded("no .text")
