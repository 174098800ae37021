# SPDX-License-Identifier: Apache-2.0
"""Imitations of a CPU that computes wrongly: one instruction's result is changed, memory is right.

The victim is stopped somewhere in its work and stepped until an instruction of the wanted sort
comes; its input or its result is changed, and the victim goes on alone.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from corruption.kinds import KINDS, Kind
from corruption.labels import HW, MEMORY, REGISTER, Change
from corruption.process import Map, Memory
from corruption.ptrace import Registers, Traced
from corruption.scene import NoTarget
from gdb_epi.x86 import REGISTERS, first_memory_operand

MAX_STEPS = 3000
MAX_TRIES = 4
STUCK_LOADS = 24
LONGEST_WAIT = 0.02  # seconds that the victim works before it is stopped
MASK = (1 << 64) - 1


class Instruction(NamedTuple):
    """What is needed of one instruction: its sort, its 64-bit register, its operand's base."""

    sort: str  # "load", "lea", "store", "pop", "ret", "other"
    register: str | None
    base: str | None


def instruction(code: bytes) -> Instruction:
    """Return the sort of an instruction; only 64-bit moves are told apart."""
    at, rex = 0, 0
    if code and 0x40 <= code[0] <= 0x4F:
        at, rex = 1, code[0]
    opcode = code[at] if len(code) > at else 0
    operand = first_memory_operand(code)
    base = operand.base if operand is not None else None
    if opcode == 0xC3:
        return Instruction("ret", None, None)
    if 0x58 <= opcode <= 0x5F:
        return Instruction("pop", REGISTERS[(opcode & 7) | (rex & 1) << 3], None)
    if rex & 8 and opcode in (0x8B, 0x8D, 0x89) and code[at + 1] >> 6 != 3:
        register = REGISTERS[(code[at + 1] >> 3 & 7) | (rex & 4) << 1]
        return Instruction({0x8B: "load", 0x8D: "lea", 0x89: "store"}[opcode], register, base)
    return Instruction("other", None, base)


class Bench:
    """A stopped victim, and the dice of the attempt."""

    def __init__(self, traced: Traced, memory: Memory, dice: random.Random) -> None:
        self.traced, self.memory, self.dice = traced, memory, dice
        self.maps = memory.maps()
        self.now = traced.registers()

    def is_pointer(self, value: int) -> bool:
        """Whether a value lies in a mapping with permissions."""
        return any(
            region.start <= value < region.end and region.perms[:3] != "---" for region in self.maps
        )

    def may_write(self, value: int) -> bool:
        """Whether a value lies in a writable mapping (data, not code)."""
        return any(
            region.start <= value < region.end and "w" in region.perms for region in self.maps
        )

    def until(self, wanted: Callable[[Instruction, Registers], bool], steps: int) -> Instruction:
        """Step to an instruction; raises NoTarget when none comes or the victim dies."""
        for _ in range(steps):
            try:
                here = instruction(self.memory.read(self.now.rip, 15))
            except OSError:
                raise NoTarget("control went out of the code") from None
            if wanted(here, self.now):
                return here
            self.step()
        raise NoTarget("no such instruction came")

    def step(self) -> None:
        """Run one instruction."""
        if not self.traced.step():
            raise NoTarget("a signal came first")
        self.now = self.traced.registers()

    def change(self, register: str, value: int) -> None:
        """Put a value into a register."""
        setattr(self.now, register, value & MASK)
        self.traced.set_registers(self.now)


Act = Callable[[Bench], Change]
ACTS: dict[str, Act] = {}


def act(name: str) -> Callable[[Act], Act]:
    """Register an imitation."""

    def add(run: Act) -> Act:
        ACTS[name] = run
        KINDS[name] = Kind(name, None, HW, python=True, native=True, cpu=True)
        return run

    return add


def imitate(name: str, memory: Memory, dice: random.Random) -> Change:
    """Stop the victim somewhere in its work and let one instruction go wrong.

    Raises NoTarget, and TraceFailed when the victim cannot be traced.
    """
    time.sleep(dice.random() * LONGEST_WAIT)
    with Traced(memory.pid) as traced:
        bench = Bench(traced, memory, dice)
        for _ in range(dice.randrange(40)):
            bench.step()
        return ACTS[name](bench)


def _spoil_result(bench: Bench, sort: str, spoil: Callable[[int], int], what: str) -> Change:
    """Change the result of the next instruction of a sort whose result is a pointer to data."""
    for _ in range(MAX_TRIES * 40):
        until = bench.until(lambda step, _: step.sort == sort, MAX_STEPS)
        at = bench.now.rip
        bench.step()
        register = until.register or "rax"
        value = int(getattr(bench.now, register))
        if register != "rsp" and bench.is_pointer(value) and spoil(value) != value:
            bench.change(register, spoil(value))
            what_was_done = f"{what} of the {sort} at {at:#x} (register {register})"
            return Change(what_was_done, register, value, spoil(value), REGISTER)
    raise NoTarget(f"no {sort} gave a pointer")


