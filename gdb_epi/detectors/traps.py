# SPDX-License-Identifier: Apache-2.0
"""Instructions that trap: those put there to die, divisions without a result, floating point.

A quotient may be too large for its register as well as by zero; no floating-point operation traps
by default.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import DOUBT, IN_MEMORY, Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import ARITHMETIC, FaultSite
from gdb_epi.fault.instructions import is_instruction_start, is_register_loaded_from_non_stack
from gdb_epi.fault.memory_reads import read_up_to, try_read
from gdb_epi.fault.own_native_code import VICTIM, facts_of_file_at_fault, files_that_import
from gdb_epi.fault.signals import SIGFPE, SIGILL, SIGTRAP
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

# Instructions that exist to fail (SDM volume 2, UD and INT3); rip stands at ud, after int3.
_UNDEFINED = {b"\x0f\x0b": "ud2", b"\x0f\xb9": "ud1"}
_BREAKPOINT = b"\xcc"
_BY_COMPILER = "compilers put it where a program must not come (__builtin_trap, a failed check)"
_BY_PROGRAM = "a breakpoint of the program's own code, or one that a debugger left there"
DIVISIONS = (0xF6, 0xF7)  # opcodes, the first of bytes
UNSIGNED, SIGNED = 6, 7  # in the reg field: div, idiv (SDM volume 2, "DIV", "IDIV")
_HIGH_BYTES = ("rsp", "rbp", "rsi", "rdi")  # may stand for ah, ch, dh, bh
# si_code of SIGFPE from 3 on (include/uapi/asm-generic/siginfo.h); 1 and 2 are integers'.
_SWITCH = "feenableexcept"  # <fenv.h> of glibc; by instructions of its own other code can do it too
_OPERATIONS = {
    3: ("FPE_FLTDIV", "a floating-point division by zero"),
    4: ("FPE_FLTOVF", "a floating-point result that is too large"),
    5: ("FPE_FLTUND", "a floating-point result that is too small"),
    6: ("FPE_FLTRES", "a floating-point result that had to be rounded"),
    7: ("FPE_FLTINV", "a floating-point operation without a result"),
}


@detector("trap_instruction", needs="crash", supports=SupportedLabel("software", "failed-check"))
def trap_instruction(state: ProcessState) -> Iterator[Finding]:
    """Find ud2, ud1 or int3 as the instruction that failed, at the start of an instruction.

    Innocent causes: this is itself the ordinary explanation of SIGILL and SIGTRAP. Not claimed in
    the middle of an instruction, where a wrong jump may have hit such bytes.
    Reference: GCC's __builtin_trap, clang's -fsanitize-trap, Rust's intrinsics::abort.
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or not fault.architecture.decodes:
        return
    if fault.signo == SIGILL:
        at, why = fault.pc, _BY_COMPILER
        name = _UNDEFINED.get(read_up_to(state.target, at, 2))
    elif fault.signo == SIGTRAP:
        at, why = fault.pc - 1, _BY_PROGRAM
        name = "int3" if read_up_to(state.target, at, 1) == _BREAKPOINT else None
    else:
        return
    if name is None or not is_instruction_start(state.target, at):
        return
    facts = {"address": hex_word(at), "instruction": name}
    yield Finding("trap_instruction", f"thread {fault.tid}", facts, f"{name} at {at:#018x}: {why}")


class _Divisor(NamedTuple):
    value: int
    where: str
    in_memory: bool  # outside of the stack: others can have written it


@detector("integer_division", needs="crash")
def integer_division(state: ProcessState) -> Iterator[Finding]:
    """Find a SIGFPE at div or idiv, and the divisor.

    Innocent causes: this is itself the ordinary explanation. aarch64 does not trap. A divisor that
    was read from memory may have been written over by others: that is told as a doubt.
    Reference: Intel SDM volume 2, IDIV: #DE if the divisor is 0 or the quotient does not fit.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.site.kind != ARITHMETIC:
        return
    divisor = _divisor(state.target, account.site)
    if divisor is None:
        return
    value, where, in_memory = divisor
    plain = "an integer was divided by zero"
    if value:
        smallest = ": the smallest number divided by -1 is one too large" if value == -1 else ""
        plain = f"the result of an integer division by {value} does not fit{smallest}"
    facts = {"address": hex_word(account.fault.pc), "divisor": value, "plain": plain}
    facts |= {DOUBT: IN_MEMORY} if in_memory else {}
    summary = f"{plain} (the divisor is {where})"
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
        in_memory = is_register_loaded_from_non_stack(target, site.fault.pc, insn.rm)
    else:
        at = insn.memory.address(registers) if insn.memory is not None else None
        region, sp = target.region_at(at or 0), site.fault.sp
        on_stack = region is not None and region.start <= sp < region.end
        where = "in a variable on the stack" if on_stack else "in memory"
        in_memory = not on_stack
        raw = try_read(target, at or 0, size)
    if len(raw) < size:
        return None
    return _Divisor(
        int.from_bytes(raw, "little", signed=insn.modrm_reg == SIGNED), where, in_memory
    )


@detector("floating_point_trap", needs="crash")
def floating_point_trap(state: ProcessState) -> Iterator[Finding]:
    """Find a SIGFPE of a floating-point operation, by its si_code.

    Innocent causes: this is itself the ordinary explanation. The System V ABI starts each process
    with all floating-point exceptions masked, and the kernel sends these codes for unmasked ones
    alone: so code of the process had unmasked them.
    Reference: arch/x86/kernel/traps.c (math_error).
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or fault.signo != SIGFPE:
        return
    operation = _OPERATIONS.get(fault.code or 0)
    if operation is None:
        return
    name, what = operation
    switchers = files_that_import(state.target, _SWITCH)
    facts = {"address": hex_word(fault.pc), "code": name, VICTIM: True}
    by = "code of this process"
    if len(switchers) == 1:  # nobody else here calls such a function
        facts |= facts_of_file_at_fault(switchers[0])
        by = f"code of this process, most likely {switchers[0]},"
    summary = (
        f"{what} trapped ({name}): by default none does, so {by} had switched such traps on "
        "(feenableexcept() and its like)"
    )
    yield Finding("floating_point_trap", f"thread {fault.tid}", facts, summary)
