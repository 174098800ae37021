# SPDX-License-Identifier: Apache-2.0
"""An integer division that has no result: by zero, or a quotient too large for its register."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import ARITHMETIC, FaultSite
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

DIVISIONS = (0xF6, 0xF7)  # opcodes, the first of bytes
UNSIGNED, SIGNED = 6, 7  # in the reg field: div, idiv (SDM volume 2, "DIV", "IDIV")
_HIGH_BYTES = ("rsp", "rbp", "rsi", "rdi")  # may stand for ah, ch, dh, bh


class _Divisor(NamedTuple):
    value: int
    where: str


@detector("integer_division", needs="crash")
def integer_division(state: ProcessState) -> Iterator[Finding]:
    """Find a SIGFPE at div or idiv, and the divisor.

    Innocent causes: this is itself the ordinary explanation. aarch64 does not trap.
    Reference: Intel SDM volume 2, IDIV: #DE if the divisor is 0 or the quotient does not fit.
    """
    account = state.account
    if isinstance(account, Absent) or account.site.kind != ARITHMETIC:
        return
    divisor = _divisor(state.target, account.site)
    if divisor is None:
        return
    value, where = divisor
    summary = f"an integer was divided by zero (the divisor is {where})"
    if value:
        smallest = ": the smallest number divided by -1 is one too large" if value == -1 else ""
        summary = (
            f"the result of an integer division by {value} does not fit{smallest} (the divisor is "
            f"{where})"
        )
    facts = {"address": hex_word(account.fault.pc), "divisor": value}
    yield Finding("integer_division", f"thread {account.fault.tid}", facts, summary)


def _divisor(target: Target, site: FaultSite) -> _Divisor | None:
    insn = site.instruction
    if insn is None or insn.opcode_map or insn.opcode not in DIVISIONS:
        return None
    if insn.modrm_reg not in (UNSIGNED, SIGNED):
        return None
    size = 1 if insn.opcode == DIVISIONS[0] else insn.size
    registers = site.fault.registers
    if insn.rm is not None:
        if insn.rm not in registers or (size == 1 and insn.rm in _HIGH_BYTES):
            return None
        raw, where = registers[insn.rm].to_bytes(8, "little")[:size], f"in {insn.rm}"
    else:
        at = insn.memory.address(registers) if insn.memory is not None else None
        raw, where = try_read(target, at or 0, size), f"read from {at or 0:#x}"
    if len(raw) < size:
        return None
    return _Divisor(int.from_bytes(raw, "little", signed=insn.modrm_reg == SIGNED), where)
