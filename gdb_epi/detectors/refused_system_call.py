# SPDX-License-Identifier: Apache-2.0
"""A system call that a seccomp filter answered with death."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.signals import SIGSYS, SYS_SECCOMP
from gdb_epi.process_state import ProcessState

MAX_SYSCALL = 4096  # Linux 6.18 has 470 on x86-64


@detector("refused_system_call", needs="crash", supports=SupportedLabel("software", "refused-call"))
def refused_system_call(state: ProcessState) -> Iterator[Finding]:
    """Find SIGSYS by the kernel with SYS_SECCOMP.

    Innocent causes: this is itself the ordinary explanation.
    Reference: seccomp(2), SECCOMP_RET_KILL_PROCESS and SECCOMP_RET_TRAP.
    """
    fault = state.fault
    if isinstance(fault, Absent) or (fault.signo, fault.code) != (SIGSYS, SYS_SECCOMP):
        return
    number = fault.registers.get(fault.architecture.call, -1)
    which = f"system call {number}" if 0 <= number < MAX_SYSCALL else "a system call"
    machine = fault.architecture
    name = machine.calls.get(number) or machine.often_refused.get(number)
    which += f", {name}" if name else ""
    summary = f"a seccomp filter (a sandbox or container profile) refused {which}"
    facts = {"number": number if 0 <= number < MAX_SYSCALL else None}
    yield Finding("refused_system_call", f"thread {fault.tid}", facts, summary)
