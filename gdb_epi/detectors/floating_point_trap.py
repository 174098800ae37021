# SPDX-License-Identifier: Apache-2.0
"""A floating-point operation that trapped, which by default none does."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.signals import SIGFPE
from gdb_epi.process_state import ProcessState

# si_code of SIGFPE from 3 on (include/uapi/asm-generic/siginfo.h); 1 and 2 are integers'.
_OPERATIONS = {
    3: ("FPE_FLTDIV", "a floating-point division by zero"),
    4: ("FPE_FLTOVF", "a floating-point result that is too large"),
    5: ("FPE_FLTUND", "a floating-point result that is too small"),
    6: ("FPE_FLTRES", "a floating-point result that had to be rounded"),
    7: ("FPE_FLTINV", "a floating-point operation without a result"),
}


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
    facts = {"address": hex_word(fault.pc), "code": name}
    summary = (
        f"{what} trapped ({name}): by default none does, so code of this process had switched "
        "such traps on (feenableexcept() and its like)"
    )
    yield Finding("floating_point_trap", f"thread {fault.tid}", facts, summary)
