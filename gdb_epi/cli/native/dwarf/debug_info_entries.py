# SPDX-License-Identifier: Apache-2.0
"""The units of .debug_info and their entries, for DWARF 4 and 5 in the 32-bit format.

Only what is asked for is read: entries whose children do not matter are skipped.
Reference: DWARF 5, chapter 7; the numbers are those of its tables 7.3, 7.5 and 7.6.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from gdb_epi.cli.native.dwarf.debug_sections import DebugSections
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.gdb_like_unwinder import GdbNeeded
from gdb_epi.target.leb128 import signed_leb128, unsigned_leb128
from gdb_epi.typing_lite import NamedTuple

INFO, ABBREV, ARANGES = ".debug_info", ".debug_abbrev", ".debug_aranges"
MAX_UNIT = 1 << 26  # bytes
MAX_UNITS = 1 << 17
MAX_ABBREVIATIONS = 1 << 16  # of one unit
MAX_ABBREV_BYTES = 1 << 20
MAX_ATTRIBUTES = 100  # of one entry
MAX_ENTRIES = 1 << 19  # visited in one walk
MAX_RANGES = 1 << 14  # of one entry
MAX_PARTS = 1 << 18  # ranges of all entries of a list
MAX_ARANGES = 1 << 24  # bytes

COMPILE_UNIT, SUBPROGRAM, INLINED, LEXICAL = 0x11, 0x2E, 0x1D, 0x0B
CALL_SITE, GNU_CALL_SITE = 0x48, 0x4109
SIBLING, NAME, STMT_LIST, LOW_PC, HIGH_PC, LANGUAGE = 0x01, 0x03, 0x10, 0x11, 0x12, 0x13
ABSTRACT_ORIGIN, DECLARATION, SPECIFICATION, ENTRY_PC, RANGES = 0x31, 0x3C, 0x47, 0x52, 0x55
CALL_FILE, CALL_LINE, LINKAGE_NAME = 0x58, 0x59, 0x6E
RNGLISTS_BASE, MIPS_LINKAGE_NAME = 0x74, 0x2007
_LINE = {CALL_FILE, CALL_LINE}

_ADDR, _STRING, _STRP, _LINE_STRP = 0x01, 0x08, 0x0E, 0x1F
_SEC_OFFSET, _IMPLICIT, _RNGLISTX = 0x17, 0x21, 0x23
_REFERENCES = (0x11, 0x12, 0x13, 0x14, 0x15)  # within the unit
_REF_ADDR = 0x10
BLOCKS = (0x03, 0x04, 0x09, 0x0A, 0x18)
_CONSTANTS = (0x05, 0x06, 0x07, 0x0B, 0x0C, 0x0D, 0x0F, 0x17, 0x19, _IMPLICIT)
# The sizes of the forms that have a fixed one.
_SIZES = {
    0x01: 8, 0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x0C: 1, 0x0E: 4, 0x10: 4, 0x11: 1, 0x12: 2,
    0x13: 4, 0x14: 8, 0x17: 4, 0x19: 0, 0x1E: 16, 0x1F: 4, 0x20: 8, 0x21: 0, 0x25: 1, 0x26: 2,
    0x27: 3, 0x28: 4, 0x29: 1, 0x2A: 2, 0x2B: 3, 0x2C: 4,
}  # fmt: skip
_LEB = (0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23)
_SDATA = 0x0D
_COUNTS = {0x0A: 1, 0x03: 2, 0x04: 4}  # of blocks: size of their length
_RLE_END, _RLE_BASEX, _RLE_STARTX_ENDX, _RLE_STARTX_LENGTH = 0, 1, 2, 3
_RLE_OFFSETS, _RLE_BASE, _RLE_START_END, _RLE_START_LENGTH = 4, 5, 6, 7

Value = tuple[int, "int | bytes"]  # a form, and what lies there


class Abbreviation(NamedTuple):
    """What the entries with one abbreviation code look like.

    `size` is that of all attributes, -1 where it varies; `sibling` is how far after the code the
    reference to the next sibling lies, -1 where that varies or there is none. `step` is how far the
    next sibling lies where nothing needs to be read for it, else -1. `lacks_line`: they are inlined
    calls that do not say from where.
    """

    tag: int
    has_children: bool
    attributes: tuple[tuple[int, int, int, int], ...]  # attribute, form, size or -1, constant
    size: int
    sibling: int
    step: int
    may_have_code: bool
    lacks_line: bool


class DebugInfoEntry(NamedTuple):
    """One entry with its attributes; `children` is where they begin."""

    unit: DebugInfoUnit
    at: int
    tag: int
    has_children: bool
    values: dict[int, Value]
    children: int


Ranges = tuple[tuple[int, int], ...]


class DebugInfoUnit:
    """One unit; offsets in it are counted from its beginning."""

    def __init__(self, sections: DebugSections, offset: int) -> None:
        self._sections = sections
        self.offset = offset
        (length,) = struct.unpack("<I", sections.read(INFO, offset, 4))
        if length >= 0xFFFFFFF0 or not 8 <= length <= MAX_UNIT:
            raise GdbNeeded("a unit of DWARF in its 64-bit form")
        self.data = data = sections.read(INFO, offset, length + 4)
        (self.version,) = struct.unpack_from("<H", data, 4)
        if self.version == 5:
            kind, size, abbreviations = struct.unpack_from("<BBI", data, 6)
            first = 12
        elif self.version == 4:
            abbreviations, size = struct.unpack_from("<IB", data, 6)
            kind, first = 1, 11
        else:
            raise GdbNeeded("another version of DWARF")
        if kind not in (1, 3) or size != 8:
            raise GdbNeeded("a unit that is no ordinary one")
        self._abbreviations = _read_abbreviations(sections, abbreviations)
        self.root = self.required_entry(first)
        if self.root.tag != COMPILE_UNIT:
            raise GdbNeeded("a unit without its entry")
        self.low = self.read_number(self.root, LOW_PC) or 0

    # -- attributes -------------------------------------------------------------------------

    def required_entry(self, at: int) -> DebugInfoEntry:
        """Return the entry at a place. Raises GdbNeeded where a list of siblings ends."""
        entry = self.entry(at)
        if entry is None:
            raise GdbNeeded("an end in place of an entry")
        return entry

    def entry(self, at: int) -> DebugInfoEntry | None:
        """Return the entry at a place; None where a list of siblings ends."""
        data = self.data
        code, behind = unsigned_leb128(data, at)
        if not code:
            return None
        abbreviation = self._abbreviation(code)
        values: dict[int, Value] = {}
        for attribute, form, size, value in abbreviation.attributes:
            if size > 0:
                values[attribute] = form, int.from_bytes(data[behind : behind + size], "little")
                behind += size
            elif not size:
                values[attribute] = form, value
            else:
                varying, behind = self._read_value(form, behind)
                values[attribute] = form, varying
        if behind > len(data):
            raise GdbNeeded("an entry is cut off")
        return DebugInfoEntry(self, at, abbreviation.tag, abbreviation.has_children, values, behind)

    def _abbreviation(self, code: int) -> Abbreviation:
        abbreviation = self._abbreviations.get(code)
        if abbreviation is None:
            raise GdbNeeded("an entry of no known form")
        return abbreviation

    def _read_value(self, form: int, at: int) -> tuple[int | bytes, int]:
        """Return what lies there in a form whose size varies, and what follows."""
        if form in _LEB:
            return unsigned_leb128(self.data, at)
        if form == _SDATA:
            return signed_leb128(self.data, at)
        if form == _STRING:
            end = self.data.index(b"\0", at)
            return self.data[at:end], end + 1
        if form in BLOCKS:
            if form in _COUNTS:
                behind = at + _COUNTS[form]
                length = int.from_bytes(self.data[at:behind], "little")
            else:
                length, behind = unsigned_leb128(self.data, at)
            return self.data[behind : behind + length], behind + length
        raise GdbNeeded("another form of attributes")

    def read_number(self, entry: DebugInfoEntry, attribute: int) -> int | None:
        """Return a constant, an address, a flag or an offset of another section."""
        form, value = entry.values.get(attribute, (0, 0))
        if not form:
            return None
        if (form == _ADDR or form in _CONSTANTS) and isinstance(value, int):
            return value
        raise GdbNeeded("another form of a number")

    def read_text(self, entry: DebugInfoEntry, attribute: int) -> str | None:
        """Return a string."""
        form, value = entry.values.get(attribute, (0, 0))
        if not form:
            return None
        if isinstance(value, int):
            if form not in (_STRP, _LINE_STRP):
                raise GdbNeeded("another form of a string")
            name = ".debug_str" if form == _STRP else ".debug_line_str"
            value = self._sections.read_string(name, value)
        return value.decode("utf-8", "strict")

    def read_reference(self, entry: DebugInfoEntry, attribute: int) -> int | None:
        """Return the offset in .debug_info to which an attribute refers."""
        form, value = entry.values.get(attribute, (0, 0))
        if not form:
            return None
        if not isinstance(value, int) or (form != _REF_ADDR and form not in _REFERENCES):
            raise GdbNeeded("another form of a reference")
        return value if form == _REF_ADDR else self.offset + value

    # -- walks --------------------------------------------------------------------------------

    def children(self, at: int) -> Iterator[tuple[int, Abbreviation]]:
        """Yield the offset and the abbreviation of each entry in a list of siblings."""
        data = self.data
        for _ in range(MAX_ENTRIES):
            code, behind = data[at], at + 1
            if code >= 0x80:
                code, behind = unsigned_leb128(data, at)
            if not code:
                return
            abbreviation = self._abbreviation(code)
            yield at, abbreviation
            step, sibling = abbreviation.step, abbreviation.sibling
            if step >= 0:
                at = behind + step
            elif sibling >= 0:
                at = self._sibling_offset(behind, sibling)
            else:
                at = self._end_of_entry(behind, abbreviation)
        raise GdbNeeded("many entries")

    def _end_of_entry(self, behind: int, abbreviation: Abbreviation) -> int:
        """Return what follows an entry, and those in it; the entry's code ends at `behind`."""
        data = self.data
        at = self._end_of_attributes(behind, abbreviation)
        depth = int(abbreviation.has_children)
        for _ in range(MAX_ENTRIES):
            if not depth:
                return at
            code, behind = data[at], at + 1
            if code >= 0x80:
                code, behind = unsigned_leb128(data, at)
            if not code:
                depth -= 1
                at = behind
                continue
            inner = self._abbreviation(code)
            if inner.sibling >= 0:
                at = self._sibling_offset(behind, inner.sibling)
            else:
                at = self._end_of_attributes(behind, inner)
                depth += inner.has_children
        raise GdbNeeded("many entries")

    def _sibling_offset(self, behind: int, distance: int) -> int:
        at = behind + distance
        place = int.from_bytes(self.data[at : at + 4], "little")
        if place <= at:
            raise GdbNeeded("a sibling that lies before")
        return place

    def _end_of_attributes(self, at: int, abbreviation: Abbreviation) -> int:
        if abbreviation.size >= 0:
            return at + abbreviation.size
        for _, form, size, _ in abbreviation.attributes:
            if size >= 0:
                at += size
            else:
                _, at = self._read_value(form, at)
        return at

    def nested_entries(self, at: int) -> Iterator[tuple[int, Abbreviation]]:
        """Yield the entries of a list and all that are nested in them, in order."""
        data, depth = self.data, 1
        for _ in range(MAX_ENTRIES):
            code, behind = data[at], at + 1
            if code >= 0x80:
                code, behind = unsigned_leb128(data, at)
            if not code:
                depth -= 1
                if not depth:
                    return
                at = behind
                continue
            abbreviation = self._abbreviation(code)
            yield at, abbreviation
            size = abbreviation.size
            at = behind + size if size >= 0 else self._end_of_attributes(behind, abbreviation)
            depth += abbreviation.has_children
        raise GdbNeeded("many entries")

    # -- code ---------------------------------------------------------------------------------

    def functions_at(self, pc: int) -> list[int]:
        """Return the offsets of the functions that contain an address."""
        return list(dict.fromkeys(at for low, high, at in self._functions if low <= pc < high))

    @cached_property
    def _functions(self) -> list[tuple[int, int, int]]:
        functions: list[tuple[int, int, int]] = []
        for at, abbreviation in self.children(self.root.children):
            if abbreviation.tag == SUBPROGRAM and abbreviation.may_have_code:
                functions += [(*part, at) for part in self.ranges(self.required_entry(at))]
                if len(functions) > MAX_PARTS:
                    raise GdbNeeded("many functions")
        return functions

    def ranges(self, entry: DebugInfoEntry) -> Ranges:
        """Return the address ranges of an entry's code, empty ones included; none without code."""
        form, value = entry.values.get(RANGES, (0, 0))
        if form:
            if not isinstance(value, int):
                raise GdbNeeded("ranges of another form")
            if self.version == 4:
                return tuple(self._ranges_of_dwarf4(value))
            if form == _RNGLISTX:
                base = self.read_number(self.root, RNGLISTS_BASE)
                if base is None:
                    raise GdbNeeded("ranges without their base")
                place = self._sections.read(".debug_rnglists", base + 4 * value, 4)
                value = base + int.from_bytes(place, "little")
            elif form != _SEC_OFFSET:
                raise GdbNeeded("ranges of another form")
            return tuple(self._ranges_of_dwarf5(value))
        low, high = self.read_number(entry, LOW_PC), self.read_number(entry, HIGH_PC)
        if low is None or high is None:
            return ()
        if entry.values[HIGH_PC][0] != _ADDR:
            high += low
        return ((low, high),) if low <= high else ()

    def _ranges_of_dwarf4(self, at: int) -> Iterator[tuple[int, int]]:
        base = self.low
        for _ in range(MAX_RANGES):
            low, high = struct.unpack("<QQ", self._sections.read(".debug_ranges", at, 16))
            at += 16
            if low == WORD_MASK:
                base = high
            elif not low and not high:
                return
            elif low <= high:
                yield base + low, base + high
        raise GdbNeeded("many ranges")

    def _ranges_of_dwarf5(self, at: int) -> Iterator[tuple[int, int]]:
        name = ".debug_rnglists"
        base = self.low
        left = self._sections.size(name) - at
        ranges = self._sections.read(name, at, min(left, 1 << 10))
        is_all = len(ranges) == left
        place = 0
        for _ in range(MAX_RANGES):
            if place + 32 > len(ranges) and not is_all:
                at += place
                left -= place
                ranges = self._sections.read(name, at, min(left, 1 << 14))
                is_all = len(ranges) == left
                place = 0
            kind = ranges[place]
            place += 1
            if kind == _RLE_END:
                return
            if kind == _RLE_OFFSETS:
                low, place = unsigned_leb128(ranges, place)
                high, place = unsigned_leb128(ranges, place)
                low, high = base + low, base + high
            elif kind == _RLE_BASE:
                (base,) = struct.unpack_from("<Q", ranges, place)
                place += 8
                continue
            elif kind == _RLE_START_END:
                low, high = struct.unpack_from("<QQ", ranges, place)
                place += 16
            elif kind == _RLE_START_LENGTH:
                (low,) = struct.unpack_from("<Q", ranges, place)
                size, place = unsigned_leb128(ranges, place + 8)
                high = low + size
            else:
                raise GdbNeeded("ranges of another kind")
            if low <= high:
                yield low, high
        raise GdbNeeded("many ranges")


