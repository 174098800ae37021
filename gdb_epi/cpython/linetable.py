# SPDX-License-Identifier: Apache-2.0
"""Line numbers out of co_lnotab (up to 3.9), co_linetable (3.10) and the location table (3.11+).

Pure functions: bytes in, a line number or None out. Offsets are in bytes of bytecode.
"""

from __future__ import annotations

# Objects/locations.md (3.11+): kinds of location entries.
_SHORT_LAST = 9
_ONE_LINE_FIRST, _ONE_LINE_LAST = 10, 12
_NO_COLUMNS, _LONG, _NONE = 13, 14, 15
_CODE_UNIT = 2


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def line_in_lnotab(table: bytes, firstlineno: int, offset: int) -> int:
    """Return the line of a bytecode offset (Objects/lnotab_notes.txt, 3.6 to 3.9)."""
    address, line = 0, firstlineno
    for index in range(0, len(table) - 1, 2):
        address += table[index]
        if address > offset:
            break
        line += _signed(table[index + 1])
    return line


def line_in_linetable(table: bytes, firstlineno: int, offset: int) -> int | None:
    """Return the line of a bytecode offset (Objects/lnotab_notes.txt, 3.10).

    Entries are ranges: (byte delta, line delta); -128 marks bytecode without a line.
    """
    start, computed = 0, firstlineno
    for index in range(0, len(table) - 1, 2):
        delta = _signed(table[index + 1])
        end = start + table[index]
        if delta != -128:
            computed += delta
        if start <= offset < end:
            return None if delta == -128 else computed
        start = end
    return None


def line_in_locations(table: bytes, firstlineno: int, offset: int) -> int | None:
    """Return the line of a bytecode offset (Objects/locations.md, 3.11 and later)."""
    position, start, line = 0, 0, firstlineno
    size = len(table)
    while position < size:
        first = table[position]
        if not first & 0x80:
            return None  # every entry starts with its top bit set: the table is damaged
        kind = first >> 3 & 15
        length = ((first & 7) + 1) * _CODE_UNIT
        position += 1
        if kind in (_NO_COLUMNS, _LONG):
            delta, position = _signed_varint(table, position)
            line += delta
        elif _ONE_LINE_FIRST <= kind <= _ONE_LINE_LAST:
            line += kind - _ONE_LINE_FIRST
        if start <= offset < start + length:
            return None if kind == _NONE else line
        start += length
        while position < size and not table[position] & 0x80:
            position += 1
    return None


def _signed_varint(table: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(table):
        byte = table[position]
        position += 1
        value |= (byte & 63) << shift
        shift += 6
        if not byte & 64 or shift > 60:
            break
    return (-(value >> 1) if value & 1 else value >> 1), position
