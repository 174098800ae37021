# SPDX-License-Identifier: Apache-2.0
"""The functions and lines of a place, as GDB shows them: inlined calls first, then the function.

GDB's frames of inlined calls are the blocks that hold the address (inline-frame.c); the line of a
frame that has one inside of it is that of the call (frame.c, find_frame_sal). Where GDB 13.1 and
18.1 differ, GdbNeeded is raised: 18.1 lets an inlined call end later than it is written where the
line that follows is no beginning of a statement, and 13.1 keeps 16 bits of a call's line.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import cached_property

from gdb_epi.cli.native.dwarf.debug_info_entries import (
    ABSTRACT_ORIGIN,
    BLOCKS,
    CALL_FILE,
    CALL_LINE,
    CALL_SITE,
    DECLARATION,
    GNU_CALL_SITE,
    INLINED,
    LANGUAGE,
    LEXICAL,
    LINKAGE_NAME,
    LOW_PC,
    MAX_PARTS,
    MIPS_LINKAGE_NAME,
    NAME,
    SPECIFICATION,
    STMT_LIST,
    SUBPROGRAM,
    DebugInfoEntry,
    DebugInfoUnit,
    DebugInfoUnits,
)
from gdb_epi.cli.native.dwarf.debug_sections import DebugSections
from gdb_epi.cli.native.dwarf.line_tables import LineTable
from gdb_epi.cli.native.frame_name_cache import FrameName
from gdb_epi.cli.native.minimal_symbols import MinimalSymbols
from gdb_epi.target.elf_files import ElfFile
from gdb_epi.target.gdb_like_unwinder import GdbNeeded
from gdb_epi.typing_lite import NamedTuple

# The calls of one function: whom they call, and which of them are jumps (tail calls).
#
# As GDB reads them (dwarf2/read.c, read_call_site_scope): a target that is an expression over
# registers is known to nobody afterwards.


_RETURN_PC, _ORIGIN, _TARGET, _GNU_TARGET = 0x7D, 0x7F, 0x83, 0x2113
_TAIL_CALL = (0x82, 0x2115)
_ALL_TAIL_CALLS = (0x7A, 0x7C, 0x2116, 0x2117)  # the function says that its list is complete


NameOf = Callable[[DebugInfoEntry], str]


class CallSite(NamedTuple):
    """One call: where it returns to, and whom it calls: by name, or at addresses; else nobody."""

    pc: int
    name: str | None
    addresses: tuple[int, ...]


class FunctionCalls(NamedTuple):
    """The calls of a function, by where they return to, and those that are jumps."""

    sites: dict[int, CallSite]
    jumps: tuple[CallSite, ...]


def find_entry_pc(function: DebugInfoEntry) -> int:
    """Return the address at which a function is called. Raises GdbNeeded."""
    parts = [low for low, high in function.unit.ranges(function) if low < high]
    if not parts:
        raise GdbNeeded("a function without code")
    return parts[0]


def read_function_calls(
    units: DebugInfoUnits, name_of: NameOf, function: DebugInfoEntry
) -> FunctionCalls:
    """Return the calls of a function. Raises GdbNeeded, and what reading damaged data raises."""
    unit = function.unit
    sites: dict[int, CallSite] = {}
    jumps = []
    is_complete = any(unit.read_number(function, flag) for flag in _ALL_TAIL_CALLS)
    if function.has_children:
        for at, abbreviation in unit.nested_entries(function.children):
            if abbreviation.lacks_line:
                raise GdbNeeded("an inlined call without a line")
            if abbreviation.tag not in (CALL_SITE, GNU_CALL_SITE):
                continue
            entry = unit.required_entry(at)
            pc = unit.read_number(entry, _RETURN_PC)
            pc = unit.read_number(entry, LOW_PC) if pc is None else pc
            if pc is None:
                continue
            if pc in sites:
                raise GdbNeeded("two calls that return to one place")
            sites[pc] = site = _read_call_site(units, name_of, entry, pc)
            if is_complete and any(unit.read_number(entry, flag) for flag in _TAIL_CALL):
                jumps.append(site)
    return FunctionCalls(sites, tuple(jumps))


def _read_call_site(
    units: DebugInfoUnits, name_of: NameOf, entry: DebugInfoEntry, pc: int
) -> CallSite:
    unit = entry.unit
    for attribute in (_TARGET, _GNU_TARGET):
        form, _ = entry.values.get(attribute, (0, 0))
        if form in BLOCKS:
            return CallSite(pc, None, ())
        if form:
            raise GdbNeeded("a call's target of another form")
    origin = unit.read_reference(entry, _ORIGIN)
    origin = unit.read_reference(entry, ABSTRACT_ORIGIN) if origin is None else origin
    if origin is None:
        return CallSite(pc, None, ())
    target = units.entry(origin)
    if target.unit.read_number(target, DECLARATION) and SPECIFICATION not in target.values:
        return CallSite(pc, name_of(target), ())
    parts = target.unit.ranges(target)
    return CallSite(pc, None, tuple(low for low, high in parts if low < high))


MAX_LINE = 1 << 16
_CYTHON = "__pyx_"
MAX_DEPTH = 200  # blocks in one another
MAX_ORIGINS = 20
# C in its versions, and assembly: there a function's name is its symbol.
LANGUAGES = (0x01, 0x02, 0x0C, 0x1D, 0x2C, 0x3E, 0x31, 0x8001)
DAMAGED = (struct.error, IndexError, StopIteration, ValueError, OverflowError)


class _BlockPart(NamedTuple):
    """One part of a block: addresses, its entry's place and tag, an inlined call's line."""

    low: int
    high: int
    at: int
    tag: int
    line: int | None


class DebugNames:
    """The debug information of one file; `file` is the one that holds it."""

    def __init__(self, file: ElfFile) -> None:
        self.file = file
        self.build_id = file.build_id
        self._calls: dict[int, FunctionCalls] = {}  # by the function's place
        self._sections = DebugSections(file)
        try:
            self.units = DebugInfoUnits(self._sections)
        except DAMAGED:
            raise GdbNeeded("damaged debug information") from None
        self._lines: dict[int, LineTable] = {}
        self._inner: dict[int, list[_BlockPart]] = {}  # by the block that they are in

    def frame_names(self, pc: int, kind: str) -> list[FrameName]:
        """Return the names at a place of the code, innermost first. Raises GdbNeeded."""
        try:
            return self._names_at_address(pc, kind)
        except DAMAGED:
            raise GdbNeeded("damaged debug information") from None

    def function_at_place(self, place: int) -> DebugInfoEntry | None:
        """Return the function that holds a place; None where GDB knows none. Raises GdbNeeded."""
        try:
            return self._find_function(place)
        except DAMAGED:
            raise GdbNeeded("damaged debug information") from None

    def _find_function(self, place: int) -> DebugInfoEntry | None:
        unit = self.units.unit_at(place)
        if unit is None:
            return None
        if unit.read_number(unit.root, LANGUAGE) not in LANGUAGES:
            raise GdbNeeded("another language")
        entries = [unit.entry(at) for at in unit.functions_at(place)]
        functions = [entry for entry in entries if entry is not None]
        if len({unit.ranges(function) for function in functions}) > 1:
            raise GdbNeeded("a place in two functions")
        return functions[-1] if functions else None  # assembly has several names of one function

    def _names_at_address(self, pc: int, kind: str) -> list[FrameName]:
        """Return the names of the inlined calls that hold an address, then of their function.

        The line of a frame is that of the address or, where an inlined call is inside of it, of
        that call. A place without a function is named by its symbol. Damage is not caught here.
        """
        unit = self.units.unit_at(pc)
        function = self.function_at_place(pc)
        if unit is None or function is None:
            symbol = self._symbols.name_at_address(pc)
            lines = None if unit is None else self._line_table(unit)
            if lines is None or not lines.has_row_at(pc):
                return [FrameName(symbol, None, None, kind)]
            filename, line, *_ = lines.line_of_address(pc)
            return [FrameName(symbol, filename, line, kind)]
        lines = self._line_table(unit)
        is_alone = len(unit.functions_at(pc)) == 1
        filename, line, since, next_row_line = lines.line_of_address(pc, is_alone=is_alone)
        calls, ends = self._inlined_calls(function, pc)
        if next_row_line is not None:
            for block in ends:
                if since <= block.high <= pc and self._may_be_inlined_at_line(
                    unit, block, next_row_line
                ):
                    raise GdbNeeded("an inlined call that may end later")
        named = []
        for call in reversed(calls):
            named.append(FrameName(self.linkage_name_of_function(call), filename, line, "inline"))
            number, called = unit.read_number(call, CALL_FILE), unit.read_number(call, CALL_LINE)
            if number is None or not called or called >= MAX_LINE:
                raise GdbNeeded("an inlined call without a line")
            filename, line = lines.file_name(number), called
        named.append(FrameName(self.linkage_name_of_function(function), filename, line, kind))
        if any((name.function or "").startswith(_CYTHON) for name in named):
            raise GdbNeeded("a function of Cython, whose place is in yet another file")
        return named

    @cached_property
    def _symbols(self) -> MinimalSymbols:
        return MinimalSymbols(self.file)

    def calls_of_function(self, function: DebugInfoEntry) -> FunctionCalls:
        """Return the calls of a function. Raises GdbNeeded."""
        place = function.unit.offset + function.at
        if place not in self._calls:
            try:
                self._calls[place] = read_function_calls(
                    self.units, self.linkage_name_of_function, function
                )
            except DAMAGED:
                raise GdbNeeded("damaged debug information") from None
        return self._calls[place]

    def _inlined_calls(
        self, function: DebugInfoEntry, place: int
    ) -> tuple[list[DebugInfoEntry], list[_BlockPart]]:
        """Return the inlined calls that hold a place, and where others of the function end."""
        calls: list[DebugInfoEntry] = []
        ends: list[_BlockPart] = []
        outer = function
        for _ in range(MAX_DEPTH):
            inner = []
            for block in self._parts_of_blocks(outer):
                if block.low <= place < block.high:
                    inner.append(block.at)
                elif place == block.high and self._has_empty_part_at(outer.unit, block, place):
                    raise GdbNeeded("an empty inlined call")
                if not calls and block.low < block.high:
                    ends.append(block)
            if not inner:
                return calls, ends
            entry = outer.unit.entry(inner[0])
            if len(inner) > 1 or entry is None or entry.tag == SUBPROGRAM:
                raise GdbNeeded("a place in two blocks")
            if _block_start_for_gdb(entry) < _block_start_for_gdb(outer):
                raise GdbNeeded("a block that begins before the one that it is in")
            outer = entry
            if outer.tag == INLINED:
                calls.append(outer)
        raise GdbNeeded("many blocks in one another")

    def _parts_of_blocks(self, outer: DebugInfoEntry) -> list[_BlockPart]:
        """Return the parts of the blocks in a block."""
        unit = outer.unit
        place = unit.offset + outer.at
        if place in self._inner:
            return self._inner[place]
        blocks: list[_BlockPart] = []
        for at, abbreviation in unit.children(outer.children) if outer.has_children else ():
            if abbreviation.tag not in (INLINED, LEXICAL, SUBPROGRAM):
                continue
            child = unit.required_entry(at)
            line = unit.read_number(child, CALL_LINE)
            blocks += [
                _BlockPart(low, high, at, child.tag, line) for low, high in unit.ranges(child)
            ]
            if len(blocks) > MAX_PARTS:
                raise GdbNeeded("many blocks")
        self._inner[place] = blocks
        return blocks

    def _has_empty_part_at(self, unit: DebugInfoUnit, block: _BlockPart, place: int) -> bool:
        """Tell whether a block is or holds an inlined call with an empty part at a place."""
        return any(
            low == high == place
            for inner in self._inlined_in(unit, block)
            for low, high in unit.ranges(inner)
        )

    def _may_be_inlined_at_line(self, unit: DebugInfoUnit, block: _BlockPart, line: int) -> bool:
        """Whether a block is or holds an inlined call from a line, which may then end later."""
        if block.tag == INLINED:
            return block.line == line
        return any(unit.read_number(i, CALL_LINE) == line for i in self._inlined_in(unit, block))

    def _inlined_in(self, unit: DebugInfoUnit, block: _BlockPart) -> Iterator[DebugInfoEntry]:
        outer = unit.required_entry(block.at)
        if outer.tag == INLINED:
            yield outer
        if outer.has_children:
            for at, abbreviation in unit.nested_entries(outer.children):
                if abbreviation.tag == INLINED:
                    yield unit.required_entry(at)

    def linkage_name_of_function(self, entry: DebugInfoEntry) -> str:
        """Return the linkage name of a function. Raises GdbNeeded without one."""
        name: str | None = None
        for _ in range(MAX_ORIGINS):
            unit = entry.unit
            for attribute in (LINKAGE_NAME, MIPS_LINKAGE_NAME):
                linkage = unit.read_text(entry, attribute)
                if linkage:
                    return linkage
            name = name or unit.read_text(entry, NAME)
            origin = unit.read_reference(entry, ABSTRACT_ORIGIN)
            origin = unit.read_reference(entry, SPECIFICATION) if origin is None else origin
            if origin is None:
                break
            entry = self.units.entry(origin)
        if not name:
            raise GdbNeeded("a function without a name")
        return name

    def _line_table(self, unit: DebugInfoUnit) -> LineTable:
        offset = unit.read_number(unit.root, STMT_LIST)
        if offset is None:
            raise GdbNeeded("a unit without lines")
        if offset not in self._lines:
            self._lines[offset] = LineTable(self._sections, offset)
        return self._lines[offset]


def _block_start_for_gdb(block: DebugInfoEntry) -> int:
    """Return where a block begins for GDB 18.1, which gives empty parts of inlined calls a byte."""
    parts = block.unit.ranges(block)
    return min(low for low, high in parts if low < high or block.tag == INLINED)
