# SPDX-License-Identifier: Apache-2.0
"""What made the registers of a fault: the straight-line code before it, run backwards.

A register that a load, lea or mov made a few instructions ago can be made again when the inputs
are still there. Only code that no branch leads into counts: behind a loop's head a register may
differ from what the code above it says by a power of two, and nothing is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.errors import NOT_AVAILABLE, Absent, UnreadableMemory
from gdb_epi.fault import read_word
from gdb_epi.fault.site import CALL, Site, call_before
from gdb_epi.fault.text import Step, before
from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import Target
from gdb_epi.x86 import MASK, MAX_LENGTH, Instruction, Operand, decode
from gdb_epi.x86.flow import ADDRESS, CONSTANT, COPY, LOAD, Produced, changed, produced

WINDOW = 96  # bytes of code before the fault
SHORT = 130  # bytes that a short branch reaches
MAX_FUNCTION = 1 << 18  # bytes of a function searched for branches
MAX_STEPS = 48


class Remade(NamedTuple):
    """One register: what it holds and what the instruction at `at` gives when it is run again.

    `slot` is the address of the memory that it was loaded from, None when it was computed.
    """

    register: str
    held: int
    expected: int
    at: int
    kind: str  # LOAD, COPY, ADDRESS or CONSTANT
    slot: int | None
    size: int  # bytes of the register that the instruction makes


def remade(context: Context) -> list[Remade] | Absent:
    """Return what can be made again, the last made first. Absent when there is no code to run."""
    site = context.site
    if isinstance(site, Absent):
        return site
    place = _place(context, site)
    if isinstance(place, Absent):
        return place
    pc, registers = place
    steps = before(context.target, pc, WINDOW)
    if steps is None:
        return Absent(NOT_AVAILABLE, "the code before the fault cannot be read or decoded")
    block = _block(context, steps, pc)
    return list(_run_back(context.target, block, registers))


def _place(context: Context, site: Site) -> tuple[int, dict[str, int]] | Absent:
    """Return where the block ends, and the registers there: behind a call that of its caller."""
    registers = dict(site.fault.registers)
    if not site.arrived:
        if site.instruction is None:
            return Absent(NOT_AVAILABLE, site.why)
        return site.fault.pc, registers
    top = read_word(context.target, site.fault.sp)
    made = call_before(context.target, top) if site.kind == CALL and top else None
    if made is None or top is None:
        return Absent(NOT_AVAILABLE, "nothing says which instruction led here")
    registers["rsp"] = (site.fault.sp + 8) & MASK
    return top - made.length, registers


def _block(context: Context, steps: list[Step], pc: int) -> list[Step]:
    """Return the last steps that no branch leads into the middle of."""
    steps = steps[-MAX_STEPS:]
    joins = branch_targets(context, steps[0].address, pc) if steps else set()
    found: list[Step] = []
    if pc in joins:
        return found
    for step in reversed(steps):
        if step.instruction.flow not in ("next", "branch"):
            break
        found.append(step)
        if step.address in joins:
            break
    return found


def branch_targets(context: Context, low: int, high: int) -> set[int]:
    """Return the addresses in [low, high] that direct branches of the function lead to."""
    found = set(_short_targets(context.target, low, high))
    function = context.functions.at(high)
    start, end = (function.start, function.end) if function else (low - 4096, high + 4096)
    if end - start > MAX_FUNCTION:
        start, end = high - MAX_FUNCTION // 2, high + MAX_FUNCTION // 2
    try:
        data = context.target.read(start, end - start)
    except UnreadableMemory:
        return found
    for shift in range(4):
        count = (len(data) - shift) // 4
        words = array("i", data[shift : shift + 4 * count])
        least, most = low - start - shift - 4, high - start - shift - 4
        at = 0
        for word in words:
            if least <= word + at <= most and _is_near(data, shift + at):
                found.add(start + shift + at + 4 + word)
            at += 4
    return found


def _is_near(data: bytes, at: int) -> bool:
    if at >= 1 and data[at - 1] == 0xE9:
        return True
    return at >= 2 and data[at - 2] == 0x0F and 0x80 <= data[at - 1] < 0x90


def _short_targets(target: Target, low: int, high: int) -> Iterator[int]:
    for step in _around(target, low - SHORT, high + SHORT):
        one = step.instruction
        if one.target is not None and one.flow in ("jump", "branch"):
            to = step.address + one.length + one.target
            if low <= to <= high:
                yield to


def _around(target: Target, start: int, end: int) -> Iterator[Step]:
    """Yield the instructions of a range, in step with the code at its end."""
    try:
        data = target.read(start, end - start + MAX_LENGTH)
    except UnreadableMemory:
        return
    at = 0
    while at < end - start:
        one = decode(data[at : at + MAX_LENGTH])
        if one is None:
            at += 1
            continue
        yield Step(start + at, one)
        at += one.length


def _run_back(target: Target, block: list[Step], registers: dict[str, int]) -> Iterator[Remade]:
    """Yield what each step, the last first, makes of registers that nothing changed since."""
    stale: set[str] = set()
    stores: list[tuple[int, int]] = []
    for step in block:
        change = changed(step.instruction)
        if change is None:
            return
        for register in sorted(change - stale):
            usable = {n: v for n, v in registers.items() if n not in stale and n not in change}
            usable["rip"] = step.address
            how = produced(step.instruction, register)
            yield from _made(target, step, register, registers, usable, how, stores)
        usable = {n: v for n, v in registers.items() if n not in stale}
        usable["rip"] = step.address
        if not _note_stores(step.instruction, usable, stores):
            return
        stale |= change


def _made(
    target: Target,
    step: Step,
    register: str,
    registers: dict[str, int],
    usable: dict[str, int],
    how: Produced,
    stores: list[tuple[int, int]],
) -> Iterator[Remade]:
    held = registers.get(register)
    if held is None:
        return
    expected: int | None = None
    slot = None
    if how.kind == LOAD and isinstance(how.source, Operand):
        slot = how.source.address(usable)
        expected = _load(target, slot, how, stores) if slot is not None else None
    elif how.kind == COPY and isinstance(how.source, str):
        expected = usable.get(how.source)
    elif how.kind == ADDRESS and isinstance(how.source, Operand):
        expected = how.source.address(usable)
    elif how.kind == CONSTANT and isinstance(how.source, int):
        expected = how.source
    if expected is None:
        return
    width = how.width if how.kind == LOAD else how.size
    expected &= MASK if width == 8 or how.size == 8 else 0xFFFFFFFF
    yield Remade(register, held, expected, step.address, how.kind, slot, how.size)


def _load(target: Target, slot: int, how: Produced, stores: list[tuple[int, int]]) -> int | None:
    """Return what memory holds there now; None when it may have been stored to since."""
    if any(at < slot + how.size and slot < at + size for at, size in stores):
        return None
    if how.size == 8:
        return read_word(target, slot)
    word = read_word(target, slot & ~7)
    if word is None or (slot & 7) + how.size > 8:
        return None
    value = word >> 8 * (slot & 7) & ((1 << 8 * how.size) - 1)
    if how.signed and value >> (8 * how.size - 1):
        value -= 1 << 8 * how.size
    return value & ((1 << 8 * how.width) - 1)


def _note_stores(one: Instruction, usable: dict[str, int], stores: list[tuple[int, int]]) -> bool:
    """Note what a step stores to; False when it cannot be told."""
    for operand in one.operands:
        if operand.access != "r":
            at = operand.address(usable)
            if at is None or not operand.size:
                return False
            stores.append((at, operand.size))
    return True