class DebugInfoUnits:
    """The units of one file."""

    def __init__(self, sections: DebugSections) -> None:
        self._sections = sections
        self._units: dict[int, DebugInfoUnit] = {}
        self._offsets: array[int] | None = None
        self._starts, self._ends, self._owners = _read_aranges(sections)

    def unit_at(self, pc: int) -> DebugInfoUnit | None:
        """Return the unit that contains an address."""
        index = bisect_right(self._starts, pc) - 1
        if index < 0 or pc >= self._ends[index]:
            return None
        if index and pc < self._ends[index - 1]:
            raise GdbNeeded("an address in two units")
        return self._unit(self._owners[index])

    def entry(self, offset: int) -> DebugInfoEntry:
        """Return the entry at an offset of .debug_info."""
        for unit in self._units.values():
            if unit.offset < offset < unit.offset + len(unit.data):
                break
        else:
            unit = self._unit(self._unit_start(offset))
        entry = unit.entry(offset - unit.offset)
        if entry is None:
            raise GdbNeeded("a reference to nothing")
        return entry

    def _unit(self, offset: int) -> DebugInfoUnit:
        if offset not in self._units:
            self._units[offset] = DebugInfoUnit(self._sections, offset)
        return self._units[offset]

    def _unit_start(self, offset: int) -> int:
        if self._offsets is None:
            self._offsets = array("Q")
            at, end = 0, self._sections.size(INFO)
            for _ in range(MAX_UNITS):
                if at >= end:
                    break
                self._offsets.append(at)
                (length,) = struct.unpack("<I", self._sections.read(INFO, at, 4))
                at += 4 + length
        index = bisect_right(self._offsets, offset) - 1
        if index < 0:
            raise GdbNeeded("a reference to no unit")
        return self._offsets[index]


