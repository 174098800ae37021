# SPDX-License-Identifier: Apache-2.0
"""The native stack by the unwind tables: where each function keeps the registers of its caller.

Call frame information of .eh_frame, as compilers write it for x86-64; what else the format allows
ends the walk. Nothing is guessed: a function without an entry ends it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target
from gdb_epi.target.cfi import REGISTERS, CfaBase, CfiRules, SavedRegister, UnknownCfi
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.greenlet_stacks import GreenletStackStarts
from gdb_epi.typing_lite import NamedTuple

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
            except (UnknownCfi, IndexError):
                self._rules[pc] = None
        return self._rules[pc]

    def _read(self, pc: int) -> UnwindRule | None:
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
