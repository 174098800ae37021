# SPDX-License-Identifier: Apache-2.0
"""Where the function that holds an address begins, without symbols: by the unwind tables.

Stripped objects keep .eh_frame and its search table .eh_frame_hdr, exceptions need them: one
entry for each function, and one for each part that a compiler split off.
Reference: LSB 5.0, "DWARF extensions" (.eh_frame_hdr); System V ABI x86-64, 4.2.4.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right

from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import PAGE
from gdb_epi.target.api import Module, ModulesByAddress, Target, try_read
from gdb_epi.target.elf import base_and_headers
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

PT_GNU_EH_FRAME = 0x6474E550
# The only encodings that linkers write for x86-64: udata4 for the count; signed 32 bits relative
# to the table for its rows. Entries have their address relative to itself, which is checked.
_UDATA4, _DATAREL_SDATA4 = 0x03, 0x3B
_HEADER = struct.Struct("<BBBBiI")
_ROW = struct.Struct("<ii")
_ENTRY = struct.Struct("<IIiI")  # length, CIE, start relative to itself, size
MAX_FUNCTIONS = 1 << 24
MAX_COLUMN = 1 << 16  # rows of a table that are read at once: half a megabyte
ROWS_AT_ONCE = 64  # of a table; a power of two
MAX_ROWS = 1 << 20  # kept; then they are read again


class Function(NamedTuple):
    """A function, or a split-off part of one; the range is half-open."""

    start: int
    end: int


class _UnwindTable(NamedTuple):
    address: int
    rows: int


class FunctionBounds:
    """The functions of all mapped objects; each table is found once."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._modules = ModulesByAddress(target.modules())
        self._tables: dict[int, _UnwindTable | None] = {}
        self._rows: dict[tuple[int, int], bytes] = {}  # table, number of the first row
        self._columns: dict[int, array[int]] = {}  # of tables that are wholly there: starts

    def function_at(self, pc: int) -> Function | None:
        """Return the function that holds a code address.

        Absent (None) when its object has no unwind tables, or when neither the core nor a
        matching file has them.
        """
        entry = self._function_and_fde_address(pc)
        return None if entry is None else entry[0]

    def fde_address(self, pc: int) -> int | None:
        """Return where the unwind entry (FDE) of a code address lies; None as in function_at()."""
        entry = self._function_and_fde_address(pc)
        return None if entry is None else entry[1]

    def function_returned_to(self, pc: int) -> Function | None:
        """Return the function of a frame that has called another one, by its return address.

        After a call of a function that never returns (abort) the next function may begin.
        """
        return self.function_at(pc - 1)

    def lacks_unwind_table(self, pc: int) -> bool:
        """Tell whether the object of a code address has no unwind table, or none of its entries."""
        module = self._modules.module_at_address(pc)
        if module is None or self.function_at(pc) is not None:
            return False
        table = self._tables.get(module.start)
        try:
            if table is None:
                image = base_and_headers(self._target.read(module.start, PAGE), module.start)
                return image is not None and all(s.type != PT_GNU_EH_FRAME for s in image[1])
            before = self._count_rows_up_to(table, pc)
            start, entry = self._row_of_table(table, before - 1) if before else (0, 0)
            size = _ENTRY.unpack(self._target.read(entry, _ENTRY.size))[3] if before else 0
        except UnreadableMemory:
            return False
        return start + size <= pc

    @memoized
    def _function_and_fde_address(self, pc: int) -> tuple[Function, int] | None:
        module = self._modules.module_at_address(pc)
        if module is None:
            return None
        try:
            if module.start not in self._tables:
                self._tables[module.start] = None  # also when the next line raises
                self._tables[module.start] = self._open_table(module)
            table = self._tables[module.start]
            low = 0 if table is None else self._count_rows_up_to(table, pc)
            if table is None or not low:
                return None
            start, entry = self._row_of_table(table, low - 1)
            _, _, relative, size = _ENTRY.unpack(self._target.read(entry, _ENTRY.size))
        except UnreadableMemory:
            return None
        # The entry must tell the same start: then it is encoded as we think.
        if entry + 8 + relative != start or not start <= pc < start + size:
            return None
        return Function(start, start + size), entry

    def _open_table(self, module: Module) -> _UnwindTable | None:
        image = base_and_headers(self._target.read(module.start, PAGE), module.start)
        if image is None:
            return None
        base, segments = image
        for segment in segments:
            if segment.type == PT_GNU_EH_FRAME:
                address = base + segment.vaddr
                raw = self._target.read(address, _HEADER.size)
                version, _, count_as, rows_as, _, count = _HEADER.unpack(raw)
                if (version, count_as, rows_as) != (1, _UDATA4, _DATAREL_SDATA4):
                    return None
                return _UnwindTable(address, min(count, MAX_FUNCTIONS))
        return None

    def _row_of_table(self, table: _UnwindTable, number: int) -> tuple[int, int]:
        first = number & -ROWS_AT_ONCE
        rows = self._rows.get((table.address, first))
        if rows is None:
            if len(self._rows) >= MAX_ROWS // ROWS_AT_ONCE:
                self._rows.clear()
            size = min(ROWS_AT_ONCE, table.rows - first) * _ROW.size
            place = table.address + _HEADER.size + first * _ROW.size
            rows = self._rows[table.address, first] = try_read(self._target, place, size)
        at = (number - first) * _ROW.size
        if at >= len(rows):
            place = table.address + _HEADER.size + number * _ROW.size
            rows, at = self._target.read(place, _ROW.size), 0
        start, entry = _ROW.unpack_from(rows, at)
        return table.address + start, table.address + entry

    def _count_rows_up_to(self, table: _UnwindTable, pc: int) -> int:
        """Return how many rows begin at a code address or before it."""
        column = self._columns.get(table.address)
        if column is None:
            column = self._columns[table.address] = self._row_starts(table)
        if column:
            return bisect_right(column, pc - table.address)
        low, high = 0, table.rows
        while low < high:
            middle = (low + high) // 2
            if self._row_of_table(table, middle)[0] <= pc:
                low = middle + 1
            else:
                high = middle
        return low

    def _row_starts(self, table: _UnwindTable) -> array[int]:
        """Return the starts of a table's rows; nothing for one that is long or incomplete."""
        if table.rows > MAX_COLUMN:
            return array("i")
        size = table.rows * _ROW.size
        return array("i", try_read(self._target, table.address + _HEADER.size, size))[::2]