def _read_aranges(sections: DebugSections) -> tuple[array[int], array[int], array[int]]:
    """Return starts, ends and units of the ranges in .debug_aranges, sorted by start."""
    size = sections.size(ARANGES)
    if not size or size > MAX_ARANGES:
        raise GdbNeeded("no table of the units' addresses")
    section = sections.read(ARANGES, 0, size)
    rows = []
    at = 0
    while at + 12 <= size:
        length, version, unit, width, segment = struct.unpack_from("<IHIBB", section, at)
        end = at + 4 + length
        if version != 2 or width != 8 or segment or not at + 16 <= end <= size:
            raise GdbNeeded("a table of addresses of another form")
        body = section[at + 16 : end]
        for start, count in struct.iter_unpack("<QQ", body[: len(body) // 16 * 16]):
            if count and start:
                rows.append((start, start + count, unit))
        at = end
    rows.sort()
    starts = array("Q", (row[0] for row in rows))
    return starts, array("Q", (row[1] for row in rows)), array("Q", (row[2] for row in rows))


def _read_abbreviations(sections: DebugSections, at: int) -> dict[int, Abbreviation]:
    left = sections.size(ABBREV) - at
    for most in (1 << 13, MAX_ABBREV_BYTES):
        try:
            return _parsed_abbreviations(sections.read(ABBREV, at, min(left, most)))
        except IndexError:
            continue
    raise GdbNeeded("many abbreviations")


def _parsed_abbreviations(section: bytes) -> dict[int, Abbreviation]:
    table: dict[int, Abbreviation] = {}
    at = 0
    for _ in range(MAX_ABBREVIATIONS):
        code, at = unsigned_leb128(section, at)
        if not code:
            return table
        tag, at = unsigned_leb128(section, at)
        has_children = section[at] != 0
        at += 1
        attributes = []
        size, sibling, has_code = 0, -1, False
        for _ in range(MAX_ATTRIBUTES):
            attribute, form = section[at], section[at + 1]
            at += 2
            if attribute >= 0x80 or form >= 0x80:  # few have a second byte
                attribute, at = unsigned_leb128(section, at - 2)
                form, at = unsigned_leb128(section, at)
            constant = 1  # of a flag that is present
            if form == _IMPLICIT:
                constant, at = signed_leb128(section, at)
            if not attribute and not form:
                break
            if attribute == SIBLING and form == 0x13 and size >= 0:
                sibling = size
            has_code |= attribute in (LOW_PC, RANGES)
            width = _SIZES.get(form, -1)
            size = -1 if size < 0 or width < 0 else size + width
            attributes.append((attribute, form, width, constant))
        else:
            raise GdbNeeded("many attributes")
        step = -1 if has_children or sibling >= 0 else size
        lacks_line = tag == INLINED and not {attribute for attribute, *_ in attributes} >= _LINE
        table[code] = Abbreviation(
            tag, has_children, tuple(attributes), size, sibling, step, has_code, lacks_line
        )
    raise GdbNeeded("many abbreviations")
