# SPDX-License-Identifier: Apache-2.0
"""The native stack by the unwind tables: where each function keeps the registers of its caller.

Call frame information of .eh_frame, as compilers write it for x86-64; what else the format allows
ends the walk. Nothing is guessed: a function without an entry ends it too.
Reference: DWARF 5, 6.4 (call frame information); LSB 5.0, "DWARF extensions" (.eh_frame);
System V ABI x86-64, 3.6.2 (numbers of registers).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target
from gdb_epi.target.functions import FunctionBounds
from gdb_epi.target.stack_switch import StackSwitches
from gdb_epi.typing_lite import NamedTuple

SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")  # what a called function must give back
MAX_FRAMES = 256
MAX_ENTRY = 1 << 16  # bytes of one entry
MAX_STATES = 64  # remembered
_NAMES = ("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
          "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip")  # fmt: skip
_RETURN = 16  # the column of the return address
_PCREL_SDATA4 = 0x1B  # the only encoding of code addresses on x86-64
_POINTER_SIZES = {0x0: 8, 0x2: 2, 0x3: 4, 0x4: 8, 0xA: 2, 0xB: 4, 0xC: 8}
# What follows the opcode: u, s: LEB128; b: a block; a digit: so many bytes.
_OPERANDS = {
    0x00: "", 0x02: "1", 0x03: "2", 0x04: "4", 0x05: "uu", 0x06: "u", 0x07: "u", 0x08: "u",
    0x09: "uu", 0x0A: "", 0x0B: "", 0x0C: "uu", 0x0D: "u", 0x0E: "u", 0x0F: "b", 0x10: "ub",
    0x16: "ub", 0x2E: "u",
}  # fmt: skip
_ADVANCE, _OFFSET, _RESTORE = 0x40, 0x80, 0xC0  # opcodes with an operand in their low bits


class UnwindRule(NamedTuple):
    """How to leave a frame: its CFA is `base` + `offset`; registers are saved at CFA + ...

    The CFA (canonical frame address) is rsp before the call that made the frame.
    """

    base: str
    offset: int
    saved: Mapping[str, int]


class UnwoundFrame(NamedTuple):
    """One frame: registers as its code had them at `pc`, as far as they are known.

    `pc` is where it goes on: behind a call but in the innermost frame. `slots`: the addresses at
    which it saved those of its caller.
    """

    pc: int
    registers: Mapping[str, int]
    cfa: int
    slots: Mapping[str, int]


class _Unknown(Exception):
    """What compilers do not write for x86-64."""


class _Common(NamedTuple):
    """A CIE: what entries have in common."""

    align: int
    augmented: bool
    program: bytes


class Unwinder:
    """Rules of one process; each is found once."""

    def __init__(self, target: Target, functions: FunctionBounds) -> None:
        self._target = target
        self._functions = functions
        self._switches = StackSwitches(target)
        self._commons: dict[int, _Common] = {}
        self._rules: dict[int, UnwindRule | None] = {}

    def walk(self, registers: Mapping[str, int]) -> Iterator[UnwoundFrame]:
        """Yield the frames of a thread, innermost first, as far as the tables and memory go."""
        current = {n: registers[n] for n in (*SAVED, "rsp", "rip") if n in registers}
        greenlets = self._switches.walk() if self._switches else None
        for number in range(MAX_FRAMES):
            pc = current.get("rip", 0)
            rule = self.rule(pc - 1 if number else pc)  # a call may be a function's last
            if rule is None or rule.base not in current:
                return
            cfa = current[rule.base] + rule.offset
            slots = {name: cfa + offset for name, offset in rule.saved.items()}
            yield UnwoundFrame(pc, current, cfa, slots)
            if greenlets and greenlets.begins_in(pc, current.get("rsp", 0), cfa):
                return
            if "rip" not in slots or cfa <= current.get("rsp", 0) or cfa % WORD:
                return
            try:
                words = {
                    name: int.from_bytes(self._target.read(place, WORD), "little")
                    for name, place in slots.items()
                }
            except UnreadableMemory:
                return
            current = {**current, **words, "rsp": cfa}

    def rule(self, pc: int) -> UnwindRule | None:
        """Return the rule at an instruction; None without an entry, and for signal frames."""
        if pc not in self._rules:
            try:
                self._rules[pc] = self._read(pc)
            except (UnreadableMemory, _Unknown, IndexError, KeyError, struct.error):
                self._rules[pc] = None
        return self._rules[pc]

    def _read(self, pc: int) -> UnwindRule | None:
        entry, function = self._functions.entry(pc), self._functions.at(pc)
        if entry is None or function is None:
            return None
        length, back = struct.unpack("<II", self._target.read(entry, 8))
        if length > MAX_ENTRY:
            raise _Unknown
        common = self._common(entry + 4 - back)
        data = self._target.read(entry + 4, length)
        at = 12  # behind the CIE's place, the start and the size
        if common.augmented:
            size, at = _uleb(data, at)
            at += size
        program = _Program(common.align)
        program.run(common.program, 0)
        program.initial = dict(program.saved)
        program.run(data[at:], pc - function.start)
        return program.rule()

    def _common(self, address: int) -> _Common:
        if address not in self._commons:
            (length,) = struct.unpack("<I", self._target.read(address, 4))
            if length > MAX_ENTRY:
                raise _Unknown
            self._commons[address] = _common_of(self._target.read(address + 4, length))
        return self._commons[address]


def _common_of(data: bytes) -> _Common:
    end = data.find(b"\0", 5)
    if data[:4] != bytes(4) or data[4] != 1 or end < 0:
        raise _Unknown
    augmentation = data[5:end].decode("ascii", "replace")
    code_align, at = _uleb(data, end + 1)
    align, at = _sleb(data, at)
    column = data[at]
    at += 1
    encoding = _PCREL_SDATA4
    if augmentation.startswith("z"):
        size, at = _uleb(data, at)
        encoding = _encoding(augmentation[1:], data[at : at + size])
        at += size
    elif augmentation:
        raise _Unknown
    if (code_align, column, encoding) != (1, _RETURN, _PCREL_SDATA4):
        raise _Unknown
    return _Common(align, augmentation.startswith("z"), data[at:])


def _encoding(letters: str, data: bytes) -> int:
    """Return how code addresses are encoded. Raises _Unknown, also for a signal frame ("S")."""
    at, encoding = 0, _PCREL_SDATA4
    for letter in letters:
        if letter == "R":
            encoding = data[at]
        elif letter == "P":
            at += _POINTER_SIZES[data[at] & 0xF]
        elif letter != "L":
            raise _Unknown
        at += 1
    return encoding


class _Program:
    """Runs the instructions of an entry up to one place in its function."""

    def __init__(self, align: int) -> None:
        self._align = align
        self._cfa: tuple[int, int] | None = None
        self.saved: dict[int, int] = {}
        self.initial: dict[int, int] = {}
        self._states: list[tuple[tuple[int, int] | None, dict[int, int]]] = []

    def rule(self) -> UnwindRule | None:
        """Return the rule; None when the CFA is computed by an expression."""
        if self._cfa is None or _RETURN not in self.saved:
            return None
        saved = {_NAMES[n]: offset for n, offset in self.saved.items() if n < len(_NAMES)}
        return UnwindRule(_NAMES[self._cfa[0]], self._cfa[1], saved)

    def run(self, data: bytes, until: int) -> None:
        """Run what is in effect `until` bytes behind the function's start."""
        at = place = 0
        while at < len(data):
            byte = data[at]
            at += 1
            opcode, low = byte & 0xC0, byte & 0x3F
            if opcode == _ADVANCE:
                place += low
            elif opcode == _OFFSET:
                offset, at = _uleb(data, at)
                self.saved[low] = offset * self._align
            elif opcode == _RESTORE:
                self._same(low, restore=True)
            else:
                operands, at = _operands(data, at, _OPERANDS[byte])
                if 0x02 <= byte <= 0x04:
                    place += operands[0]
                else:
                    self._apply(byte, operands)
            if place > until:
                return

    def _apply(self, opcode: int, operands: list[int]) -> None:
        if opcode == 0x05:
            self.saved[operands[0]] = operands[1] * self._align
        elif opcode in (0x06, 0x07, 0x08, 0x09, 0x10, 0x16):
            self._same(operands[0], restore=opcode == 0x06)
        elif opcode == 0x0A:
            if len(self._states) >= MAX_STATES:
                raise _Unknown
            self._states.append((self._cfa, dict(self.saved)))
        elif opcode == 0x0B:
            self._cfa, self.saved = self._states.pop()
        elif opcode == 0x0C:
            self._cfa = operands[0], operands[1]
        elif opcode == 0x0F:
            self._cfa = None
        elif opcode in (0x0D, 0x0E):
            if self._cfa is None:
                raise _Unknown
            base, offset = self._cfa
            self._cfa = (operands[0], offset) if opcode == 0x0D else (base, operands[0])

    def _same(self, register: int, *, restore: bool) -> None:
        """Say that a register is not saved, or as at the function's start."""
        self.saved.pop(register, None)
        if restore and register in self.initial:
            self.saved[register] = self.initial[register]


def _operands(data: bytes, at: int, kinds: str) -> tuple[list[int], int]:
    values = []
    for kind in kinds:
        if kind == "u":
            value, at = _uleb(data, at)
        elif kind == "b":
            value, at = _uleb(data, at)
            at += value
        else:
            value, at = int.from_bytes(data[at : at + int(kind)], "little"), at + int(kind)
        values.append(value)
    return values, at


def _uleb(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise _Unknown


def _sleb(data: bytes, at: int) -> tuple[int, int]:
    start = at
    value, at = _uleb(data, at)
    bits = 7 * (at - start)
    return (value - (1 << bits) if value >> bits - 1 else value), at
