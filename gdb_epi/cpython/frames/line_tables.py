# SPDX-License-Identifier: Apache-2.0
"""Source positions of instructions: line and column ranges out of a code object's line table.

3.11 (PEP 657) keeps end line and columns too; older tables have lines only. Pure functions: bytes
in, values out. Columns are counted in bytes of UTF-8, from 0, as `code.co_positions()` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from gdb_epi.cpython.frames import code_objects
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.typing_lite import NamedTuple

MAX_ENTRIES = 1 << 20  # of one table; the largest generated modules have some hundred thousand
MAX_COLUMN = 1 << 24


class SourcePosition(NamedTuple):
    """Where in the source an instruction comes from; None for what the table does not say."""

    line: int | None
    end_line: int | None = None
    column: int | None = None  # bytes of UTF-8 before the first character of the range
    end_column: int | None = None  # bytes of UTF-8 before the first character after it


class LineTableEntry(NamedTuple):
    """One run of bytecode, [start, end) in bytes, with one position."""

    start: int
    end: int
    position: SourcePosition


def parse_location_table(table: bytes, firstlineno: int) -> Iterator[LineTableEntry]:
    """Yield the entries of a location table (Objects/locations.md, 3.11 and later).

    Ends early where the table is damaged.
    """
    position, start, line = 0, 0, firstlineno
    for _ in range(MAX_ENTRIES):
        if position >= len(table) or not table[position] & 0x80:
            return  # every entry starts with its top bit set
        kind = table[position] >> 3 & 15
        end = start + ((table[position] & 7) + 1) * code_objects.CODE_UNIT
        fields = _EntryBytes(table, position + 1)
        where, line = _position_of_entry(kind, fields, line)
        yield LineTableEntry(start, end, where)
        start, position = end, fields.at
        while position < len(table) and not table[position] & 0x80:
            position += 1


def _position_of_entry(kind: int, fields: _EntryBytes, line: int) -> tuple[SourcePosition, int]:
    """Return the position of one entry and the line that the next one counts from."""
    if kind == code_objects.NO_LOCATION:
        return SourcePosition(None), line
    if kind == code_objects.LONG:
        line += fields.signed_varint()
        end_line = line + fields.varint()
        column, end_column = fields.varint() - 1, fields.varint() - 1
        return SourcePosition(
            line, end_line, _column_or_none(column), _column_or_none(end_column)
        ), line
    if kind == code_objects.NO_COLUMNS:
        line += fields.signed_varint()
        return SourcePosition(line, line), line
    if kind >= code_objects.ONE_LINE_FIRST:
        line += kind - code_objects.ONE_LINE_FIRST
        column, end_column = fields.byte(), fields.byte()
        return SourcePosition(line, line, column, end_column), line
    second = fields.byte()
    column = kind << 3 | second >> 4
    return SourcePosition(line, line, column, column + (second & 15)), line


def _column_or_none(column: int) -> int | None:
    return column if 0 <= column <= MAX_COLUMN else None


class _EntryBytes:
    """The bytes after an entry's first; past the end of the table they are 0."""

    def __init__(self, table: bytes, at: int) -> None:
        self._table = table
        self.at = at

    def byte(self) -> int:
        """Return the next byte."""
        value = self._table[self.at] if self.at < len(self._table) else 0
        self.at += 1
        return value

    def varint(self) -> int:
        """Return an unsigned number: 6 bits a byte, the lowest first."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 63) << shift
            shift += 6
            if not byte & 64 or shift > 60:
                return value

    def signed_varint(self) -> int:
        """Return a signed number: its lowest bit is the sign."""
        value = self.varint()
        return -(value >> 1) if value & 1 else value >> 1


def entries_of_runs(runs: Iterable[code_objects.LineRun]) -> Iterator[LineTableEntry]:
    """Yield the entries of a table that has lines alone."""
    for start, end, line in islice(runs, MAX_ENTRIES):
        yield LineTableEntry(start, end, SourcePosition(line, line))


def parse_line_table(layout: Layout, table: bytes, firstlineno: int) -> Iterator[LineTableEntry]:
    """Yield the entries of a line table in the form that a layout's code objects have."""
    # 3.10 (PEP 626) has ranges of lines, 3.11 (PEP 657) columns; it came with co_qualname.
    if layout.offset("PyCodeObject", "co_linetable") is None:
        return entries_of_runs(code_objects.lnotab_runs(table, firstlineno))
    if layout.offset("PyCodeObject", "co_qualname") is None:
        return entries_of_runs(code_objects.linetable_runs(table, firstlineno))
    return parse_location_table(table, firstlineno)


def find_source_position(entries: Iterator[LineTableEntry], offset: int) -> SourcePosition | None:
    """Return the position of a bytecode offset (bytes). None when the table has none for it."""
    for entry in entries:
        if entry.start <= offset < entry.end:
            return entry.position
    return None
