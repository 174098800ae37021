# SPDX-License-Identifier: Apache-2.0
"""R19: the frame pointer against the stack pointer, by the code of the function that uses both."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.checks.canary import GUARD_AT
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.memory import read_words
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.trails import called, moved
from gdb_epi.corruption.types import MEMORY, REGISTER, Evidence, changed_bits, word_evidence
from gdb_epi.errors import Absent
from gdb_epi.fault import read_up_to, read_word
from gdb_epi.fault.text import Step, return_address
from gdb_epi.lean import NamedTuple
from gdb_epi.target.functions import Function
from gdb_epi.x86 import MAX_LENGTH, decode

MAX_FUNCTION = 4096  # bytes that are decoded
LEAVE = 0xC9
SMASHED = "S:abort-fortify"
# A push or two that were not counted give these: then another copy must say that rbp is wrong.
NEAR_BITS = range(3, 9)
STACK_WORDS = 512  # above rsp in which the frame that called abort() is looked for
PLACES = 2
WORD = 8


class Frame(NamedTuple):
    """A function that is at `pc` with a stack pointer of `sp`."""

    pc: int
    sp: int
    held: tuple[int, ...]  # what may be its rbp: the register, or what its callees saved
    checked: bool  # it called __stack_chk_fail: so it did not find its canary


@check("R19", needs="crash", order=53)
def frame_pointer(context: Context) -> Iterator[Evidence]:
    """Compute rbp from rsp in a function that keeps a frame pointer, and compare it by bits.

    Innocent causes: an overrun of a buffer that reaches the saved frame pointer changes its lowest
    byte first: a zero there is left out, other text is not one bit off. Functions that move rsp
    between prologue and return (alloca, pushed arguments) are left out. A function that misses its
    canary counts only when the canary is whole where rbp should have led it.
    """
    frame = _frame(context)
    if frame is None:
        return
    function = context.functions.at(frame.pc - 1)
    depth = _depth(context, function, frame.pc) if function is not None else None
    if depth is None:
        return
    right = frame.sp + depth
    if right in frame.held or (frame.checked and not _canary_is_whole(context, frame.sp, right)):
        return
    near = [one for one in dict.fromkeys(frame.held) if len(changed_bits(one, right)) == 1]
    popped = frame.sp - 2 * WORD  # where a function that this one called had saved it
    saved = read_word(context.target, popped)
    for value in [saved] if saved in near else near:
        if not value & 0xFF or (changed_bits(value, right)[0] in NEAR_BITS and not frame.checked):
            continue
        known = frame.checked or saved == value
        places = (popped,) if known else context.places_of(value, PLACES)
        yield word_evidence(
            "R19",
            places[0] if places else "rbp",
            value,
            right,
            MEMORY if places else REGISTER,
            f"rbp was {value:#018x} at {frame.pc:#x}; the function there put it {depth} bytes "
            f"above rsp, which is {right:#018x}",
            rivals=1 if saved in near else len(near),
        )


def _frame(context: Context) -> Frame | None:
    """Return the function that failed, or that says that its canary was overwritten."""
    fault = context.fault
    if isinstance(fault, Absent):
        return None
    rbp = fault.registers.get("rbp")
    if fault.is_hardware_trap:
        return None if rbp is None else Frame(fault.pc, fault.sp, (rbp,), False)
    if not any(one.id == SMASHED for one in context.evidence):
        return None  # else a pointer to the function behind would look like a return address
    words = read_words(context, fault.sp & -WORD, STACK_WORDS)
    for number, word in enumerate(words):
        call = return_address(context.target, word)
        to = called(context.target, Step(word - call.length, call)) if call is not None else None
        if to is not None and to == _failing(context):
            sp = (fault.sp & -WORD) + WORD * (number + 1)
            return Frame(word, sp, (*words[:number], rbp or 0), True)
    return None


def _failing(context: Context) -> int | None:
    """Return the function that a damaged canary leads to; it is looked for once."""
    if "stack_chk_fail" not in context.kept:
        context.kept["stack_chk_fail"] = context.target.symbol("__stack_chk_fail")
    found: int | None = context.kept["stack_chk_fail"]
    return found


def _canary_is_whole(context: Context, start: int, end: int) -> bool:
    fault = context.fault
    base = 0 if isinstance(fault, Absent) else fault.registers.get("fs_base", 0)
    guard = read_words(context, base + GUARD_AT, 1)
    return bool(guard and guard[0]) and guard[0] in read_words(
        context, start, (end - start) // WORD
    )


def _depth(context: Context, function: Function, pc: int) -> int | None:
    """Return how far above rsp a function's rbp is at `pc`; None when that is not sure."""
    size = function.end - function.start
    code = read_up_to(context.target, function.start, min(size, MAX_FUNCTION))
    if len(code) < size:
        return None
    at, depth, ends = 0, 0, 0
    framed = branched = False
    while at < size:
        one = decode(code[at : at + MAX_LENGTH])
        if one is None:
            return None
        change = moved(one)
        behind = function.start + at + one.length
        if one.flow not in ("next", "trap"):
            branched = True
        elif (one.opcode, one.map, one.rm, one.reg) == (0x89, 0, "rbp", "rsp") and not branched:
            framed, depth = True, 0
        elif change is None:
            if one.opcode != LEAVE and (one.memory is None or one.memory.base != "rbp"):
                return None
        elif change < 0:
            if branched:
                return None  # rsp moves later on
            depth, ends = depth - change, behind
        if behind - one.length < pc <= behind and (change is None or change > 0):
            return None  # on the way out
        at += one.length
    return depth if framed and function.start < ends <= pc else None
