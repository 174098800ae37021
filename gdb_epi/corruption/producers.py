# SPDX-License-Identifier: Apache-2.0
"""What made the registers of a fault: the straight-line code before it, run again.

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
from gdb_epi.x86 import MASK, MAX_LENGTH, Operand, decode
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
    through: tuple[str, ...] = ()  # registers of the load's address that still hold it
    offset: int = 0  # what the load added to its base


def remade(context: Context) -> list[Remade] | Absent:
    """Return what can be made again, the last made first. Absent when there is no code to run."""
    if "remade" not in context.kept:
        context.kept["remade"] = _remade(context)
    found: list[Remade] | Absent = context.kept["remade"]
    return found


def _remade(context: Context) -> list[Remade] | Absent:
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
    return _Machine(context.target, block, registers).run()


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


class Block(NamedTuple):
    """Straight-line code that ends at the fault, and the ranges that a branch in it may skip."""

    steps: list[Step]
    skipped: list[tuple[int, int]]


def _block(context: Context, steps: list[Step], pc: int) -> Block:
    """Return the last steps that no branch from elsewhere leads into.

    A branch of the block itself that skips a part of it leaves the rest as it is.
    """
    steps = steps[-MAX_STEPS:]
    joins = branch_targets(context, steps[0].address, pc) if steps else {}
    first = len(steps)
    while first > 0 and steps[first - 1].instruction.flow in ("next", "branch"):
        at = steps[first].address if first < len(steps) else pc
        if any(not steps[0].address <= source < at for source in joins.get(at, ())):
            break  # `at` is led to from elsewhere: what lies before it may not have run
        first -= 1
    low = steps[first].address if first < len(steps) else pc
    # Sources before the block's beginning are elsewhere too: cut again until none is left.
    for number in range(first, len(steps) + 1):
        at = steps[number].address if number < len(steps) else pc
        if number > first and any(source < low for source in joins.get(at, ())):
            first, low = number, at
    skipped = [
        (source, at) for at, sources in joins.items() for source in sources if low <= source < at
    ]
    return Block(steps[first:], skipped)


def branch_targets(context: Context, low: int, high: int) -> dict[int, list[int]]:
    """Return where direct branches of the function lead in [low, high], with their addresses."""
    found: dict[int, list[int]] = {}
    for source, to in _short_branches(context.target, low, high):
        found.setdefault(to, []).append(source)
    function = context.functions.at(high)
    start, end = (function.start, function.end) if function else (low - 4096, high + 4096)
    region = context.target.region_at(high)
    if region is not None:
        start, end = max(start, region.start), min(end, region.end)
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
                found.setdefault(start + shift + at + 4 + word, []).append(start + shift + at)
            at += 4
    return found


def _is_near(data: bytes, at: int) -> bool:
    if at >= 1 and data[at - 1] == 0xE9:
        return True
    return at >= 2 and data[at - 2] == 0x0F and 0x80 <= data[at - 1] < 0x90


def _short_branches(target: Target, low: int, high: int) -> Iterator[tuple[int, int]]:
    for step in _around(target, low - SHORT, high + SHORT):
        one = step.instruction
        if one.target is not None and one.length == 2 and one.flow in ("jump", "branch"):
            to = step.address + one.length + one.target
            if low <= to <= high:
                yield step.address, to


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


class _Machine:
    """Run a block again: what is known of the registers is what it held, or what it makes."""

    def __init__(self, target: Target, block: Block, registers: dict[str, int]) -> None:
        self._target = target
        self._registers = registers
        self._steps = block.steps
        self._skipped = block.skipped
        self._made: dict[str, Remade] = {}
        self._unknown: set[str] = set()
        self._stores: list[tuple[int, int, int]] = []  # step, address, size

    def run(self) -> list[Remade]:
        """Return what can be made again, the last made first.

        The first run finds out where the block stores to; the second one loads nothing that was
        stored to after the load.
        """
        self._run(self._steps)
        self._made.clear()
        self._unknown.clear()
        return self._run(self._steps)

    def _run(self, steps: list[Step]) -> list[Remade]:
        changes = [changed(step.instruction) for step in steps]
        first = max((n + 1 for n, one in enumerate(changes) if one is None), default=0)
        later = [set[str]() for _ in self._steps]
        for number in range(len(self._steps) - 2, -1, -1):
            following = changes[number + 1]
            later[number] = later[number + 1] | (following or set())
        for number in range(first, len(self._steps)):
            change = changes[number] or frozenset()
            self._step(self._steps[number], change, change | later[number])
        return sorted(self._made.values(), key=lambda one: -one.at)

    def _step(self, step: Step, change: frozenset[str], gone: set[str] | frozenset[str]) -> None:
        """Run one step; registers in `gone` no longer hold what they held before it."""
        known = {n: v for n, v in self._registers.items() if n not in gone}
        known |= {n: one.expected for n, one in self._made.items()}
        for name in self._unknown:
            if name in gone:
                known.pop(name, None)
        known["rip"] = step.address
        maybe = any(low < step.address < high for low, high in self._skipped)
        for register in sorted(change):
            one = self._remake(step, register, known)
            self._made.pop(register, None)
            self._unknown.add(register)
            if one is not None and not maybe:
                self._made[register] = one
                self._unknown.discard(register)
        self._note_stores(step, known)

    def _remake(self, step: Step, register: str, known: dict[str, int]) -> Remade | None:
        held = self._registers.get(register)
        how = produced(step.instruction, register)
        expected: int | None = None
        slot = None
        if how.kind == LOAD and isinstance(how.source, Operand):
            slot = how.source.address(known)
            stores = [(at, size) for after, at, size in self._stores if after > step.address]
            expected = _load(self._target, slot, how, stores) if slot is not None else None
        elif how.kind == COPY and isinstance(how.source, str):
            expected = known.get(how.source)
        elif how.kind == ADDRESS and isinstance(how.source, Operand):
            expected = how.source.address(known)
        elif how.kind == CONSTANT and isinstance(how.source, int):
            expected = how.source
        if expected is None or held is None:
            return None
        width = how.width if how.kind == LOAD else how.size
        expected &= MASK if width == 8 or how.size == 8 else 0xFFFFFFFF
        through: tuple[str, ...] = ()
        offset = 0
        if slot is not None and isinstance(how.source, Operand):
            same = (n for n in how.source.registers() if self._registers.get(n) == known.get(n))
            through, offset = tuple(same), how.source.displacement
        return Remade(
            register, held, expected, step.address, how.kind, slot, how.size, through, offset
        )

    def _note_stores(self, step: Step, known: dict[str, int]) -> None:
        """Note what a step stores to; a place that is not known may be any."""
        for operand in step.instruction.operands:
            if operand.access != "r":
                at = operand.address(known)
                known_place = at is not None and operand.size > 0
                place = (at or 0, operand.size) if known_place else (0, 1 << 64)
                self._stores.append((step.address, *place))


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
