# SPDX-License-Identifier: Apache-2.0
"""Where each instruction of a function begins, and where each of its branches leads.

Decoding from a function's first byte on is in step from the beginning; the unwind tables say where
that is. A place where a table of jumps leads, or a part that the compiler split off, is led to from
ELSEWHERE.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.fault.instructions import instructions_before
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.sizes import WORD
from gdb_epi.target.function_bounds import Function
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, decode
from gdb_epi.x86.decode import instruction_length
from gdb_epi.x86.instruction import JUMP, RETURN, TRAP

MAX_FUNCTION = 16 << 10  # bytes; the eval loop has more. 1.5 milliseconds a KiB
# Prefixes that branches have, and REX.B before jmp *%r8 to *%r15.
_BEFORE = frozenset((0x2E, 0x3E, 0xF2, 0xF3, 0x66, 0x41))
_FLOW = frozenset((0xC2, 0xC3, 0xCA, 0xCB, 0xCC, 0xCF, 0xE9, 0xEB, 0xF4, 0xFF))


MAX_SHAPES = 64  # functions whose instructions are kept
MAX_NAMED = 96  # functions of which is kept what they name
MAX_KEPT_TABLES = 512
MAX_LONG = 1 << 18  # bytes of a function searched for branches
BEFORE, BEHIND = 512, 512  # bytes of a very long function around an address
# jmp and jcc with a 32-bit distance: the bytes of the instruction before that.
_FAR = rb"\xe9|\x0f[\x80-\x8f]"
ELSEWHERE = 0  # in the place of a branch's address
_INDIRECT = rb"\xff[\x20-\x27\x60-\x67\xa0-\xa7\xe0-\xe7]"  # jmp through memory or a register
# lea with a distance from rip; and what names memory by a number and an index times 8 alone.
_LEA = rb"[\x48\x4c]\x8d[\x05\x0d\x15\x1d\x25\x2d\x35\x3d]"
_INDEXED = rb"[\x04\x0c\x14\x1c\x24\x2c\x34\x3c][\xc5\xcd\xd5\xdd\xe5\xed\xf5\xfd]"
MAX_TABLES, MAX_ENTRIES = 64, 512  # of a function; of a table
MAX_PARTS = 16  # functions that one may have been split into


class CodeMap(NamedTuple):
    """`starts`: addresses of the instructions, ascending; `sources`: of branches, by target.

    `ends`: instructions after which control does not go on. Of a very long function a part. A
    source may be ELSEWHERE.
    """

    function: Function
    starts: list[int]
    sources: dict[int, list[int]]
    ends: frozenset[int]

    def begins_instruction(self, address: int) -> bool:
        """Tell whether an instruction begins at an address."""
        at = bisect_left(self.starts, address)
        return at < len(self.starts) and self.starts[at] == address

    def predecessors(self, address: int) -> list[int]:
        """Return the instructions from which control may have come to the one at an address."""
        at = bisect_left(self.starts, address)
        above = [start for start in self.starts[max(0, at - 1) : at] if start not in self.ends]
        return above + [source for source in self.sources.get(address, ()) if source not in above]


def begins_function(context: Context, address: int) -> bool:
    """Tell whether a function begins at an address, by the unwind tables."""
    function = context.functions.function_at(address)
    return function is not None and function.start == address


def build_code_map(context: Context, address: int) -> CodeMap | None:
    """Return the map of the function at an address, cached.

    None when the unwind tables have none, for a very long one, or where bytes are no instruction.
    """
    function = context.functions.function_at(address)
    return None if function is None else _map_of_function(context, function)


def code_map_around(context: Context, address: int) -> CodeMap | None:
    """Return the map of the function at an address, or of a very long one's code around it.

    There decoding falls into step before the part begins, and branches from the rest into it are
    looked for by their bytes.
    """
    function = context.functions.function_at(address)
    if function is None or function.end - function.start <= MAX_FUNCTION:
        return build_code_map(context, address)
    return _code_map_of_part_around(context, function, address)


@once_per_run
def _code_map_of_part_around(context: Context, function: Function, address: int) -> CodeMap | None:
    start, end = max(function.start, address - BEFORE), min(function.end, address + BEHIND)
    if start > function.start:  # in step from there on
        near = range(start, start + MAX_LENGTH)
        start = next((at for at in near if instructions_before(context.target, at)), end)
    part = _decode_range(context, function, start, end)
    if part is None or not part.begins_instruction(address):
        return None
    for source, to in _far_branches(context, function):
        outside = not start <= source < end
        if (
            outside
            and part.begins_instruction(to)
            and instructions_before(context.target, source) is not None
        ):
            part.sources.setdefault(to, []).append(source)
    return _add_entries_from_elsewhere(context, part)


def _far_branches(context: Context, function: Function) -> Iterator[tuple[int, int]]:
    """Yield (address, target) of what looks like a branch by 32 bits in a function."""
    import re

    code = read_up_to(context.target, function.start, min(function.end - function.start, MAX_LONG))
    for match in re.finditer(_FAR, code):
        to = match.end() + 4 + _i32_at(code, match.end())
        yield function.start + match.start(), function.start + to


@once_per_run
def _map_of_function(context: Context, function: Function) -> CodeMap | None:
    if not 0 < function.end - function.start <= MAX_FUNCTION:
        return None
    code = _decode_range(context, function, function.start, function.end)
    return None if code is None else _add_entries_from_elsewhere(context, code)


def _add_entries_from_elsewhere(context: Context, code: CodeMap) -> CodeMap:
    for to in entries_from_elsewhere(context, code.function):
        if code.begins_instruction(to):
            code.sources.setdefault(to, []).append(ELSEWHERE)
    return code


class _PlacesNamedByCode(NamedTuple):
    """What code names, from its start on: where branches lead that leave it, and tables.

    `fixed` are tables by their addresses. Nothing is a table for code without an indirect jump.
    """

    left_for: tuple[int, ...]
    tables: frozenset[int]
    fixed: frozenset[int]


@lru_cache(maxsize=MAX_NAMED)
def _places_named_by(code: bytes) -> _PlacesNamedByCode:
    """Return what code names. Many processes run the code of the same libraries."""
    import re

    far = ((at := match.end()) + 4 + _i32_at(code, at) for match in re.finditer(_FAR, code))
    left_for = tuple(to for to in far if not 0 <= to < len(code))
    if re.search(_INDIRECT, code) is None:
        return _PlacesNamedByCode(left_for, frozenset(), frozenset())
    displacements = [match.end() for match in re.finditer(_LEA, code)]
    fixed = [_i32_at(code, match.end()) for match in re.finditer(_INDEXED, code)]
    tables = frozenset(at + 4 + _i32_at(code, at) for at in displacements)
    return _PlacesNamedByCode(left_for, tables, frozenset(fixed))


def _i32_at(code: bytes, at: int) -> int:
    return int.from_bytes(code[at : at + 4], "little", signed=True)


def _read_named_places(context: Context, function: Function) -> _PlacesNamedByCode:
    size = min(function.end - function.start, MAX_LONG)
    return _places_named_by(read_up_to(context.target, function.start, size))


@once_per_run
def entries_from_elsewhere(context: Context, function: Function) -> list[int]:
    """Return where parts that were split off from a function, and tables of jumps, lead into it.

    Some may be none: what looks like a branch or a table is taken for one.
    """
    named = _read_named_places(context, function)
    branches_to: dict[Function, int] = {}  # the parts that are named most are looked at
    for to in [function.start + to for to in named.left_for]:
        part = None if function.start <= to < function.end else context.functions.function_at(to)
        if part is not None:
            branches_to[part] = branches_to.get(part, 0) + 1
    parts = sorted(branches_to, key=lambda part: (-branches_to[part], part))[:MAX_PARTS]
    ways = {part.start + to for part in parts for to in _read_named_places(context, part).left_for}
    ways.update(_jump_table_targets(context, function, named))
    return sorted(to for to in ways if function.start <= to < function.end)


def _jump_table_targets(
    context: Context, function: Function, named: _PlacesNamedByCode
) -> Iterator[int]:
    """Yield where tables lead that a function names, if it has a jump that could go by one.

    Compilers name the table by its distance from rip and fill it with 32-bit distances from
    itself, or with addresses; in code that cannot be moved its address stands in the instruction.
    """
    target = context.target
    tables = named.fixed.union(function.start + at for at in named.tables)
    constant = [at for at in tables if permits(target.region_at(at), "r")]
    constant = [at for at in constant if not permits(target.region_at(at), "w")]
    start, end = function.start, function.end
    low_bytes = (start ^ end).bit_length() + 7 >> 3
    shared_high_bytes = start.to_bytes(WORD, "little")[low_bytes:]
    for table in sorted(constant)[:MAX_TABLES]:
        words = read_up_to(target, table, 8 * MAX_ENTRIES)
        near = _table_distances_in_range(words[: 4 * MAX_ENTRIES], start - table, end - table)
        yield from [table + distance for distance in near]
        if shared_high_bytes in words:
            addresses = struct.unpack_from(f"<{len(words) // 8}Q", words)
            yield from [to for to in addresses if start <= to < end]


@lru_cache(maxsize=MAX_KEPT_TABLES)
def _table_distances_in_range(words: bytes, low: int, high: int) -> tuple[int, ...]:
    """Return the 32-bit distances of a table that are in a range."""
    distances = struct.unpack_from(f"<{len(words) // 4}i", words)
    return tuple(distance for distance in distances if low <= distance < high)


def _decode_range(context: Context, function: Function, low: int, high: int) -> CodeMap | None:
    """Return the map of a range that begins with an instruction; None for unknown bytes."""
    code = read_up_to(context.target, low, high - low + MAX_LENGTH)
    shape = _instructions_and_branches(code, high - low)
    if shape is None:
        return None
    starts, branches, ends = shape
    sources: dict[int, list[int]] = {}
    for at, to in branches:
        sources.setdefault(low + to, []).append(low + at)
    ends_at = frozenset(low + at for at in ends)
    return CodeMap(function, [low + at for at in starts], sources, ends_at)


@lru_cache(maxsize=MAX_SHAPES)
def _instructions_and_branches(
    code: bytes, size: int
) -> tuple[array[int], list[tuple[int, int]], tuple[int, ...]] | None:
    """Return where the instructions of a range begin, its branches, and where control ends.

    All count from its start. Many processes run the code of the same libraries.
    """
    starts, branches, ends = array("i"), [], []
    at = 0
    while at < size:
        length = instruction_length(code, at)
        if not length:
            return None
        starts.append(at)
        instruction = decode(code[at : at + MAX_LENGTH]) if _may_branch(code, at) else None
        if instruction is not None:
            if instruction.flow in (JUMP, RETURN, TRAP):
                ends.append(at)
            to = instruction.jump_target_address(at + length)
            if to is not None:
                branches.append((at, to))
        at += length
    return starts, branches, tuple(ends)


def _may_branch(code: bytes, at: int) -> bool:
    """Tell whether an instruction may be a branch, jump, return or trap, by its first bytes."""
    while code[at] in _BEFORE and at + 1 < len(code):
        at += 1
    byte = code[at]
    if byte == 0x0F:
        return at + 1 < len(code) and (0x80 <= code[at + 1] < 0x90 or code[at + 1] in (0x0B, 0xB9))
    return 0x70 <= byte < 0x80 or 0xE0 <= byte < 0xE4 or byte in _FLOW
