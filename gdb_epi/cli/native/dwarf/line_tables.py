# SPDX-License-Identifier: Apache-2.0
"""The line of an address, as GDB reads it out of .debug_line.

GDB makes a table for each source file (dwarf2/line-program.c, buildsym.c), where a change of the
file ends what was before it, and takes of all files the entry that begins last before the address
(symtab.c, find_pc_sect_line). Reference: GDB 13.1 to 18.1; DWARF 5, 6.2.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from gdb_epi.cli.native.dwarf.debug_sections import DebugSections
from gdb_epi.target.gdb_like_unwinder import GdbNeeded
from gdb_epi.target.leb128 import signed_leb128, unsigned_leb128
from gdb_epi.typing_lite import Any, NamedTuple

LINE = ".debug_line"
MAX_PROGRAM = 1 << 22  # bytes of one unit's
MAX_FILES = 1 << 16
_PATH, _DIRECTORY_INDEX = 1, 2  # what an entry of the tables of names consists of
_STRING, _LINE_STRP, _STRP = 0x08, 0x1F, 0x0E
_UDATA, _DATA1, _DATA2, _DATA16 = 0x0F, 0x0B, 0x05, 0x1E


# A row is one number: the line, 32 bits of the file, and two flags: a statement begins; the line
# has had a discriminator (GDB leaves out rows that go on with such a line).
STATEMENT, DISCRIMINATED, FLAGS = 1, 2, 3
_FILE, _LINE = 2, 34  # where they begin
_MASK = (1 << 32) - 1
NEVER = 1 << 64


class LineOfAddress(NamedTuple):
    """The line of an address.

    `since` is where the last row before it begins. `next_row_line` is that of the next row, where
    that is no beginning of a statement though there was one at `since`.
    """

    file: str
    line: int
    since: int
    next_row_line: int | None


class _LineSequence(NamedTuple):
    """One run of the program through ascending addresses: of each row its address, and the row."""

    addresses: array[int]
    rows: array[int]


class LineTable:
    """The lines of one unit."""

    def __init__(self, sections: DebugSections, offset: int) -> None:
        self._sections = sections
        (length,) = struct.unpack("<I", sections.read(LINE, offset, 4))
        if length >= 0xFFFFFFF0 or length > MAX_PROGRAM:
            raise GdbNeeded("a large table of lines")
        self._data = data = sections.read(LINE, offset, length + 4)
        (version,) = struct.unpack_from("<H", data, 4)
        at = 6
        if version == 5:
            address_size, segment = data[6], data[7]
            if address_size != 8 or segment:
                raise GdbNeeded("lines of another machine")
            at = 8
        elif version not in (3, 4):
            raise GdbNeeded("another version of tables of lines")
        (header,) = struct.unpack_from("<I", data, at)
        self._program = at + 4 + header
        self._smallest = data[at + 4]
        at += 5
        if version >= 4:
            if data[at] != 1:
                raise GdbNeeded("several operations in an instruction")
            at += 1
        self._default_is_stmt = bool(data[at])
        (self._line_base,) = struct.unpack_from("<b", data, at + 1)
        self._line_range, self._opcode_base = data[at + 2], data[at + 3]
        if not self._line_range or not self._opcode_base:
            raise GdbNeeded("a table of lines of another form")
        self._lengths = data[at + 3 : at + 3 + self._opcode_base]
        at += 3 + self._opcode_base
        self._first_file = 0 if version == 5 else 1
        self._files = self._files_of_dwarf5(at) if version == 5 else self._files_of_dwarf4(at)
        self._parts: list[_LineSequence] = []
        self._begun = _LineSequence(array("Q"), array("Q"))  # a part that is not read to its end
        self._wanted = NEVER  # the program is read up to the first row behind it
        self._reading = self._read_line_sequences()

    def file_name(self, number: int) -> str:
        """Return the name of a file as GDB gives it."""
        index = number - self._first_file
        if not 0 <= index < len(self._files):
            raise GdbNeeded("a file that has no name")
        return self._files[index]

    def has_row_at(self, pc: int) -> bool:
        """Tell whether there is any row for an address."""
        return bool(self._sequences_at(pc, is_alone=False))

    def _sequences_at(self, pc: int, *, is_alone: bool) -> list[_LineSequence]:
        self._wanted = pc if is_alone else NEVER
        while not (is_alone and self._sequences_read_with(pc)) and next(self._reading, False):
            pass
        return self._sequences_read_with(pc)

    def _sequences_read_with(self, pc: int) -> list[_LineSequence]:
        parts = (*self._parts, self._begun) if self._begun.addresses else self._parts
        return [part for part in parts if part.addresses[0] <= pc < part.addresses[-1]]

    def line_of_address(self, pc: int, *, is_alone: bool = False) -> LineOfAddress:
        """Return the line of an address. Raises GdbNeeded without one.

        `is_alone`: one function of the unit holds the address. Then no other part does, and the
        program is read no further than to the row behind it: addresses ascend in a part.
        """
        parts = self._sequences_at(pc, is_alone=is_alone)
        if len(parts) != 1:
            raise GdbNeeded("lines in several places, or in none")
        addresses, rows = parts[0]
        behind = bisect_right(addresses, pc)
        since = addresses[behind - 1]
        first = bisect_left(addresses, since)
        while first and (not rows[first] >> _LINE or rows[first] & DISCRIMINATED):  # left out?
            first = bisect_left(addresses, addresses[first - 1])
        file, line = self._last_recorded_file_and_line(addresses[first:behind], rows[first:behind])
        here = rows[bisect_left(addresses, since) : behind]
        statements = any(row & STATEMENT for row in here)
        next_row = rows[behind]
        next_row_line = next_row >> _LINE if statements and not next_row & STATEMENT else None
        return LineOfAddress(self.file_name(file), line, since, next_row_line)

    def _last_recorded_file_and_line(
        self, addresses: array[int], rows: array[int]
    ) -> tuple[int, int]:
        """Return file and line of what GDB records last of rows that begin with a new address.

        A change of the file ends what was before, and is left out where it is no beginning of a
        statement but there was one at the address. The last statement of an address counts.
        """
        taken: list[int] = []  # of one file and one address
        taken_at = last_address = -1
        has_stmt = False
        for address, row in zip(addresses, rows, strict=True):
            if address != last_address:
                last_address, has_stmt = address, False
            line = row >> _LINE
            is_changed = not taken or self.file_name(_file_number(taken[-1])) != self.file_name(
                _file_number(row)
            )
            goes_on = not is_changed and row & DISCRIMINATED and line == taken[-1] >> _LINE
            is_late = taken and is_changed and not row & STATEMENT and has_stmt
            if line and not goes_on and not is_late:
                if is_changed or taken_at != address:
                    taken = []
                taken.append(row)
                taken_at = address
            has_stmt |= bool(row & STATEMENT)
        if not taken:
            raise GdbNeeded("a place without a line")
        statements = [row for row in taken if row & STATEMENT]
        row = (statements or taken)[-1]
        return _file_number(row), row >> _LINE

    # -- the program ----------------------------------------------------------------------------

    def _read_line_sequences(self) -> Iterator[bool]:
        """Read the rows of each part of the program; yield behind each address that is wanted."""
        data, size = self._data, len(self._data)
        base, width, smallest = self._opcode_base, self._line_range, self._smallest
        steps = [
            ((code - base) // width * smallest, self._line_base + (code - base) % width << _LINE)
            for code in range(256)
        ]
        first = 1 << _LINE | 1 << _FILE | self._default_is_stmt * STATEMENT
        address, row, discriminated, stop = 0, first, False, self._wanted
        addresses: list[int] = []
        rows: list[int] = []
        codes: Any = iter(data)  # faster than an index, which it takes and gives as well
        codes.__setstate__(self._program)
        for code in codes:
            if code >= base:
                by, lines = steps[code]
                address += by
                if lines:
                    row += lines
                    if not discriminated and row & DISCRIMINATED:
                        row -= DISCRIMINATED
                addresses.append(address)
                rows.append(row)
                discriminated = False
                if address > stop:
                    _check_addresses_ascend(addresses)
                    self._begun = _LineSequence(array("Q", addresses), array("Q", rows))
                    addresses = rows = []  # arrays take a quarter of the memory
                    yield True
                    addresses, rows = self._begun.addresses.tolist(), self._begun.rows.tolist()
                    stop = self._wanted if address <= self._wanted else NEVER
            elif code == 5:  # DW_LNS_set_column
                while next(codes) >= 0x80:
                    pass
            elif code == 6:  # DW_LNS_negate_stmt
                row ^= STATEMENT
            elif code == 1:  # DW_LNS_copy
                addresses.append(address)
                rows.append(row)
                discriminated = False
            elif code == 3:  # DW_LNS_advance_line
                lines = next(codes)
                if lines < 0x80:
                    lines -= (lines & 0x40) << 1
                else:
                    lines, at = signed_leb128(data, size - codes.__length_hint__() - 1)
                    codes.__setstate__(at)
                if lines:
                    row += lines << _LINE
                    if not discriminated and row & DISCRIMINATED:
                        row -= DISCRIMINATED
            elif code == 0:  # an extended opcode
                length, at = unsigned_leb128(data, size - codes.__length_hint__())
                codes.__setstate__(at + length)
                kind = data[at]
                if kind == 1:  # DW_LNE_end_sequence
                    addresses.append(address)
                    rows.append(row & STATEMENT)
                    _check_addresses_ascend(addresses)
                    if len(rows) > 1:
                        self._parts.append(_LineSequence(array("Q", addresses), array("Q", rows)))
                    self._begun = _LineSequence(array("Q"), array("Q"))
                    if addresses[0] <= self._wanted < address:
                        yield True
                    address, row, discriminated, stop = 0, first, False, self._wanted
                    addresses, rows = [], []
                elif kind == 2:  # DW_LNE_set_address
                    address = int.from_bytes(data[at + 1 : at + length], "little")
                    stop = self._wanted if address <= self._wanted else NEVER
                elif kind == 4:  # DW_LNE_set_discriminator
                    number, _ = unsigned_leb128(data, at + 1)
                    discriminated = bool(number)
                    if discriminated:
                        row |= DISCRIMINATED
                else:
                    raise GdbNeeded("a table of lines of another kind")
            elif code == 8:  # DW_LNS_const_add_pc
                address += steps[255][0]
            elif code == 9:  # DW_LNS_fixed_advance_pc
                address += next(codes) | next(codes) << 8
            elif code not in (7, 10, 11):  # basic_block, prologue_end, epilogue_begin
                at, number = size - codes.__length_hint__(), 0
                for _ in range(self._lengths[code]):
                    number, at = unsigned_leb128(data, at)
                codes.__setstate__(at)
                if code == 2:  # DW_LNS_advance_pc
                    address += number * smallest
                elif code == 4:  # DW_LNS_set_file
                    if number > _MASK:
                        raise GdbNeeded("a file that has no name")
                    row = (row >> _LINE << _LINE) + (number << _FILE) + (row & FLAGS)

    # -- names of files ---------------------------------------------------------------------------

    def _files_of_dwarf4(self, at: int) -> list[str]:
        data = self._data
        folders = []
        while data[at]:
            end = data.index(b"\0", at)
            folders.append(data[at:end])
            at = end + 1
        at += 1
        files: list[str] = []
        while data[at] and len(files) < MAX_FILES:
            end = data.index(b"\0", at)
            number, behind = unsigned_leb128(data, end + 1)
            _, behind = unsigned_leb128(data, behind)
            files.append(_join_path(folders[number - 1] if number else b"", data[at:end]))
            _, at = unsigned_leb128(data, behind)
        return files

    def _files_of_dwarf5(self, at: int) -> list[str]:
        folders, at = self._read_entry_table(at)
        files, _ = self._read_entry_table(at)
        return [_join_path(folders[number][0], name) for name, number in files]

    def _read_entry_table(self, at: int) -> tuple[list[tuple[bytes, int]], int]:
        data = self._data
        count = data[at]
        at += 1
        forms = []
        for _ in range(count):
            kind, at = unsigned_leb128(data, at)
            form, at = unsigned_leb128(data, at)
            forms.append((kind, form))
        number, at = unsigned_leb128(data, at)
        if number > MAX_FILES:
            raise GdbNeeded("many files")
        rows = []
        for _ in range(number):
            name, folder = b"", 0
            for kind, form in forms:
                text, value, at = self._read_form(form, at)
                if kind == _PATH:
                    name = text
                elif kind == _DIRECTORY_INDEX:
                    folder = value
            rows.append((name, folder))
        return rows, at

    def _read_form(self, form: int, at: int) -> tuple[bytes, int, int]:
        data = self._data
        if form in (_LINE_STRP, _STRP):
            place = int.from_bytes(data[at : at + 4], "little")
            name = ".debug_line_str" if form == _LINE_STRP else ".debug_str"
            return self._sections.read_string(name, place), 0, at + 4
        if form == _STRING:
            end = data.index(b"\0", at)
            return data[at:end], 0, end + 1
        if form == _UDATA:
            value, at = unsigned_leb128(data, at)
            return b"", value, at
        size = {_DATA1: 1, _DATA2: 2, _DATA16: 16}.get(form)
        if size is None:
            raise GdbNeeded("names of files of another form")
        return b"", int.from_bytes(data[at : at + size], "little"), at + size


def _check_addresses_ascend(addresses: list[int]) -> None:
    if addresses != sorted(addresses):
        raise GdbNeeded("lines that are not in order")


def _join_path(folder: bytes, name: bytes) -> str:
    path = name if name.startswith(b"/") or not folder else folder + b"/" + name
    return path.decode("utf-8", "strict")


def _file_number(row: int) -> int:
    return row >> _FILE & _MASK
