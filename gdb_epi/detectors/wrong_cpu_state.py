# SPDX-License-Identifier: Apache-2.0
"""State of the CPU that code shares by agreement: the direction flag and the thread pointer.

Who breaks the agreement has returned long before an innocent function fails.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ABORTED, ACCESS, RAISED
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.fault.own_native_code import VICTIM
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.x86.decode import decode_instructions

DIRECTION = 1 << 10  # of eflags (Intel SDM volume 1, figure 3-8)
_SET_DIRECTION = 0xFD  # std
MAX_CODE = 8 << 10  # bytes of the function that failed
THREAD_POINTER = "fs_base"


@detector(
    "direction_flag", needs="crash", supports=SupportedLabel("software", "wrong-code", root=True)
)
def direction_flag(state: ProcessState) -> Iterator[Finding]:
    """Find that string instructions run backwards, where the code that failed did not mean it to.

    Innocent causes, tested: code that sets the flag itself, for a copy that must begin at the end:
    then std stands before, in the same function.
    Reference: System V ABI x86-64, 3.2.1: the flag is clear on entry to a function and on return.
    """
    account = state.fault_account
    if isinstance(account, Absent) or not account.fault.architecture.decodes:
        return
    fault = account.fault
    if not fault.is_hardware_trap and account.how not in (ABORTED, RAISED):
        return
    if not fault.registers.get("eflags", 0) & DIRECTION or _sets_direction(state.target, fault.pc):
        return
    summary = (
        "the direction flag of the CPU is set, so that memset(), memcpy() and their like run "
        "backwards, over what lies before: code that ran earlier had set it (std) and did not "
        "clear it (cld)"
    )
    facts = {"eflags": hex_word(fault.registers["eflags"]), VICTIM: True}
    yield Finding("direction_flag", f"thread {fault.tid}", facts, summary)


def _sets_direction(target: Target, pc: int) -> bool:
    """Tell whether the function sets the flag before an address; True where nothing can tell."""
    function = FunctionBounds(target).function_at(pc)
    if function is None:
        return True
    code = read_up_to(target, function.start, min(pc - function.start, MAX_CODE))
    return any(
        instruction is None or (not instruction.opcode_map and instruction.opcode == _SET_DIRECTION)
        for _, instruction in decode_instructions(code)
    )


@detector(
    "thread_pointer", needs="crash", supports=SupportedLabel("software", "wrong-pointer", root=True)
)
def thread_pointer(state: ProcessState) -> Iterator[Finding]:
    """Find an access to a thread's own variables by a thread pointer that leads to no thread.

    Innocent causes, tested: libraries of C without glibc's block; both glibc and musl keep the
    block's own address in its first word, and the word must be there and differ, or no memory be.
    Reference: struct tcbhead_t (glibc, sysdeps/x86_64/nptl/tls.h); arch_prctl(2), clone(2).
    """
    account = state.fault_account
    if (
        isinstance(account, Absent)
        or account.how != ACCESS
        or not account.fault.architecture.decodes
    ):
        return
    operand, registers = account.site.operand, account.fault.registers
    if operand is None or operand.segment != THREAD_POINTER or THREAD_POINTER not in registers:
        return
    base = registers[THREAD_POINTER]
    region = state.target.region_at(base)
    if region is not None and read_word(state.target, base, dumped_only=False) in (None, base):
        return
    summary = (
        f"the thread pointer (fs_base), by which a thread finds its own variables, is {base:#x}, "
        "where no thread's block lies: code changed it (arch_prctl(), wrfsbase), or made the "
        "thread by clone() without one"
    )
    facts = {"fs_base": hex_word(base), VICTIM: True}
    yield Finding("thread_pointer", f"thread {account.fault.tid}", facts, summary)
