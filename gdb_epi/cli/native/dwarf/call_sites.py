# SPDX-License-Identifier: Apache-2.0
"""The calls of one function: whom they call, and which of them are jumps (tail calls).

As GDB reads them (dwarf2/read.c, read_call_site_scope): a target that is an expression over
registers is known to nobody afterwards.
"""

from __future__ import annotations

from collections.abc import Callable

from gdb_epi.cli.native.dwarf.debug_info_entries import (
    ABSTRACT_ORIGIN,
    BLOCKS,
    CALL_SITE,
    DECLARATION,
    GNU_CALL_SITE,
    LOW_PC,
    SPECIFICATION,
    DebugInfoEntry,
    DebugInfoUnits,
)
from gdb_epi.target.gdb_like_unwinder import GdbNeeded
from gdb_epi.typing_lite import NamedTuple

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
    is_complete = any(unit.number(function, flag) for flag in _ALL_TAIL_CALLS)
    if function.has_children:
        for at, abbreviation in unit.flat(function.children):
            if abbreviation.lacks_line:
                raise GdbNeeded("an inlined call without a line")
            if abbreviation.tag not in (CALL_SITE, GNU_CALL_SITE):
                continue
            entry = unit.there(at)
            pc = unit.number(entry, _RETURN_PC)
            pc = unit.number(entry, LOW_PC) if pc is None else pc
            if pc is None:
                continue
            if pc in sites:
                raise GdbNeeded("two calls that return to one place")
            sites[pc] = site = _site(units, name_of, entry, pc)
            if is_complete and any(unit.number(entry, flag) for flag in _TAIL_CALL):
                jumps.append(site)
    return FunctionCalls(sites, tuple(jumps))


def _site(units: DebugInfoUnits, name_of: NameOf, entry: DebugInfoEntry, pc: int) -> CallSite:
    unit = entry.unit
    for attribute in (_TARGET, _GNU_TARGET):
        form, _ = entry.values.get(attribute, (0, 0))
        if form in BLOCKS:
            return CallSite(pc, None, ())
        if form:
            raise GdbNeeded("a call's target of another form")
    origin = unit.reference(entry, _ORIGIN)
    origin = unit.reference(entry, ABSTRACT_ORIGIN) if origin is None else origin
    if origin is None:
        return CallSite(pc, None, ())
    target = units.entry(origin)
    if target.unit.number(target, DECLARATION) and SPECIFICATION not in target.values:
        return CallSite(pc, name_of(target), ())
    parts = target.unit.ranges(target)
    return CallSite(pc, None, tuple(low for low, high in parts if low < high))
