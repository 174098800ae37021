# SPDX-License-Identifier: Apache-2.0
"""The physical frames that GDB's unwinder would show, without GDB; or that this cannot be told.

GDB goes by the same call frame information (dwarf2/frame.c). What it does beyond it is imitated
where it is simple: it ends at main() (frame.c, inside_main_func), and where no object lies at an
address it takes the word at the stack pointer for the return address (amd64-tdep.c). All else,
above all code without an entry, raises GdbNeeded, and so does memory that the core does not hold.
Reference: GDB 13.1 to 18.1; tests/bench/frames_compared.py compares with them.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.errors import Absent
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.api import Module, ModulesByAddress, Target
from gdb_epi.target.cfi import (
    REGISTERS,
    RETURN,
    CfaBase,
    CfiRule,
    CfiRules,
    SavedRegister,
    UnknownCfi,
    evaluate_expression,
)
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.typing_lite import NamedTuple

MAX_WALKED = 200  # frames; of more gdbhost/native_unwinder.py leaves some out, and jumps
_VDSO = "linux-vdso"


class GdbNeeded(Exception):
    """GDB has to be asked."""


class WalkedFrame(NamedTuple):
    """One call. `module` and `start`, of the function, are None where no object lies at `pc`.

    `is_exact`: `pc` is the instruction that was interrupted, not the one after a call.
    """

    pc: int
    sp: int
    module: Module | None
    start: int | None
    is_exact: bool
    is_signal: bool


class WalkedThread(NamedTuple):
    """The frames of a thread, innermost first, and why they end early, if they do."""

    frames: tuple[WalkedFrame, ...]
    note: str


class GdbLikeUnwinder:
    """Walks over the threads of one core.

    `main` is the address of main(), None where the executable has no symbol of that name. `linked`
    are the modules that GDB has loaded; without an executable it loads none.
    """

    def __init__(self, target: Target, main: int | None, linked: frozenset[str]) -> None:
        self._target = target
        self._main = main
        self.linked = linked
        self._rules = CfiRules(target, FunctionBounds(target))
        self.module_at = ModulesByAddress(target.modules()).module_at_address

    def frames(self, registers: Mapping[str, int]) -> WalkedThread:
        """Return the frames of a thread. Raises GdbNeeded."""
        current = {name: registers[name] for name in REGISTERS if name in registers}
        if "rip" not in current or "rsp" not in current:
            raise GdbNeeded("registers are missing")
        frames: list[WalkedFrame] = []
        is_exact = True
        while len(frames) < MAX_WALKED:
            pc, sp = current["rip"], current["rsp"]
            place = pc if is_exact else pc - 1  # a call may be a function's last instruction
            module = self.module_at(place)
            rule = self._rule(place, module)
            start = None if rule is None else rule.start
            is_signal = rule is not None and rule.is_signal
            frames.append(WalkedFrame(pc, sp, module, start, is_exact or is_signal, is_signal))
            if self._is_outermost_frame(rule):
                return WalkedThread(tuple(frames), "")
            if rule is None:
                current = {
                    **current,
                    "rip": self._read_stack_word(sp),
                    "rsp": sp + WORD & WORD_MASK,
                }
            else:
                current = self._caller_registers(rule, current)
            if not is_signal:
                if not current["rip"]:
                    return WalkedThread(tuple(frames), "")
                region = self._target.region_at(current["rip"])
                if region is None or ("x" not in region.perms and "?" not in region.perms):
                    note = f"the native stack ends early: no code at {current['rip']:#x}"
                    return WalkedThread(tuple(frames), note)
            is_exact = is_signal
        raise GdbNeeded("a deep stack")

    def _rule(self, pc: int, module: Module | None) -> CfiRule | None:
        """Return the rule that GDB has; None where it knows no object."""
        if module is None:
            region = self._target.region_at(pc)
            if region is not None and "x" in region.perms:
                raise GdbNeeded("code outside of files")  # a compiler may have described it to GDB
            return None
        if module.path in self.linked:
            try:
                rule = self._rules.rule(pc)
            except UnknownCfi as error:
                raise GdbNeeded(str(error)) from None
            if rule is None:
                raise GdbNeeded("code without unwind tables")
            return rule
        if self.linked or not isinstance(module.file, Absent) or module.path.startswith(_VDSO):
            raise GdbNeeded(f"{module.path} is not loaded")
        return None

    def _is_outermost_frame(self, rule: CfiRule | None) -> bool:
        if rule is None:
            return False
        if not rule.is_signal and rule.start == self._main:
            return True
        if RETURN not in rule.registers:
            raise GdbNeeded("no return address")
        return rule.registers[RETURN] is None

    def _caller_registers(self, rule: CfiRule, current: Mapping[str, int]) -> dict[str, int]:
        try:
            if isinstance(rule.cfa, CfaBase):
                name = REGISTERS[rule.cfa.register]
                cfa = current[name] + rule.cfa.offset & WORD_MASK
            else:
                cfa = evaluate_expression(rule.cfa.program, current, self._read_stack_word)
            caller = {**current, "rsp": cfa}
            for number, kept in rule.registers.items():
                name = REGISTERS[number] if number < len(REGISTERS) else ""
                if not name:
                    continue  # of the vector unit
                if kept is None:
                    caller.pop(name, None)
                elif isinstance(kept, SavedRegister):
                    caller[name] = self._read_stack_word(cfa + kept.offset & WORD_MASK)
                else:
                    value = evaluate_expression(kept.program, current, self._read_stack_word, cfa)
                    caller[name] = self._read_stack_word(value) if kept.is_address else value
        except (UnknownCfi, KeyError, IndexError) as error:
            raise GdbNeeded(f"unwind tables: {error}") from None
        if "rip" not in caller or "rsp" not in caller:
            raise GdbNeeded("no return address")
        if not rule.is_signal and (cfa <= current["rsp"] or cfa % WORD):
            raise GdbNeeded("a caller below its callee")
        return caller

    def _read_stack_word(self, address: int) -> int:
        region = self._target.region_at(address)
        if region is None or address + WORD > region.start + region.dumped:
            raise GdbNeeded("the stack is not in the core")
        return int.from_bytes(self._target.read(address, WORD), "little")