def _one_bit(bench: Bench) -> Callable[[int], int]:
    mask = 1 << bench.dice.randrange(64)
    return lambda value: value ^ mask


@act("cpu_load")
def cpu_load(bench: Bench) -> Change:
    """Flip a bit of what a load brought."""
    return _spoil_result(bench, "load", _one_bit(bench), "a bit of the result")


@act("cpu_pop")
def cpu_pop(bench: Bench) -> Change:
    """Flip a bit of what a pop brought."""
    return _spoil_result(bench, "pop", _one_bit(bench), "a bit of the result")


@act("cpu_lea")
def cpu_lea(bench: Bench) -> Change:
    """Flip a bit of a computed address."""
    return _spoil_result(bench, "lea", _one_bit(bench), "a bit of the result")


@act("cpu_return_value")
def cpu_return_value(bench: Bench) -> Change:
    """Flip a bit of the pointer that a function returns."""
    return _spoil_result(bench, "ret", _one_bit(bench), "a bit of rax after")


@act("cpu_bytelane")
def cpu_bytelane(bench: Bench) -> Change:
    """Lose one byte of what a load brought."""
    mask = MASK ^ 0xFF << 8 * bench.dice.randrange(6)
    return _spoil_result(bench, "load", lambda value: value & mask, "a byte of the result zeroed")


@act("cpu_multibit")
def cpu_multibit(bench: Bench) -> Change:
    """Flip two to four bits in one byte of what a load brought."""
    bits = bench.dice.sample(range(8), bench.dice.randint(2, 4))
    mask = sum(1 << bit for bit in bits) << 8 * bench.dice.randrange(6)
    return _spoil_result(
        bench, "load", lambda value: value ^ mask, "bits of one byte of the result"
    )


@act("cpu_register")
def cpu_register(bench: Bench) -> Change:
    """Flip a bit of a base register just before it is used."""

    def usable(step: Instruction, now: Registers) -> bool:
        return step.base not in (None, "rsp") and bench.may_write(int(getattr(now, str(step.base))))

    until = bench.until(usable, MAX_STEPS)
    register = str(until.base)
    value, spoil = int(getattr(bench.now, register)), _one_bit(bench)
    bench.change(register, spoil(value))
    what = f"a bit of {register} before the instruction at {bench.now.rip:#x}"
    return Change(what, register, value, spoil(value), REGISTER)


@act("cpu_rsp8")
def cpu_rsp8(bench: Bench) -> Change:
    """Lower rsp by 8 before a return."""
    bench.until(lambda step, _: step.sort == "ret", MAX_STEPS)
    value = int(bench.now.rsp)
    bench.change("rsp", value - 8)
    what = f"rsp lowered by 8 before the ret at {bench.now.rip:#x}"
    return Change(what, "rsp", value, value - 8, REGISTER, symptoms=("rsp-off-by-8",))


@act("cpu_store")
def cpu_store(bench: Bench) -> Change:
    """Flip a bit of a pointer while it is stored; the register keeps the right one."""

    def wanted(step: Instruction, now: Registers) -> bool:
        knows_store = step.register is not None and step.sort == "store" and step.base is not None
        return knows_store and bench.may_write(int(getattr(now, str(step.register))))

    until = bench.until(wanted, MAX_STEPS)
    operand = first_memory_operand(bench.memory.read(bench.now.rip, 15))
    registers = {name: int(getattr(bench.now, name)) for name in REGISTERS}
    where = operand.address(registers) if operand is not None else None
    if where is None:
        raise NoTarget("a store to an unknown place")
    at, original = bench.now.rip, int(getattr(bench.now, str(until.register)))
    bench.step()
    spoiled = _one_bit(bench)(original)
    bench.memory.put(where, spoiled)
    return Change(f"a bit of the store at {at:#x}", where, original, spoiled, MEMORY)


@act("cpu_stuck")
def cpu_stuck(bench: Bench) -> Change:
    """Force one bit of the results of many loads in a row."""
    mask = 1 << bench.dice.randint(3, 47)
    first = _spoil_result(bench, "load", lambda value: value | mask, "a bit stuck in the results")
    more = []
    for _ in range(STUCK_LOADS):
        try:
            spoil_result = _spoil_result(bench, "load", lambda value: value | mask, "")
        except NoTarget:
            break
        more.append((0, spoil_result.original, spoil_result.found))
    return first._replace(more=tuple(more))


def mapped(maps: list[Map], value: int) -> bool:
    """Whether a value lies in any mapping."""
    return any(region.start <= value < region.end for region in maps)
