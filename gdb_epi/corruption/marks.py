# SPDX-License-Identifier: Apache-2.0
"""Whether a program marks its pointers in a top bit: then some of its memory shows it."""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.memory import read_words
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault import may_execute
from gdb_epi.target.api import Region

WORD = 8
NEAR = 4096  # bytes; fields of what the wrong word names are the wrong word again
MAX_READ = 64 << 20
MAX_JUDGED = 1 << 14  # words with that bit that are looked at
PIECE = 1 << 20
LOWEST = 1 << 16
STACK_WORDS, CALLERS = 64, 2
MAX_CODE = 64 << 20


def marks(context: Context, value: int, bit: int) -> bool:
    """Whether memory holds, beside `value`, an address with that bit (47 to 63) set on top.

    True too where memory is too large to tell. What marks pointers keeps marked ones in memory;
    a function that gives one to its caller has none there while it runs.
    """
    key = f"marks:{bit}:{value & -NEAR}"
    if key not in context.kept:
        context.kept[key] = _search(context, value, bit)
    found: bool = context.kept[key]
    return found


def sets(context: Context, bit: int) -> bool:
    """Whether the code that failed, or the code that called it, can set that one bit.

    By a constant with no other bit, bts, btc, or a shift by its number. True where the code cannot
    be read.
    """
    fault = context.fault
    if isinstance(fault, Absent):
        return True
    key = f"sets:{bit}"
    if key not in context.kept:
        places = [fault.pc, *_return_addresses(context, fault.sp)[:CALLERS]]
        regions = {one.start: one for at in places if (one := context.target.region_at(at))}
        context.kept[key] = not regions or any(
            _holds_instruction(context, one, bit) for one in regions.values()
        )
    found: bool = context.kept[key]
    return found


def _return_addresses(context: Context, sp: int) -> list[int]:
    words = read_words(context, sp & ~7, STACK_WORDS)
    return [one for one in words if may_execute(context.target.region_at(one))]


def _holds_instruction(context: Context, region: Region, bit: int) -> bool:
    import re

    size = region.end - region.start
    try:
        code = context.target.read(region.start, size) if size <= MAX_CODE else b""
    except UnreadableMemory:
        code = b""
    number = re.escape(bytes((bit,)))
    constant = b"[\x48\x49][\xb8-\xbf]" + re.escape((1 << bit).to_bytes(8, "little"))
    set_bit = b"\x0f\xba[\xe8-\xef\xf8-\xff]" + number
    shift = b"[\x48\x49]\xc1[\xe0-\xe7]" + number
    pattern = b"|".join((constant, set_bit, shift))
    return not code or re.search(pattern, code, re.DOTALL) is not None


def _search(context: Context, value: int, bit: int) -> bool:
    regions = [one for one in context.target.regions() if "w" in one.perms and one.dumped]
    if sum(min(one.dumped, one.size) for one in regions) > MAX_READ:
        return True
    left = [MAX_JUDGED]
    for region in regions:
        size = min(region.dumped, region.size) & -WORD
        for start in range(region.start, region.start + size, PIECE):
            length = min(PIECE, region.start + size - start)
            try:
                data = context.target.read(start, length)
            except UnreadableMemory:
                continue
            if _in_piece(context, data, value, bit, left):
                return True
    return False


def _in_piece(context: Context, data: bytes, value: int, bit: int, left: list[int]) -> bool:
    """Look at the words whose byte of that bit is that of marked addresses."""
    lane, mark = bit // 8, 1 << bit % 8
    column = data[lane::WORD]
    tops = {mark} if bit >= 48 else {top | mark for top in (0, 0x55, 0x56, 0x7E, 0x7F)}
    for top in tops:
        needle = bytes((top,))
        at = column.find(needle)
        while at >= 0:
            left[0] -= 1
            if left[0] < 0:
                return True
            word = int.from_bytes(data[WORD * at : WORD * at + WORD], "little")
            plain = word ^ 1 << bit
            is_address = plain > LOWEST and not plain >> 47
            if is_address and abs(word - value) >= NEAR and context.target.region_at(plain):
                return True
            at = column.find(needle, at + 1)
    return False
