# SPDX-License-Identifier: Apache-2.0
"""Call frame information: how to leave the frame of a function, by its entry in .eh_frame.

This covers all that compilers, assemblers and linkers emit for x86-64, including expressions and
the frames of signal handlers. Whatever else the format allows raises UnknownCfi; nothing is
guessed. Reference: DWARF 5, 2.5 (expressions), 6.4 (call frame information), 7.24 (their encoding);
LSB 5.0, "DWARF extensions" (.eh_frame); System V ABI x86-64, 3.6.2 (numbers of registers).
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, pairwise

from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import WORD, WORD_MASK, signed_word
from gdb_epi.target.api import Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.greenlet_stacks import GreenletStackStarts
from gdb_epi.target.leb128 import signed_leb128, unsigned_leb128
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

REGISTERS = ("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
             "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip")  # fmt: skip
RETURN = 16  # the column of the return address
MAX_ENTRY = 1 << 16  # bytes of one entry
MAX_STATES = 64  # remembered
MAX_OPERATIONS = 256  # of one expression
PCREL_SDATA4 = 0x1B  # the only encoding of code addresses on x86-64
POINTER_SIZES = {0x0: 8, 0x2: 2, 0x3: 4, 0x4: 8, 0xA: 2, 0xB: 4, 0xC: 8}
# What follows the opcode: u: LEB128; b: a block; a digit: that many bytes.
OPERANDS = {
    0x00: "", 0x02: "1", 0x03: "2", 0x04: "4", 0x05: "uu", 0x06: "u", 0x07: "u", 0x08: "u",
    0x09: "uu", 0x0A: "", 0x0B: "", 0x0C: "uu", 0x0D: "u", 0x0E: "u", 0x0F: "b", 0x10: "ub",
    0x16: "ub", 0x2E: "u",
}  # fmt: skip
ADVANCE, OFFSET, RESTORE = 0x40, 0x80, 0xC0  # opcodes with an operand in their low bits


class UnknownCfi(Exception):
    """Something that compilers do not emit for x86-64."""


class SavedRegister(NamedTuple):
    """Where a register of the caller is: in memory at CFA + `offset`."""

    offset: int


class CfiExpression(NamedTuple):
    """An expression: the value itself, or the address at which it lies."""

    program: bytes
    is_address: bool


class CfaBase(NamedTuple):
    """A CFA that is a register and an offset."""

    register: int
    offset: int


class CfiRule(NamedTuple):
    """How to leave a frame. Registers not named here still have the caller's values.

    A register whose rule is None has no value in the caller; a frame without a return address is
    the outermost of its thread. `start` is where the function begins.
    """

    start: int
    is_signal: bool
    cfa: CfaBase | CfiExpression
    registers: Mapping[int, SavedRegister | CfiExpression | None]


class _Cie(NamedTuple):
    """A CIE: what several entries have in common."""

    align: int
    augmented: bool
    is_signal: bool
    program: bytes


class CfiRules:
    """The rules of one process; each is found once."""

    def __init__(self, target: Target, functions: FunctionBounds) -> None:
        self._target = target
        self._functions = functions

    @memoized
    def rule(self, pc: int) -> CfiRule | None:
        """Return the rule at an instruction; None without an entry. Raises UnknownCfi."""
        try:
            return self._read_rule(pc)
        except (UnreadableMemory, IndexError, KeyError, struct.error) as error:
            raise UnknownCfi(str(error)) from None

    def _read_rule(self, pc: int) -> CfiRule | None:
        entry, function = self._functions.fde_address(pc), self._functions.function_at(pc)
        if entry is None or function is None:
            return None
        length, back = struct.unpack("<II", self._target.read(entry, 8))
        if length > MAX_ENTRY:
            raise UnknownCfi("a long entry")
        common = self._read_cie(entry + 4 - back)
        entry_bytes = self._target.read(entry + 4, length)
        at = 12  # after the CIE pointer, the start and the size
        if common.augmented:
            size, at = unsigned_leb128(entry_bytes, at)
            at += size
        table = _CfiProgram(common.align)
        table.run(common.program, 0)
        table.initial = dict(table.registers)
        table.run(entry_bytes[at:], pc - function.start)
        if table.cfa is None:
            raise UnknownCfi("no CFA")
        return CfiRule(function.start, common.is_signal, table.cfa, table.registers)

    @memoized
    def _read_cie(self, address: int) -> _Cie:
        (length,) = struct.unpack("<I", self._target.read(address, 4))
        if length > MAX_ENTRY:
            raise UnknownCfi("a long entry")
        return _parse_cie(self._target.read(address + 4, length))


def _parse_cie(entry: bytes) -> _Cie:
    end = entry.find(b"\0", 5)
    if entry[:4] != bytes(4) or entry[4] != 1 or end < 0:
        raise UnknownCfi("no entry's head")
    augmentation = entry[5:end].decode("ascii", "replace")
    code_align, at = unsigned_leb128(entry, end + 1)
    align, at = signed_leb128(entry, at)
    column = entry[at]
    at += 1
    encoding, is_signal = PCREL_SDATA4, False
    if augmentation.startswith("z"):
        size, at = unsigned_leb128(entry, at)
        place = at
        at += size
        for letter in augmentation[1:]:
            if letter == "R":
                encoding = entry[place]
            elif letter == "P":
                place += POINTER_SIZES[entry[place] & 0xF]
            elif letter == "S":
                is_signal = True
                continue
            elif letter != "L":
                raise UnknownCfi(f"augmentation {augmentation!r}")
            place += 1
    elif augmentation:
        raise UnknownCfi(f"augmentation {augmentation!r}")
    if (code_align, column, encoding) != (1, RETURN, PCREL_SDATA4):
        raise UnknownCfi("an unusual encoding")
    return _Cie(align, augmentation.startswith("z"), is_signal, entry[at:])


_Registers = dict[int, "SavedRegister | CfiExpression | None"]


class _CfiProgram:
    """Runs the instructions of an entry up to one address in its function."""

    def __init__(self, align: int) -> None:
        self._align = align
        self.cfa: CfaBase | CfiExpression | None = None
        self.registers: _Registers = {}
        self.initial: _Registers = {}
        self._states: list[tuple[CfaBase | CfiExpression | None, _Registers]] = []

    def run(self, instructions: bytes, until: int) -> None:
        """Run the instructions that apply `until` bytes after the start of the function."""
        at = place = 0
        while at < len(instructions):
            byte = instructions[at]
            at += 1
            opcode, low = byte & 0xC0, byte & 0x3F
            if opcode == ADVANCE:
                place += low
            elif opcode == OFFSET:
                offset, at = unsigned_leb128(instructions, at)
                self.registers[low] = SavedRegister(offset * self._align)
            elif opcode == RESTORE:
                self._restore_initial_rule(low)
            elif byte in (0x0F, 0x10, 0x16):
                at = self._read_expression_rule(byte, instructions, at)
            else:
                values, at = read_cfi_operands(instructions, at, OPERANDS[byte])
                if 0x02 <= byte <= 0x04:
                    place += values[0]
                else:
                    self._apply_instruction(byte, values)
            if place > until:
                return

    def _read_expression_rule(self, opcode: int, instructions: bytes, at: int) -> int:
        register = 0
        if opcode != 0x0F:
            register, at = unsigned_leb128(instructions, at)
        size, at = unsigned_leb128(instructions, at)
        program = instructions[at : at + size]
        if opcode == 0x0F:
            self.cfa = CfiExpression(program, is_address=False)
        else:
            self.registers[register] = CfiExpression(program, is_address=opcode == 0x10)
        return at + size

    def _apply_instruction(self, opcode: int, values: list[int]) -> None:
        if opcode == 0x05:
            self.registers[values[0]] = SavedRegister(values[1] * self._align)
        elif opcode == 0x06:
            self._restore_initial_rule(values[0])
        elif opcode == 0x07:
            self.registers[values[0]] = None
        elif opcode == 0x08:
            self.registers.pop(values[0], None)
        elif opcode == 0x09:
            raise UnknownCfi("a register that is in another one")
        elif opcode == 0x0A:
            if len(self._states) >= MAX_STATES:
                raise UnknownCfi("too many states")
            self._states.append((self.cfa, dict(self.registers)))
        elif opcode == 0x0B:
            self.cfa, self.registers = self._states.pop()
        elif opcode == 0x0C:
            self.cfa = CfaBase(values[0], values[1])
        elif opcode in (0x0D, 0x0E):
            if not isinstance(self.cfa, CfaBase):
                raise UnknownCfi("no CFA to change")
            register, offset = self.cfa
            self.cfa = (
                CfaBase(values[0], offset) if opcode == 0x0D else CfaBase(register, values[0])
            )

    def _restore_initial_rule(self, register: int) -> None:
        """Give a register the rule that it had at the start of the function."""
        self.registers.pop(register, None)
        if register in self.initial:
            self.registers[register] = self.initial[register]


_BINARY: Mapping[int, Callable[[int, int], int]] = {
    0x1A: operator.and_, 0x1C: operator.sub, 0x21: operator.or_, 0x22: operator.add,
    0x24: lambda a, b: a << b if b < 64 else 0, 0x25: lambda a, b: a >> b, 0x27: operator.xor,
    0x29: operator.eq, 0x2A: lambda a, b: signed_word(a) >= signed_word(b),
    0x2B: lambda a, b: signed_word(a) > signed_word(b),
    0x2C: lambda a, b: signed_word(a) <= signed_word(b),
    0x2D: lambda a, b: signed_word(a) < signed_word(b), 0x2E: operator.ne,
}  # fmt: skip


def evaluate_expression(
    program: bytes, registers: Mapping[str, int], word: Callable[[int], int], *first: int
) -> int:
    """Return what an expression computes, with `first` on its stack at the start.

    Raises UnknownCfi, and KeyError for a register that has no value.
    """
    stack = list(first)
    at = 0
    try:
        for _ in range(MAX_OPERATIONS):
            if at == len(program):
                return stack[-1]
            code = program[at]
            at += 1
            if 0x30 <= code <= 0x4F:
                stack.append(code - 0x30)
            elif 0x70 <= code <= 0x80:
                offset, at = signed_leb128(program, at)
                stack.append(registers[REGISTERS[code - 0x70]] + offset & WORD_MASK)
            elif code == 0x06:
                stack.append(word(stack.pop()))
            elif code in (0x08, 0x0A):
                size = 1 if code == 0x08 else 2
                stack.append(int.from_bytes(program[at : at + size], "little"))
                at += size
            elif code in (0x10, 0x23):
                value, at = unsigned_leb128(program, at)
                stack.append((stack.pop() if code == 0x23 else 0) + value & WORD_MASK)
            elif code == 0x12:
                stack.append(stack[-1])
            else:
                second = stack.pop()
                stack.append(int(_BINARY[code](stack.pop(), second)) & WORD_MASK)
    except IndexError:
        raise UnknownCfi("a damaged expression") from None
    except KeyError as error:
        if error.args and isinstance(error.args[0], str):
            raise
        raise UnknownCfi("an operation of an expression") from None
    raise UnknownCfi("a long expression")


def read_cfi_operands(instructions: bytes, at: int, kinds: str) -> tuple[list[int], int]:
    """Return the operands of an instruction, and where the next one begins."""
    values = []
    for kind in kinds:
        if kind == "u":
            value, at = unsigned_leb128(instructions, at)
        elif kind == "b":
            value, at = unsigned_leb128(instructions, at)
            at += value
        else:
            value, at = int.from_bytes(instructions[at : at + int(kind)], "little"), at + int(kind)
        values.append(value)
    return values, at


# The native stack by the unwind tables: where each function keeps the registers of its caller.
#
# Call frame information of .eh_frame, as compilers write it for x86-64; what else the format
# allows
# ends the walk. Nothing is guessed: a function without an entry ends it too.


SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")  # what a called function must give back
MAX_FRAMES = 256


class UnwindRule(NamedTuple):
    """How to leave a frame: its CFA is `base` + `offset`; registers are saved at CFA + ...

    The CFA (canonical frame address) is rsp before the call that made the frame.
    """

    base: str
    offset: int
    saved: Mapping[str, int]


class UnwoundFrame(NamedTuple):
    """One frame: registers as its code had them at `pc`, as far as they are known.

    `pc` is where it goes on: after a call but in the innermost frame. `slots`: the addresses at
    which it saved those of its caller.
    """

    pc: int
    registers: Mapping[str, int]
    cfa: int
    slots: Mapping[str, int]


class Unwinder:
    """Rules of one process; each is found once."""

    def __init__(self, target: Target, functions: FunctionBounds) -> None:
        self._target = target
        self._functions = functions
        self._switches = GreenletStackStarts(target)
        self._entries = CfiRules(target, functions)

    def walk(self, registers: Mapping[str, int]) -> Iterator[UnwoundFrame]:
        """Yield the frames of a thread, innermost first, as far as the tables and memory go."""
        current = {n: registers[n] for n in (*SAVED, "rsp", "rip") if n in registers}
        greenlets = self._switches.begin_stack_walk() if self._switches else None
        for number in range(MAX_FRAMES):
            pc = current.get("rip", 0)
            rule = self.rule(pc - 1 if number else pc)  # a call may be a function's last
            if rule is None or rule.base not in current:
                return
            cfa = current[rule.base] + rule.offset
            slots = {name: cfa + offset for name, offset in rule.saved.items()}
            yield UnwoundFrame(pc, current, cfa, slots)
            if greenlets and greenlets.greenlet_begins_in_frame(pc, current.get("rsp", 0), cfa):
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

    @memoized
    def rule(self, pc: int) -> UnwindRule | None:
        """Return the rule at an instruction; None without an entry, and for signal frames."""
        try:
            return self._read_unwind_rule(pc)
        except (UnknownCfi, IndexError):
            return None

    def _read_unwind_rule(self, pc: int) -> UnwindRule | None:
        rule = self._entries.rule(pc)
        if rule is None or rule.is_signal or not isinstance(rule.cfa, CfaBase):
            return None
        saved = {
            REGISTERS[number]: place.offset
            for number, place in rule.registers.items()
            if number < len(REGISTERS) and isinstance(place, SavedRegister)
        }
        if "rip" not in saved:
            return None
        return UnwindRule(REGISTERS[rule.cfa.register], rule.cfa.offset, saved)


def find_caller_of(
    target: Target, function: int, registers: Mapping[str, int], limit: int
) -> UnwoundFrame | None:
    """Return the frame that called the function which begins at an address.

    `limit`: frames of the stack that are looked at, from the innermost on. None where the function
    is not on it, or the stack cannot be followed that far.
    """
    bounds = FunctionBounds(target)
    called = bounds.function_at(function)
    if called is None:
        return None
    frames = islice(Unwinder(target, bounds).walk(registers), limit)
    return next(
        (outer for inner, outer in pairwise(frames) if called.start < inner.pc <= called.end), None
    )
