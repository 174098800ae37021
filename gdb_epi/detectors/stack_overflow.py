# SPDX-License-Identifier: Apache-2.0
"""An access just below the stack mapping of the thread."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.maps import below_large_frame, stack_below
from gdb_epi.fault.signals import SI_KERNEL, SIGSEGV
from gdb_epi.process_state import ProcessState


@detector("stack_overflow", needs="crash")
def stack_overflow(state: ProcessState) -> Iterator[Finding]:
    """Find a fault within 64 KiB below the stack mapping with rsp at its low end, or a large frame.

    Innocent causes: this is itself the ordinary explanation. Not claimed when rsp is elsewhere (a
    wild pointer that happens to point below a stack).
    Reference: the kernel's guard gap, mm/mmap.c (stack_guard_gap); glibc's guard pages.
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or fault.signo != SIGSEGV:
        return
    if fault.address is None or fault.code == SI_KERNEL:
        return
    stack = stack_below(state.target, fault, fault.address)
    large = None if stack else below_large_frame(state.target, fault, fault.address)
    stack = stack or large
    if stack is None:
        return
    by = ", in a frame larger than what was left of it" if large else ""
    yield Finding(
        "stack_overflow",
        f"thread {fault.tid}",
        {
            "address": hex_word(fault.address),
            "rsp": hex_word(fault.sp),
            "stack": [hex_word(stack.start), hex_word(stack.end)],
            "size": stack.size,
        },
        f"the access is {stack.start - fault.address} bytes below the thread's stack of "
        f"{stack.size >> 10} KiB{by}",
    )
