# SPDX-License-Identifier: Apache-2.0
"""Whether a program marks its pointers in a top bit: then some of its memory shows it."""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.memory import read_words
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.fault.maps import may_execute
from gdb_epi.fault.reads import read_up_to
from gdb_epi.sizes import ADDRESS_BITS, WORD
from gdb_epi.target.api import Region
from gdb_epi.x86 import MAX_LENGTH
from gdb_epi.x86.length import boundary_after

NEAR = 4096  # bytes; fields of what the wrong word names are the wrong word again
MAX_READ = 64 << 20
MAX_JUDGED = 1 << 14  # words with that bit that are looked at
PIECE = 1 << 20
LOWEST = 1 << 16
STACK_WORDS, CALLERS = 64, 2
MAX_CODE = 64 << 20
MAX_DECODED = 1 << 20  # bytes of a module's code in which instructions are looked for by decoding
MAX_MATCHES = 32


def marks(context: Context, value: int, bit: int, *, starts: bool = False) -> bool:
    """Whether memory holds, beside `value`, an address with that bit (47 to 63) set on top.

    With `starts` only addresses at which an object, a block or a function begins.

    True too where memory is too large to tell. What marks pointers keeps marked ones in memory;
    a function that gives one to its caller has none there while it runs.
    """
    key = f"marks:{bit}:{value & -NEAR}:{starts}"
    if key not in context.kept:
        context.kept[key] = _search(context, value, bit, starts)
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


def may_set(context: Context, at: int, bit: int) -> bool:
    """Whether the module that holds an instruction can set one top bit of a pointer in any way.

    As in `sets`; by a shift, rotation or bts by a register; or by writing bytes of a word at an
    offset of 6 or 7 (modulo 8). True where the code cannot be read. Marks are taken off, and mostly
    put on, by the module that knows what they mean.
    """
    key = f"may set:{bit}"
    region = context.target.region_at(at)
    if region is None:
        return True
    known: dict[int, bool] = context.kept.setdefault(key, {})
    if region.start not in known:
        known[region.start] = _holds_instruction(context, region, bit) or _writes_tops(
            context, region
        )
    return known[region.start]


def _return_addresses(context: Context, sp: int) -> list[int]:
    words = read_words(context, sp & ~7, STACK_WORDS)
    return [one for one in words if may_execute(context.target.region_at(one))]


# shl and rotations by cl; bts and btc by a register; shlx (VEX.66.0F38 F7); then bytes and words
# written to [base + disp8] or [rsp + disp8] of which the offset is 6 or 7 modulo 8.
_VARIABLE = (
    rb"[\x48\x49]\xd3[\xc0-\xcf\xe0-\xe7]|\x0f[\xab\xbb]|\xc4[\x42\x62\xc2\xe2].\xf7"
    rb"|(?:[\x80\x88\xc6\x08]|\x66[\x81\x83\x89\xc7\x09])(?:[\x40-\x43\x45-\x4b\x4d-\x53\x55-\x5b"
    rb"\x5d-\x63\x65-\x6b\x6d-\x73\x75-\x7b\x7d-\x7f]|[\x44\x4c\x54\x5c\x64\x6c\x74\x7c].)"
    rb"[\x06\x07\x0e\x0f\x16\x17\x1e\x1f\x26\x27\x2e\x2f\x36\x37\x3e\x3f\x46\x47\x4e\x4f]"
)


def _writes_tops(context: Context, region: Region) -> bool:
    """Whether an instruction of a region matches _VARIABLE; True where that takes too long."""
    import re

    try:
        size = region.end - region.start
        code = context.target.read(region.start, size) if size <= MAX_DECODED else b""
    except UnreadableMemory:
        code = b""
    if not code:
        return True
    found = [region.start + one.start() for one in re.finditer(_VARIABLE, code, re.DOTALL)]
    return len(found) > MAX_MATCHES or any(_is_instruction(context, at) for at in found)


def _is_instruction(context: Context, address: int) -> bool:
    """Whether an instruction begins at an address; True where nothing can tell."""
    function = context.functions.at(address)
    if function is None:
        return True
    place = address - function.start
    data = read_up_to(context.target, function.start, place + MAX_LENGTH)
    return boundary_after(data, place) in (place, None)


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


def _search(context: Context, value: int, bit: int, starts: bool) -> bool:
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
            if _in_piece(context, data, value, bit, left, starts):
                return True
    return False


def _in_piece(
    context: Context, data: bytes, value: int, bit: int, left: list[int], starts: bool
) -> bool:
    """Look at the words whose byte of that bit is that of marked addresses."""
    lane, mark = bit // 8, 1 << bit % 8
    at_start = context.things.at
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
            is_address = plain > LOWEST and not plain >> ADDRESS_BITS
            other = is_address and abs(word - value) >= NEAR
            if other and context.target.region_at(plain) and (not starts or at_start(plain)):
                return True
            at = column.find(needle, at + 1)
    return False
