# SPDX-License-Identifier: Apache-2.0
"""An instruction that the program's own code has in order to die there."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.instructions import is_boundary, is_decoded_from_start
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.fault.signals import SIGILL, SIGTRAP
from gdb_epi.process_state import ProcessState

# Instructions that exist to fail (SDM volume 2, UD and INT3); rip stands at ud, after int3.
_UNDEFINED = {b"\x0f\x0b": "ud2", b"\x0f\xb9": "ud1"}
_BREAKPOINT = b"\xcc"
_BY_COMPILER = "compilers put it where a program must not come (__builtin_trap, a failed check)"
_BY_PROGRAM = "a breakpoint of the program's own code, or one that a debugger left there"


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
    if name is None or not (
        is_decoded_from_start(state.target, at) or is_boundary(state.target, at)
    ):
        return
    facts = {"address": hex_word(at), "instruction": name}
    yield Finding("trap_instruction", f"thread {fault.tid}", facts, f"{name} at {at:#018x}: {why}")
