# SPDX-License-Identifier: Apache-2.0
"""Arguments that a function keeps in a register until it ends: the caller has them still.

A function that copies an argument into a register of its caller's before any branch, and writes
that register nowhere else, holds the argument there at each of its calls. What it calls saves the
register; the caller made the argument from registers that were saved too. So the same value lies
in two slots of the stack, and both are known by the unwind tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gdb_epi.corruption.context import Context, once_per_run
from gdb_epi.corruption.replay.preceding_code import find_called_function, find_preceding_path
from gdb_epi.corruption.replay.register_origins import RecomputedRegister, recompute_registers
from gdb_epi.fault.constant_arguments import ARGUMENTS
from gdb_epi.fault.instructions import InstructionAtAddress, call_before
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.target.cfi import SAVED, UnwoundFrame
from gdb_epi.target.function_bounds import Function
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH, Instruction, decode
from gdb_epi.x86.instruction import JUMP, NEXT, RETURN, TRAP
from gdb_epi.x86.register_changes import ADDRESS, CONSTANT, COPY, changed_registers, value_source

MAX_FUNCTION = 8 << 10  # bytes that are decoded; the eval loop has more
MAX_IN_DOUBT = 3  # frames that a default run looks at
MAX_DECODED = 4 << 10  # bytes of functions in a default run: 1.5 milliseconds a KiB
LEAVE = 0xC9


class PassedArgument(NamedTuple):
    """A register of a frame (its number, 0 the innermost) and what its caller made it from."""

    frame: int
    register: str
    held: int
    expected: int
    kind: str  # COPY, ADDRESS or CONSTANT
    call: int  # address of the caller's call instruction


_Pair = tuple[int, tuple[UnwoundFrame, UnwoundFrame]]  # a frame's number, it and its caller


class _Kept(NamedTuple):
    argument: str
    register: str
    behind: int  # bytes from the function's start from which on it holds


def passed_arguments(context: Context, frames: list[UnwoundFrame]) -> Iterator[PassedArgument]:
    """Yield the registers that are known twice.

    By default of those few frames that have a register which leads nowhere, or is one bit from
    one of the caller's.
    """
    pairs = list(enumerate(pairwise(frames)))
    if not context.sweep:
        pairs = _in_doubt(context, pairs)
    for number, (inner, outer) in pairs:
        yield from _link(context, number, inner, outer)


def _in_doubt(context: Context, pairs: list[_Pair]) -> list[_Pair]:
    """Return the most doubtful frames, as far as the limits allow."""
    doubts = {number: _doubt(context, *pair) for number, pair in pairs}
    chosen = sorted((pair for pair in pairs if doubts[pair[0]]), key=lambda pair: -doubts[pair[0]])
    left = MAX_DECODED
    affordable = []
    for pair in chosen[:MAX_IN_DOUBT]:
        function = _function(context, pair[0], pair[1][0])
        size = 0 if function is None else function.end - function.start
        if 0 < size <= left:
            left -= size
            affordable.append(pair)
    return affordable


def _function(context: Context, number: int, frame: UnwoundFrame) -> Function | None:
    return context.functions.at(frame.pc - 1 if number else frame.pc)


def _doubt(context: Context, inner: UnwoundFrame, outer: UnwoundFrame) -> int:
    """Return how doubtful the registers of a frame are: 0 to 2."""
    theirs = [outer.registers.get(name, 0) for name in SAVED]
    level = 0
    for name in SAVED:
        word = inner.registers.get(name, 0)
        near = [other for other in theirs if (word ^ other).bit_count() == 1]
        there = is_mapped(context, word)
        if (word >> 32 and not there) or any(is_mapped(context, other) != there for other in near):
            return 2
        if near and there:
            level = 1
    return level


def is_mapped(context: Context, word: int) -> bool:
    """Tell whether something is mapped at an address."""
    return word >= NEAR_NULL and context.target.region_at(word) is not None


def _link(
    context: Context, number: int, inner: UnwoundFrame, outer: UnwoundFrame
) -> Iterator[PassedArgument]:
    function = _function(context, number, inner)
    caller_call = call_before(context.target, outer.pc)
    if function is None or caller_call is None:
        return
    call = outer.pc - caller_call.length
    # An indirect call, or one of another function, may have come here by a jump, with changed
    # arguments.
    if (
        find_called_function(context.target, InstructionAtAddress(call, caller_call))
        != function.start
    ):
        return
    kept = {
        kept_argument.argument: kept_argument.register
        for kept_argument in _kept(context, function)
        if function.start + kept_argument.behind <= inner.pc
        and inner.slots.get(kept_argument.register, 0)
        >= inner.registers["rsp"]  # not given back yet
        and kept_argument.register in inner.registers
    }
    if not kept:
        return
    registers = {**outer.registers, **{a: inner.registers[r] for a, r in kept.items()}}
    path = find_preceding_path(context, call, registers)
    for remade in recompute_registers(context.target, path, registers) if path is not None else ():
        if remade.register in kept and _is_sure(remade):
            yield PassedArgument(
                number, kept[remade.register], remade.held, remade.expected, remade.kind, call
            )


def _is_sure(remade: RecomputedRegister) -> bool:
    """Tell whether nothing but the code tells the value: memory may have been stored to since."""
    return remade.kind in (COPY, ADDRESS, CONSTANT) and remade.size == 8


@once_per_run
def _kept(context: Context, function: Function) -> tuple[_Kept, ...]:
    """Return the registers that a function writes once, with an argument, before it branches."""
    size = function.end - function.start
    code = read_up_to(context.target, function.start, min(size, MAX_FUNCTION + 1))
    if not 0 < size == len(code) <= MAX_FUNCTION:
        return ()
    writers: dict[str, list[_Kept | None]] = {name: [] for name in SAVED}
    gone: set[str] = set()  # registers that were written
    straight, pushed = True, False
    earliest = size  # that a branch leads to
    at = 0
    while at < size:
        instruction = decode(code[at : at + MAX_LENGTH])
        if instruction is None:
            return ()
        leaves = instruction.flow in (RETURN, JUMP)
        change = frozenset() if leaves else changed_registers(instruction)
        if change is None:
            return ()
        at += instruction.length
        for name in change & writers.keys():
            if pushed or not _gives_back(instruction):
                argument = _copied_argument(instruction, name) if straight else None
                usable = argument is not None and argument not in gone
                writers[name].append(_Kept(argument or "", name, at) if usable else None)
        gone |= change
        to = instruction.branches_to(at)
        if to is not None and to >= 0:  # others lead to the split-off part
            earliest = min(earliest, to)
        straight = straight and instruction.flow in (NEXT, TRAP)
        pushed = _pushes(instruction)
    once = [kept[0] for kept in writers.values() if len(kept) == 1]
    return tuple(kept for kept in once if kept is not None and kept.behind <= earliest)


def _copied_argument(instruction: Instruction, register: str) -> str | None:
    """Return the argument that an instruction copies into a register."""
    how = value_source(instruction, register)
    whole = how.kind == COPY and how.size == 8 and isinstance(how.source, str)
    return str(how.source) if whole and how.source in ARGUMENTS else None


def _gives_back(instruction: Instruction) -> bool:
    """Tell whether it is a pop or a leave: the end of the function, but not right after a push."""
    return (
        instruction.encoding == "legacy"
        and instruction.opcode_map == 0
        and (0x58 <= instruction.opcode < 0x60 or instruction.opcode == LEAVE)
    )


def _pushes(instruction: Instruction) -> bool:
    if instruction.encoding != "legacy" or instruction.opcode_map != 0:
        return False
    return 0x50 <= instruction.opcode < 0x58 or instruction.opcode in (0x68, 0x6A)
