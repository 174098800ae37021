# SPDX-License-Identifier: Apache-2.0
"""Where the instructions of a function begin, and which of its branches lead where: exactly.

Decoding from a function's first byte on is in step from the beginning; the unwind tables say where
that is. Branches through registers or tables are not known, nor those of parts split off.
"""

from __future__ import annotations

from bisect import bisect_left

from gdb_epi.corruption.context import Context
from gdb_epi.fault import read_up_to
from gdb_epi.lean import NamedTuple
from gdb_epi.target.functions import Function
from gdb_epi.x86 import MAX_LENGTH, decode
from gdb_epi.x86.length import length_at

MAX_FUNCTION = 16 << 10  # bytes; the eval loop has more. 1.5 milliseconds a KiB
# Prefixes that branches have, and REX.B before jmp *%r8 to *%r15.
_BEFORE = frozenset((0x2E, 0x3E, 0xF2, 0xF3, 0x66, 0x41))
_FLOW = frozenset((0xC2, 0xC3, 0xCA, 0xCB, 0xCC, 0xCF, 0xE9, 0xEB, 0xF4, 0xFF))


class CodeMap(NamedTuple):
    """`starts`: addresses of the instructions, ascending; `sources`: of branches, by target.

    `ends`: instructions behind which control does not go on.
    """

    function: Function
    starts: list[int]
    sources: dict[int, list[int]]
    ends: frozenset[int]

    def begins(self, address: int) -> bool:
        """Whether an instruction begins at an address."""
        at = bisect_left(self.starts, address)
        return at < len(self.starts) and self.starts[at] == address

    def before(self, address: int) -> list[int]:
        """Return the instructions from which control may have come to the one at an address."""
        at = bisect_left(self.starts, address)
        above = [one for one in self.starts[max(0, at - 1) : at] if one not in self.ends]
        return above + [one for one in self.sources.get(address, ()) if one not in above]


def code_map(context: Context, address: int) -> CodeMap | None:
    """Return the map of the function at an address, cached.

    None when the unwind tables have none, for a very long one, or where bytes are no instruction.
    """
    function = context.functions.at(address)
    if function is None:
        return None
    known: dict[int, CodeMap | None] = context.kept.setdefault("code maps", {})
    if function.start not in known:
        known[function.start] = _map(context, function)
    return known[function.start]


def _map(context: Context, function: Function) -> CodeMap | None:
    size = function.end - function.start
    if not 0 < size <= MAX_FUNCTION:
        return None
    data = read_up_to(context.target, function.start, size)
    starts: list[int] = []
    sources: dict[int, list[int]] = {}
    ends: set[int] = set()
    at = 0
    while at < size:
        length = length_at(data, at)
        if not length:
            return None
        starts.append(function.start + at)
        one = decode(data[at : at + MAX_LENGTH]) if _may_branch(data, at) else None
        if one is not None and one.flow in ("jump", "return", "trap"):
            ends.add(function.start + at)
        if one is not None and one.target is not None and one.flow in ("jump", "branch"):
            to = function.start + at + length + one.target
            sources.setdefault(to, []).append(function.start + at)
        at += length
    return CodeMap(function, starts, sources, frozenset(ends))


def _may_branch(data: bytes, at: int) -> bool:
    """Whether an instruction may be a branch, jump, return or trap, by its first bytes."""
    while data[at] in _BEFORE and at + 1 < len(data):
        at += 1
    byte = data[at]
    if byte == 0x0F:
        return at + 1 < len(data) and (0x80 <= data[at + 1] < 0x90 or data[at + 1] in (0x0B, 0xB9))
    return 0x70 <= byte < 0x80 or 0xE0 <= byte < 0xE4 or byte in _FLOW
