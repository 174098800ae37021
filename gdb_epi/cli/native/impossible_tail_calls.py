# SPDX-License-Identifier: Apache-2.0
"""Between which two frames GDB can show no tail calls.

A function that jumps to another one leaves no frame; GDB looks for a single chain of jumps that
leads from what the caller called to the function that runs (dwarf2/loc.c, call_site_find_chain).
There is none when the caller called that very function, and none is looked for when it called
through a pointer, whose value is gone, or has no debug information. All else GDB has to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.api import Target, try_read
from gdb_epi.target.gdb_like_unwinder import WalkedFrame
from gdb_epi.x86.decode import decode
from gdb_epi.x86.instruction import CALL, REGISTERS

_DIRECT = 0xE8
_DIRECT_SIZE = 5
_INDIRECT_SIZES = (2, 3, 4, 6, 7)
MAX_FUNCTION = 1 << 18  # bytes that are looked through
# mov REGISTER, [rip + displacement], of 64 bits
_RELATIVE_LOAD = re.compile(rb"([\x48\x4c])\x8b([\x05\x0d\x15\x1d\x25\x2d\x35\x3d])(?s:(....))")
_ENDBR64, _BND, _JUMP_THROUGH = b"\xf3\x0f\x1e\xfa", b"\xf2", b"\xff\x25"


class ImpossibleTailCalls:
    """What is known about the calls of one process."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._loads: dict[int, frozenset[int]] = {}

    def impossible(self, caller: WalkedFrame, callee: WalkedFrame) -> bool:
        """Tell whether no chain of jumps can have led from a frame's call to the next frame."""
        longest = max(_INDIRECT_SIZES)
        try:
            code = self._target.read(caller.pc - longest, longest)
            if code[-_DIRECT_SIZE] == _DIRECT:
                return callee.start in _direct_targets(
                    self._target, caller.pc, code[1 - _DIRECT_SIZE :]
                )
            for size in _INDIRECT_SIZES:
                insn = decode(code[-size:])
                if insn is None or insn.flow != CALL or insn.length != size:
                    continue
                if insn.memory is not None:
                    return not insn.memory.rip_relative
                number = (
                    REGISTERS.index(insn.target_register)
                    if insn.target_register in REGISTERS
                    else -1
                )
                return number not in self._address_registers(caller)
        except UnreadableMemory:
            pass
        return False

    def _address_registers(self, frame: WalkedFrame) -> frozenset[int]:
        """Return the registers into which a function loads the address of another one.

        So -fno-plt calls what the compiler knows by name; then GDB knows it too. -1 is there
        where the code cannot be looked through.
        """
        if frame.start is None:
            return frozenset((-1,))
        size = frame.pc - frame.start
        if not 0 < size <= MAX_FUNCTION:
            return frozenset(range(-1, len(REGISTERS)))
        loads = self._loads.get(frame.pc)
        if loads is None:
            code = self._target.read(frame.start, size)
            loads = frozenset((-1, *self._function_loads(frame.start, code)))
            self._loads[frame.pc] = loads
        return loads

    def _function_loads(self, start: int, code: bytes) -> Iterator[int]:
        for match in _RELATIVE_LOAD.finditer(code):
            slot = _relative(start + match.end(), match.group(3))
            value = int.from_bytes(try_read(self._target, slot, WORD), "little")
            region = self._target.region_at(value)
            if region is not None and "x" in region.perms:
                yield (match.group(2)[0] >> 3 & 7) | (match.group(1)[0] & 4) << 1


def _direct_targets(target: Target, caller: int, displacement: bytes) -> tuple[int, ...]:
    """Return what a call names, and where the linkage table's jump there leads."""
    named = _relative(caller, displacement)
    code = target.read(named, 16)
    at = len(_ENDBR64) if code.startswith(_ENDBR64) else 0
    at += code.startswith(_BND, at)
    if not code.startswith(_JUMP_THROUGH, at):
        return (named,)
    behind = at + len(_JUMP_THROUGH) + 4
    slot = _relative(named + behind, code[behind - 4 : behind])
    return named, int.from_bytes(target.read(slot, WORD), "little")


def _relative(behind: int, displacement: bytes) -> int:
    return behind + int.from_bytes(displacement, "little", signed=True) & WORD_MASK
